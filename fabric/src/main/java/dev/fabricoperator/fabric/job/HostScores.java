/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.job;

import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.tier.TierTree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where the next part of a job goes best, of the hosts that have room for it.
 *
 * <ul>
 *   <li>First counts what it costs to communicate with the parts that have their hosts: the less the better. Between two hosts
 *       that is the cheapest pair of their devices, and 0 on one host.
 *   <li>Of equal hosts, as all are for the first part, counts what is left around them. Best is the vertex of the lowest tier that has room for all
 *       parts still to come, and of several the one with the fewest hosts free: empty leaves stay whole. Within it, the part with most
 *       hosts free, so that the job is divided as little as can be.
 * </ul>
 *
 * <pre>
 * Unit:   a score is 0 to 10. Only hosts of one vertex of the lowest tier have 10, and 0 is for hosts that the fabric does not have.
 * Cost:   O(c t log c + s p d squared) for c hosts with room, t tiers, s kinds of hosts (those of one leaf with equal cables are of one kind),
 *         d devices of a host, and p at most 64 kinds of hosts that have parts.
 * Source: docs/cost-model.md for costs, docs/volcano.md for tiers
 * </pre>
 *
 * <p>Immutable.
 */
public final class HostScores {
    public static final int HIGHEST = 10;
    private static final int MOST_KINDS_WITH_PARTS = 64;

    private final CostMatrix cost;
    private final Map<String, Host> hosts = new HashMap<>();
    private final Cliques cliques;
    /** By kind: slots of the first host, and of the second where there are several. */
    private final List<List<int[]>> kinds = new ArrayList<>();
    /** By kind; empty for none. */
    private final List<String> cliqueOfKind = new ArrayList<>();

    /** @param vertices numbers of the vertices that it is in, lowest tier first */
    private record Host(int kind, int[] vertices) {}

    /** A device as costs see it. */
    private record Attached(int edge, int deviceCost) {}

    /** Of hosts that cost the same to all others. */
    private record KindKey(List<Attached> devices, String clique) {}

    /**
     * Hosts whose accelerators NVLink joins.
     *
     * @param ofHost by host, the id of its clique
     * @param cost between two hosts of one clique, in the unit of the network
     */
    public record Cliques(Map<String, String> ofHost, int cost) {
        public static final Cliques NONE = new Cliques(Map.of(), CostMatrix.UNREACHABLE);

        public Cliques {
            ofHost = Map.copyOf(ofHost);
        }
    }

    /**
     * A part of a job that has a host.
     *
     * @param exact whether it is on that very host, and not on another of the same leaf
     */
    public record Placed(String host, boolean exact) {}

    /** @param hostOfSlot the host that owns the device in a slot; {@code null} for a device that is not to count */
    public HostScores(FabricModel model, IntFunction<@Nullable String> hostOfSlot) {
        this(model, hostOfSlot, Cliques.NONE);
    }

    /** As {@link #HostScores(FabricModel, IntFunction)}, where a clique is the lowest tier: a job is in one if it fits there. */
    public HostScores(FabricModel model, IntFunction<@Nullable String> hostOfSlot, Cliques cliques) {
        this.cliques = cliques;
        cost = model.cost();
        Map<String, List<Integer>> slotsOfHost = new TreeMap<>();
        for (int slot = 0; slot < cost.vertices(); slot++) {
            String host = cost.edgeSwitchOf(slot) < 0 ? null : hostOfSlot.apply(slot);
            if (host != null) {
                slotsOfHost.computeIfAbsent(host, h -> new ArrayList<>()).add(slot);
            }
        }
        SortedMap<String, SortedMap<Integer, String>> places =
                TierTree.of(model, "fabric", hostOfSlot).placesOfHosts();
        Map<String, Integer> numberOfVertex = new HashMap<>();
        Map<KindKey, Integer> numberOfKind = new HashMap<>();
        slotsOfHost.forEach((name, slots) -> {
            SortedMap<Integer, String> place = places.get(name);
            if (place == null) {
                return;
            }
            int[] own = slots.stream().mapToInt(Integer::intValue).toArray();
            String clique = cliques.ofHost().getOrDefault(name, "");
            int kind = numberOfKind.computeIfAbsent(new KindKey(attached(own), clique), k -> {
                cliqueOfKind.add(clique);
                kinds.add(new ArrayList<>());
                return kinds.size() - 1;
            });
            if (kinds.get(kind).size() < 2) {
                kinds.get(kind).add(own);
            }
            // All hosts have the same tiers: of one that is in no clique, the part above stands for it.
            Stream<String> lowest = cliques.ofHost().isEmpty()
                    ? Stream.empty()
                    : clique.isEmpty() ? place.values().stream().limit(1) : Stream.of("clique " + clique);
            int[] vertices = Stream.concat(lowest, place.values().stream())
                    .mapToInt(vertex -> numberOfVertex.computeIfAbsent(vertex, v -> numberOfVertex.size()))
                    .toArray();
            hosts.put(name, new Host(kind, vertices));
        });
    }

    private List<Attached> attached(int[] slots) {
        return Arrays.stream(slots)
                .mapToObj(slot -> new Attached(cost.edgeSwitchOf(slot), cost.deviceCost(slot)))
                .sorted(Comparator.comparingInt(Attached::edge).thenComparingInt(Attached::deviceCost))
                .toList();
    }

