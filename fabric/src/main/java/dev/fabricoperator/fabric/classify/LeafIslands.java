/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Switches with hosts that are joined to most of a fabric through one leaf alone, where no level says that they are near the hosts
 * of that leaf: levels of a tree count from leaves upwards, and what is behind a leaf stands beside it; and where that is too much
 * for something beside a tree, there are no levels at all.
 *
 * <pre>
 * Errors: none; a fabric that is neither a tree nor irregular has none.
 * Cost:   O(switches + neighbours + devices), once more for each island.
 * Source: docs/topology-kinds.md
 * </pre>
 */
public final class LeafIslands {
    private final Topology topology;
    private final Classification classification;
    private final boolean[] holdsDevices;

    private LeafIslands(Topology topology, Classification classification) {
        this.topology = topology;
        this.classification = classification;
        holdsDevices = new boolean[topology.switches()];
        for (int end = 0; end < topology.ends(); end++) {
            if (topology.endSwitch(end) >= 0) {
                holdsDevices[topology.endSwitch(end)] = true;
            }
        }
    }

    /**
     * @param leaf the name of the switch that joins them
     * @param switches how many of them have hosts
     * @param hosts that are on these
     */
    public record Island(String leaf, int switches, int hosts) {}

    /** Those with most hosts first. */
    public static List<Island> of(Topology topology, Classification classification) {
        return switch (classification.kind()) {
            case FatTree, RailOptimized, Irregular -> new LeafIslands(topology, classification).find();
            case Torus, Mesh, HyperX, Dragonfly, DragonflyPlus, Flat -> List.of();
        };
    }

    /** What the rest is once nothing behind a leaf counts. Cost: that of a classification. */
    static FabricKind kindWithout(Topology topology, Classification classification) {
        int[] holders = BehindLeaves.holders(topology, new LeafIslands(topology, classification).holdsDevices);
        boolean[] alone = new boolean[holders.length];
        for (int s = 0; s < alone.length; s++) {
            alone[s] = holders[s] >= 0;
        }
        boolean[] uncabled = new boolean[topology.ends()];
        for (int end = 0; end < uncabled.length; end++) {
            int at = topology.endSwitch(end);
            uncabled[end] = at >= 0 && alone[at] || !classification.tellsPlace(end);
        }
        return Classifier.classify(topology.without(uncabled, alone)).kind();
    }

    private List<Island> find() {
        int[] holders = BehindLeaves.holders(topology, holdsDevices);
        Map<Integer, List<Integer>> behind = new HashMap<>();
        for (int s = 0; s < holders.length; s++) {
            if (holders[s] >= 0 && holdsDevices[s]) {
                behind.computeIfAbsent(holders[s], leaf -> new ArrayList<>()).add(s);
            }
        }
        List<Island> found = new ArrayList<>();
        behind.forEach((leaf, switches) -> {
            Island island = island(leaf, switches);
            if (island.hosts() > 0 && !isTold(leaf, switches)) {
                found.add(island);
            }
        });
        found.sort(Comparator.comparingInt((Island island) -> -island.hosts()).thenComparing(Island::leaf));
        return found;
    }

    private Island island(int leaf, List<Integer> behind) {
        Set<Integer> switches = new HashSet<>(behind);
        Set<Integer> used = new HashSet<>();
        Set<String> hosts = new HashSet<>();
        for (int end = 0; end < topology.ends(); end++) {
            if (switches.contains(topology.endSwitch(end)) && classification.tellsPlace(end)) {
                String host = topology.endHost(end);
                hosts.add(host == null ? topology.endId(end) : host);
                used.add(topology.endSwitch(end));
            }
        }
        return new Island(topology.switchName(leaf), used.size(), hosts.size());
    }

    /**
     * Whether some level above the leaves holds the leaf and what is behind it and nothing else; or what seems to be behind it is a
     * subtree of its own, as a pod is behind the only core switch that has hosts.
     */
    private boolean isTold(int leaf, List<Integer> behind) {
        int levels = classification.kind() == FabricKind.FatTree ? classification.axes().length - 1 : 0;
        for (int level = 1; level <= levels; level++) {
            Map<List<Integer>, Integer> all = new HashMap<>();
            for (int s = 0; s < holdsDevices.length; s++) {
                if (holdsDevices[s]) {
                    all.merge(part(s, level), 1, Integer::sum);
                }
            }
            Map<List<Integer>, Integer> own = new HashMap<>();
            for (int s : behind) {
                own.merge(part(s, level), 1, Integer::sum);
            }
            boolean isApart =
                    own.entrySet().stream().allMatch(one -> one.getValue().equals(all.get(one.getKey())));
            own.merge(part(leaf, level), 1, Integer::sum);
            boolean isWithLeaf = own.equals(Map.of(part(leaf, level), behind.size() + 1))
                    && Objects.equals(all.get(part(leaf, level)), behind.size() + 1);
            if (isApart || isWithLeaf) {
                return true;
            }
        }
        return false;
    }

    private List<Integer> part(int at, int level) {
        List<Integer> part = new ArrayList<>();
        for (int axis = 0; axis < level; axis++) {
            part.add(classification.axes()[axis][at]);
        }
        return part;
    }
}
