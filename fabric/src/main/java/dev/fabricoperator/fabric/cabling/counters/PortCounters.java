/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.counters;

import java.util.Map;

/**
 * Counters of ports at one time.
 *
 * @param ports those that were printed, by name of the counter, such as {@code SymbolErrorCounter}
 * @param checked how many nodes were asked; one that discovery missed is none of them, and is no failure either
 * @param complete whether every port of these was asked and has answered, so that what was not printed stands at zero
 */
public record PortCounters(Map<Port, Map<String, Long>> ports, int checked, boolean complete) {
    public PortCounters {
        ports = Map.copyOf(ports);
    }

    /** @param node its GUID, 16 lower-case hex digits */
    public record Port(String node, int number) {}
}