    /** How many of these hosts the fabric has. */
    public int known(Collection<String> some) {
        return (int) some.stream().filter(hosts::containsKey).count();
    }

    /**
     * The score of each host with room, in their order.
     *
     * @param placed parts of the job that have a host; those of hosts that the fabric does not have do not count
     * @param parts still to come, this one included
     */
    public Map<String, Integer> of(Collection<String> withRoom, Collection<Placed> placed, int parts) {
        Map<Integer, Integer> free = new HashMap<>();
        for (String name : withRoom) {
            Host host = hosts.get(name);
            if (host != null) {
                Arrays.stream(host.vertices()).distinct().forEach(vertex -> free.merge(vertex, 1, Integer::sum));
            }
        }
        Map<Integer, Long> sumOfKind = new HashMap<>();
        Map<Integer, Integer> partsOfKind = partsOfKind(placed);
        Map<String, Integer> partsOnHost = new HashMap<>();
        placed.stream().filter(Placed::exact).forEach(part -> partsOnHost.merge(part.host(), 1, Integer::sum));
        Map<String, long[]> keys = new LinkedHashMap<>();
        for (String name : withRoom) {
            Host host = hosts.get(name);
            if (host != null) {
                long sum = sumOfKind.computeIfAbsent(host.kind(), kind -> sum(kind, partsOfKind));
                int here = partsOfKind.containsKey(host.kind()) ? partsOnHost.getOrDefault(name, 0) : 0;
                sum -= here == 0 ? 0 : (long) here * between(host.kind(), host.kind());
                keys.put(name, key(sum, host.vertices(), free, parts));
            }
        }
        List<long[]> order = keys.values().stream().sorted(Arrays::compare).toList();
        Map<String, Integer> scores = new LinkedHashMap<>();
        Map<List<Long>, Integer> scoreOfKey = new HashMap<>();
        int rank = -1;
        long[] before = new long[0];
        for (long[] key : order) {
            if (!Arrays.equals(before, key)) {
                rank++;
                before = key;
                scoreOfKey.put(boxed(key), score(rank));
            }
        }
        withRoom.forEach(name -> {
            long[] key = keys.get(name);
            scores.put(name, key == null ? 0 : scoreOfKey.getOrDefault(boxed(key), 0));
        });
        return scores;
    }

    /** Ranks 0, 1, 2 to 3, 4 to 7 and so on: what is near the best is told apart, and the rest hardly matters. */
    private static int score(int rank) {
        return Math.max(1, HIGHEST - (Integer.SIZE - Integer.numberOfLeadingZeros(rank)));
    }

    private static List<Long> boxed(long[] key) {
        return Arrays.stream(key).boxed().toList();
    }

    /** Lower is better; equal for hosts of one lowest vertex that cost the same. */
    private static long[] key(long sum, int[] vertices, Map<Integer, Integer> free, int parts) {
        int fitting = 0;
        while (fitting < vertices.length && free.getOrDefault(vertices[fitting], 0) < parts) {
            fitting++;
        }
        long[] key = new long[2 + 2 * (Math.min(fitting, vertices.length - 1) + 1)];
        key[0] = sum;
        key[1] = fitting;
        int at = 2;
        for (int tier = Math.min(fitting, vertices.length - 1); tier >= 0; tier--) {
            int here = free.getOrDefault(vertices[tier], 0);
            key[at++] = tier == fitting ? here : -here;
            key[at++] = vertices[tier];
        }
        return key;
    }

    private Map<Integer, Integer> partsOfKind(Collection<Placed> placed) {
        Map<Integer, Integer> all = new TreeMap<>();
        for (Placed part : placed) {
            Host host = hosts.get(part.host());
            if (host != null) {
                all.merge(host.kind(), 1, Integer::sum);
            }
        }
        if (all.size() <= MOST_KINDS_WITH_PARTS) {
            return all;
        }
        // Those with the most parts say most of what the others would.
        Map<Integer, Integer> most = new TreeMap<>();
        all.entrySet().stream()
                .sorted(Map.Entry.<Integer, Integer>comparingByValue()
                        .reversed()
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(MOST_KINDS_WITH_PARTS)
                .forEach(entry -> most.put(entry.getKey(), entry.getValue()));
        return most;
    }

    private long sum(int kind, Map<Integer, Integer> partsOfKind) {
        long sum = 0;
        for (Map.Entry<Integer, Integer> entry : partsOfKind.entrySet()) {
            sum += (long) entry.getValue() * between(kind, entry.getKey());
        }
        return sum;
    }

    /** Between two hosts of these kinds; 0 where that is one host. */
    private int between(int kind, int other) {
        if (kind == other && kinds.get(kind).size() == 1) {
            return 0;
        }
        String clique = cliqueOfKind.get(kind);
        boolean isOneClique = !clique.isEmpty() && clique.equals(cliqueOfKind.get(other));
        int best = isOneClique ? cliques.cost() : CostMatrix.UNREACHABLE;
        for (int from : kinds.get(kind).getFirst()) {
            for (int to : kinds.get(other).getLast()) {
                best = Math.min(best, cost.cost(from, to));
            }
        }
        return best;
    }
}
