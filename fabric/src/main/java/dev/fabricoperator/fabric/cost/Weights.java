/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import dev.fabricoperator.fabric.cabling.PortPeer;
import java.util.Map;
import java.util.Set;

/**
 * What makes links cost other than their speed says. Off by default.
 *
 * @param drainedSwitches ids of switches that forward nothing
 * @param drainedPorts switch id and port of links that carry nothing
 * @param parallelLinks whether a bundle of parallel links is cheaper than one of them
 * @param load share of a link's capacity that is in use, 0 to 1, by switch id and port of the sending end
 */
public record Weights(
        Set<String> drainedSwitches, Set<PortPeer> drainedPorts, boolean parallelLinks, Map<PortPeer, Double> load) {
    public static final Weights NONE = new Weights(Set.of(), Set.of(), false, Map.of());

    public Weights {
        drainedSwitches = Set.copyOf(drainedSwitches);
        drainedPorts = Set.copyOf(drainedPorts);
        load = Map.copyOf(load);
    }
}
