/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Switches that connect hosts of all units, such as leaves of storage: they say nothing of where a host is.
 *
 * <p>Idea: a switch meets another one where a host is on both. A leaf of computing devices meets the other leaves of its unit; a
 * leaf of storage meets leaves of all units. Without such switches, which are few, every host still has a place, and units come
 * apart. Where the wiring does not show them, speed may: the devices that are slower than the fastest of their hosts, if they
 * have switches of their own.
 *
 * <p>Neither ids nor names play a part.
 */
final class CommonSwitches {
    private static final int MAX_TRIALS = 8;

    private final Topology topology;
    private final EdgeHops hops;
    /** Of each host the edge switches that its devices are on, ascending, each once. */
    private final List<int[]> edgesOfHosts = new ArrayList<>();

    private final List<Set<Integer>> met = new ArrayList<>();

    private CommonSwitches(Topology topology, EdgeHops hops) {
        this.topology = topology;
        this.hops = hops;
        List<TreeSet<Integer>> byHost = new ArrayList<>();
        for (int host = 0; host < topology.hosts(); host++) {
            byHost.add(new TreeSet<>());
        }
        for (int end = 0; end < topology.ends(); end++) {
            if (topology.endHostNumber(end) >= 0 && topology.endSwitch(end) >= 0) {
                byHost.get(topology.endHostNumber(end)).add(hops.edgeOf(topology.endSwitch(end)));
            }
        }
        for (TreeSet<Integer> edges : byHost) {
            if (!edges.isEmpty() && edges.size() <= Rails.MAX_RAILS) {
                edgesOfHosts.add(edges.stream().mapToInt(edge -> edge).toArray());
            }
        }
        for (int edge = 0; edge < hops.size(); edge++) {
            met.add(new HashSet<>());
        }
        for (int[] edges : edgesOfHosts) {
            for (int one : edges) {
                for (int other : edges) {
                    if (one != other) {
                        met.get(one).add(other);
                    }
                }
            }
        }
    }

    /**
     * Sets of edge switches that may be common, the likeliest first; none for most fabrics. Cost: O(h d d) time for h hosts of d
     * devices, O(pairs of edge switches that meet) space.
     */
    static List<boolean[]> candidates(Topology topology, EdgeHops hops) {
        CommonSwitches common = new CommonSwitches(topology, hops);
        List<boolean[]> found = new ArrayList<>();
        if (common.edgesOfHosts.stream().noneMatch(edges -> edges.length > 1)) {
            return found;
        }
        int[] degrees = common.met.stream().mapToInt(Set::size).toArray();
        int[] descending = Arrays.stream(degrees)
                .distinct()
                .map(d -> -d)
                .sorted()
                .map(d -> -d)
                .toArray();
        for (int i = 0; i < descending.length && i < MAX_TRIALS; i++) {
            int least = descending[i];
            boolean[] trial = new boolean[degrees.length];
            for (int edge = 0; edge < trial.length; edge++) {
                trial[edge] = degrees[edge] >= least;
            }
            if (common.leavesPlaces(trial, Thresholds.FEW_COMMON) && common.meetAllUnits(trial)) {
                found.add(trial);
            }
        }
        boolean[] slower = common.slower();
        if (common.leavesPlaces(slower, 1) && found.stream().noneMatch(other -> Arrays.equals(other, slower))) {
            found.add(slower);
        }
        return found;
    }

    /** Whether these are few, none holds a device for computing, and most hosts with several devices are on them and elsewhere as well. */
    private boolean leavesPlaces(boolean[] common, double few) {
        int count = count(common);
        if (count == 0 || count > few * (common.length - count)) {
            return false;
        }
        for (int end = 0; end < topology.ends(); end++) {
            int at = topology.endSwitch(end);
            if (at >= 0 && common[hops.edgeOf(at)] && topology.endUse(end) == Vertex.Use.Compute) {
                return false;
            }
        }
        int several = 0;
        int both = 0;
        int only = 0;
        for (int[] edges : edgesOfHosts) {
            long on = Arrays.stream(edges).filter(edge -> common[edge]).count();
            several += edges.length > 1 && on < edges.length ? 1 : 0;
            both += on > 0 && on < edges.length ? 1 : 0;
            only += on == edges.length ? 1 : 0;
        }
        return both > 0 && both >= Thresholds.COMMON_TO * several && only <= both;
    }

