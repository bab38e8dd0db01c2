/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.graph.DisjointSets;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Scalable units: sets of leaves such that each host of a unit has one device on each of its leaves.
 *
 * <p>Idea: two leaves belong together if they hold devices of the same hosts. In a rail-optimised fabric such a set has as
 * many leaves as a host has devices; where hosts are dual-homed without a plan it is far larger.
 *
 * @param unitOfEdge the smallest leaf of each leaf's unit; -1 for a leaf that is in none
 * @param rails leaves of a whole unit
 */
record Rails(int[] unitOfEdge, int rails) {
    /** More devices than any host has; one that claims more must not cost quadratic time. */
    static final int MAX_RAILS = 64;

    /** One host on several leaves says nothing of the next one. */
    private static final int FEWEST_HOSTS = 2;

    /** {@code null} where the hosts are not wired in rails. */
    static @Nullable Rails of(Topology topology, EdgeHops hops) {
        int[] first = new int[topology.hosts() + 1];
        int[] cabled = cabledByHost(topology, first);
        List<int[]> spread = new ArrayList<>();
        int several = 0;
        long devices = 0;
        long devicesOfSeveral = 0;
        for (int end = 0; end < topology.ends(); end++) {
            int host = topology.endHostNumber(end);
            // Each host once, where its first cabled device is.
            if (host < 0 || topology.endSwitch(end) < 0 || cabled[first[host]] != end) {
                continue;
            }
            int[] ends = Arrays.copyOfRange(cabled, first[host], first[host + 1]);
            devices += ends.length;
            if (ends.length > 1) {
                several++;
                devicesOfSeveral += ends.length;
                int[] edges = new int[ends.length];
                for (int i = 0; i < edges.length; i++) {
                    edges[i] = hops.edgeOf(topology.endSwitch(ends[i]));
                }
                Arrays.sort(edges);
                if (edges.length <= MAX_RAILS && areDistinct(edges) && severalCards(topology, ends)) {
                    spread.add(edges);
                }
            }
        }
        if (spread.size() < FEWEST_HOSTS
                || spread.size() < Thresholds.MOST_HOSTS * several
                || 2 * devicesOfSeveral < devices) {
            return null;
        }
        int rails = usualCount(spread);
        int[] unitOfEdge = units(hops.size(), spread);
        takeInLeftOvers(unitOfEdge, spread, rails);
        return holds(unitOfEdge, spread, rails) ? new Rails(unitOfEdge, rails) : null;
    }

    /**
     * Cabled device ends of known hosts, host by host, ascending.
     *
     * @param first is filled: the ends of host h are those from {@code first[h]} to {@code first[h + 1]} exclusive
     */
    private static int[] cabledByHost(Topology topology, int[] first) {
        for (int end = 0; end < topology.ends(); end++) {
            int host = topology.endHostNumber(end);
            if (host >= 0 && topology.endSwitch(end) >= 0) {
                first[host + 1]++;
            }
        }
        for (int host = 1; host < first.length; host++) {
            first[host] += first[host - 1];
        }
        int[] next = Arrays.copyOf(first, first.length);
        int[] cabled = new int[first[first.length - 1]];
        for (int end = 0; end < topology.ends(); end++) {
            int host = topology.endHostNumber(end);
            if (host >= 0 && topology.endSwitch(end) >= 0) {
                cabled[next[host]++] = end;
            }
        }
        return cabled;
    }

