/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import java.util.List;
import java.util.Objects;

/**
 * All that one source says about a fabric.
 *
 * @param source kind of the source, for example {@code ibnetdiscover}
 * @param switches ascending by id
 * @param adapters ascending by id
 * @param aggregationNodes SHARP aggregation nodes: neither switch nor device, counted and left out
 * @param problems in the order of the source
 */
public record Cabling(
        String source, List<Switch> switches, List<Adapter> adapters, int aggregationNodes, List<Problem> problems) {

    public Cabling {
        switches = List.copyOf(switches);
        adapters = List.copyOf(adapters);
        problems = List.copyOf(problems);
    }

    /** Without a walk over the whole fabric. */
    @Override
    public int hashCode() {
        return Objects.hash(source, switches.size(), adapters.size(), aggregationNodes, problems.size());
    }
}
