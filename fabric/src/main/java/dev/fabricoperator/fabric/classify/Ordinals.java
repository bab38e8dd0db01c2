/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How hosts number their devices: says nothing of the wiring, but is the order that programs see. */
final class Ordinals {
    /** {@code mlx5_3}, {@code hfi1_0}: counted from 0; {@code HCA-4} in node descriptions: counted from 1. */
    private static final Pattern ORDINAL = Pattern.compile("(?:HCA-|[a-z][a-z0-9_]*_)(\\d{1,4})");

    private Ordinals() {}

    /** Per leaf the middle one of its devices' numbers; -1 where no device on it has one. */
    static long[] ofEdges(Topology topology, EdgeHops hops) {
        List<List<Long>> onEdge = new ArrayList<>();
        for (int edge = 0; edge < hops.size(); edge++) {
            onEdge.add(new ArrayList<>());
        }
        for (int end = 0; end < topology.ends(); end++) {
            String name = topology.endOsName(end);
            Matcher matcher = name == null ? null : ORDINAL.matcher(name);
            if (topology.endSwitch(end) >= 0 && matcher != null && matcher.matches()) {
                long counted = Long.parseLong(matcher.group(1)) - (name != null && name.startsWith("HCA-") ? 1 : 0);
                // The ports of one device are rails of their own.
                onEdge.get(hops.edgeOf(topology.endSwitch(end))).add(counted * 256 + topology.endPort(end));
            }
        }
        long[] middle = new long[hops.size()];
        for (int edge = 0; edge < middle.length; edge++) {
            List<Long> numbers = onEdge.get(edge);
            numbers.sort(Comparator.naturalOrder());
            middle[edge] = numbers.isEmpty() ? -1 : numbers.get(numbers.size() / 2);
        }
        return middle;
    }
}