    private boolean meetAllUnits(boolean[] common) {
        List<int[]> rest = new ArrayList<>();
        for (int[] edges : edgesOfHosts) {
            int[] own = Arrays.stream(edges).filter(edge -> !common[edge]).toArray();
            if (own.length > 0) {
                rest.add(own);
            }
        }
        int[] unit = Rails.units(common.length, rest);
        int[] others = new int[common.length];
        int count = 0;
        for (int edge = 0; edge < unit.length; edge++) {
            unit[edge] = unit[edge] < 0 ? edge : unit[edge];
            if (!common[edge]) {
                others[count++] = outside(edge, common);
            }
        }
        Arrays.sort(others, 0, count);
        int typical = others[count / 2];
        Map<Integer, Integer> hostsOfUnit = new HashMap<>();
        Map<Integer, Map<Integer, Integer>> hostsOfUnitOn = new HashMap<>();
        for (int[] edges : edgesOfHosts) {
            int own = unitOf(edges, common, unit);
            for (int edge : edges) {
                if (own >= 0 && common[edge]) {
                    hostsOfUnit.merge(own, 1, Integer::sum);
                    hostsOfUnitOn.computeIfAbsent(edge, e -> new HashMap<>()).merge(own, 1, Integer::sum);
                }
            }
        }
        int commons = count(common);
        for (int edge = 0; edge < common.length; edge++) {
            if (common[edge]) {
                Map<Integer, Integer> on = hostsOfUnitOn.getOrDefault(edge, Map.of());
                long meets = on.entrySet().stream()
                        .filter(of -> of.getValue() * (double) commons
                                >= Thresholds.EVEN_DIVISION * hostsOfUnit.getOrDefault(of.getKey(), 0))
                        .count();
                if (meets < 2
                        || meets < Thresholds.COMMON_TO * hostsOfUnit.size()
                        || outside(edge, common) < Thresholds.MEETS_MORE * typical) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The unit of most of the switches of a host that are not common; -1 where there are none, or all are. */
    private static int unitOf(int[] edges, boolean[] common, int[] unit) {
        int best = -1;
        int most = 0;
        for (int one : edges) {
            int same = 0;
            for (int other : edges) {
                same += !common[one] && !common[other] && unit[one] == unit[other] ? 1 : 0;
            }
            if (same > most) {
                most = same;
                best = unit[one];
            }
        }
        return best;
    }

    /** How many switches that are not common a switch meets. */
    private int outside(int edge, boolean[] common) {
        return (int) met.get(edge).stream().filter(other -> !common[other]).count();
    }

    private boolean[] slower() {
        Map<Integer, Long> fastest = new HashMap<>();
        Map<Integer, Long> slowest = new HashMap<>();
        for (int end = 0; end < topology.ends(); end++) {
            if (says(end)) {
                fastest.merge(topology.endHostNumber(end), topology.endSpeed(end), Math::max);
                slowest.merge(topology.endHostNumber(end), topology.endSpeed(end), Math::min);
            }
        }
        int[] slow = new int[hops.size()];
        long[] slowSpeed = new long[hops.size()];
        for (int end = 0; end < topology.ends(); end++) {
            if (says(end) && topology.endSpeed(end) < fastest.getOrDefault(topology.endHostNumber(end), 0L)) {
                int edge = hops.edgeOf(topology.endSwitch(end));
                slow[edge]++;
                slowSpeed[edge] = Math.max(slowSpeed[edge], topology.endSpeed(end));
            }
        }
        int[] devices = new int[hops.size()];
        for (int end = 0; end < topology.ends(); end++) {
            if (says(end)) {
                int host = topology.endHostNumber(end);
                int edge = hops.edgeOf(topology.endSwitch(end));
                // Servers of storage have devices of one speed, that of the hosts' devices for storage.
                boolean server = topology.endSpeed(end) <= slowSpeed[edge]
                        && fastest.getOrDefault(host, 0L).equals(slowest.get(host));
                devices[edge] += server ? 0 : 1;
            }
        }
        boolean[] slower = new boolean[hops.size()];
        for (int edge = 0; edge < slower.length; edge++) {
            slower[edge] = slow[edge] > 0 && slow[edge] >= Thresholds.SLOWER * devices[edge];
        }
        return slower;
    }

    private boolean says(int end) {
        return topology.endHostNumber(end) >= 0 && topology.endSwitch(end) >= 0 && topology.endSpeed(end) > 0;
    }

    private static int count(boolean[] of) {
        int count = 0;
        for (boolean is : of) {
            count += is ? 1 : 0;
        }
        return count;
    }
}