    private static boolean areDistinct(int[] ascending) {
        for (int i = 1; i < ascending.length; i++) {
            if (ascending[i] == ascending[i - 1]) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether devices are more than the ports of one card, which are there for failover rather than as rails. Ports of
     * one card have one node GUID or, where each is a PCI function of its own, consecutive ones.
     */
    private static boolean severalCards(Topology topology, int[] ends) {
        String[] ids = new String[ends.length];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = topology.endId(ends[i]);
        }
        Arrays.sort(ids);
        for (int i = 1; i < ids.length; i++) {
            if (!ids[i].equals(ids[i - 1]) && !areConsecutive(ids[i - 1], ids[i])) {
                return true;
            }
        }
        return false;
    }

    private static boolean areConsecutive(String one, String next) {
        if (one.length() != 16 || next.length() != 16 || !one.regionMatches(0, next, 0, 8)) {
            return false;
        }
        try {
            return Long.parseLong(next, 8, 16, 16) - Long.parseLong(one, 8, 16, 16) == 1;
        } catch (NumberFormatException notAGuid) {
            return false;
        }
    }

    private static int usualCount(List<int[]> spread) {
        int[] counts = spread.stream().mapToInt(edges -> edges.length).sorted().toArray();
        return counts[(int) ((1 - Thresholds.ODD_HOSTS) * (counts.length - 1))];
    }

    /** The smallest switch of each one's unit; -1 for a switch that belongs to no other. */
    static int[] units(int edges, List<int[]> spread) {
        int[] hostsOn = new int[edges];
        Map<Long, Integer> shared = new HashMap<>();
        for (int[] host : spread) {
            for (int i = 0; i < host.length; i++) {
                hostsOn[host[i]]++;
                for (int j = 0; j < i; j++) {
                    shared.merge((long) host[j] << 32 | host[i], 1, Integer::sum);
                }
            }
        }
        DisjointSets sets = new DisjointSets(edges);
        shared.forEach((pair, both) -> {
            int one = (int) (pair >>> 32);
            int other = pair.intValue();
            if (both >= Thresholds.SAME_HOSTS * (hostsOn[one] + hostsOn[other] - both)) {
                sets.join(one, other);
            }
        });
        int[] size = new int[edges];
        for (int e = 0; e < edges; e++) {
            size[sets.root(e)]++;
        }
        int[] unit = new int[edges];
        for (int e = 0; e < edges; e++) {
            unit[e] = size[sets.root(e)] > 1 ? sets.root(e) : -1;
        }
        return unit;
    }

    /**
     * A leaf that lost most of its cables shares too few hosts with its unit. It stays in the unit where all hosts that it
     * still has are of one unit that lacks a leaf.
     */
    private static void takeInLeftOvers(int[] unitOfEdge, List<int[]> spread, int rails) {
        int[] size = new int[unitOfEdge.length];
        for (int unit : unitOfEdge) {
            if (unit >= 0) {
                size[unit]++;
            }
        }
        int[] unitOfHosts = new int[unitOfEdge.length];
        Arrays.fill(unitOfHosts, -1);
        for (int[] host : spread) {
            int unit = -1;
            for (int edge : host) {
                unit = Math.max(unit, unitOfEdge[edge]);
            }
            for (int edge : host) {
                boolean same = unitOfHosts[edge] < 0 || unitOfHosts[edge] == unit;
                unitOfHosts[edge] = same && unit >= 0 ? unit : Integer.MAX_VALUE;
            }
        }
        for (int edge = 0; edge < unitOfEdge.length; edge++) {
            int unit = unitOfHosts[edge];
            if (unitOfEdge[edge] < 0 && unit >= 0 && unit < size.length && size[unit] < rails) {
                unitOfEdge[edge] = unit;
                size[unit]++;
            }
        }
    }

    /** Drops units that are too large, and tells whether what is left carries the fabric. */
    private static boolean holds(int[] unitOfEdge, List<int[]> spread, int rails) {
        int[] size = new int[unitOfEdge.length];
        for (int unit : unitOfEdge) {
            if (unit >= 0) {
                size[unit]++;
            }
        }
        int units = 0;
        int whole = 0;
        int leaves = 0;
        for (int e = 0; e < unitOfEdge.length; e++) {
            if (size[e] > 0 && size[e] <= rails) {
                units++;
                whole += size[e] == rails ? 1 : 0;
            }
            if (unitOfEdge[e] >= 0 && size[unitOfEdge[e]] > rails) {
                unitOfEdge[e] = -1;
            }
            leaves += unitOfEdge[e] >= 0 ? 1 : 0;
        }
        int inOneUnit = 0;
        for (int[] host : spread) {
            int unit = unitOfEdge[host[0]];
            boolean one = unit >= 0 && Arrays.stream(host).allMatch(e -> unitOfEdge[e] == unit);
            inOneUnit += one ? 1 : 0;
        }
        return rails > 1
                && whole > 0
                && leaves >= Thresholds.FULL_UNITS * units * rails
                && leaves >= Thresholds.LEAVES_IN_UNITS * unitOfEdge.length
                && inOneUnit >= (1 - Thresholds.SCATTERED_HOSTS) * spread.size();
    }
}
