/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Fat trees of any height: axes are the subtrees of each level, then the leaf. Subtrees and leaves are numbered densely
 * within what they are part of, by smallest switch id; spines that hold service hosts come behind the leaves.
 */
final class TreeRecognizer implements Classifier.Recognizer {
    @Override
    public Recognition recognize(Topology topology, EdgeHops hops) {
        Recognition tree = TreeShape.of(topology, hops);
        return tree instanceof TreeShape shape ? classify(topology, hops, shape) : tree;
    }

    private static Classification classify(Topology topology, EdgeHops hops, TreeShape shape) {
        TreePlanes planes = TreePlanes.of(topology, hops, shape);
        int switches = topology.switches();
        int[] planeOfSwitch = planes == null ? new int[switches] : planes.ofSwitch();
        List<int[]> subtrees = planes != null && planes.joined()
                ? shape.subtrees().subList(1, shape.subtrees().size())
                : shape.subtrees();
        int[] order = leavesFirst(hops, shape);
        int axisCount = subtrees.size() + 1;
        int[][] axes = new int[axisCount][];
        int[] parent = new int[switches];
        for (int s = 0; s < switches; s++) {
            parent[s] = Math.max(planeOfSwitch[s], 0);
        }
        for (int axis = 0; axis < axisCount; axis++) {
            boolean leafAxis = axis == axisCount - 1;
            int[] part = new int[switches];
            for (int s : order) {
                int subtree = leafAxis ? s : subtrees.get(axis)[s];
                // A spine that holds devices stands above the subtree, so it is one of its own.
                part[s] = subtree < 0 ? s : subtree;
            }
            Numbering numbering = Numbering.of(order, parent, part, switches);
            axes[axis] = numbering.childNumber();
            parent = numbering.path();
        }
        int[] planeOfEnd = new int[topology.ends()];
        for (int end = 0; end < planeOfEnd.length; end++) {
            int at = topology.endSwitch(end);
            planeOfEnd[end] = at < 0 ? 0 : Math.max(planeOfSwitch[at], 0);
        }
        int[] none = new int[0];
        Classification numbered = new Classification(
                FabricKind.FatTree,
                BreadthFirst.levels(topology, s -> hops.edgeOf(s) >= 0),
                axes,
                planes == null ? 1 : planes.count(),
                planeOfSwitch,
                planeOfEnd,
                0,
                none,
                none);
        if (planes != null) {
            axes = Alignment.axes(topology, numbered, planes.firstPlane(topology, numbered));
        }
        int[] groupOfSwitch = groups(subtrees, axes[0], order, switches);
        if (!subtrees.isEmpty()) {
            takeInEmptyLeaves(topology, subtrees.getFirst(), groupOfSwitch);
        }
        int groups = Arrays.stream(groupOfSwitch).max().orElse(-1) + 1;
        Groups hosts = Groups.byCommonSubtree(topology, groupOfSwitch, groups, planeOfEnd);
        return new Classification(
                FabricKind.FatTree,
                numbered.levelOfSwitch(),
                axes,
                numbered.planes(),
                planeOfSwitch,
                planeOfEnd,
                hosts.count(),
                groupOfSwitch,
                hosts.ofEnd());
    }

    private static int[] leavesFirst(EdgeHops hops, TreeShape shape) {
        int[] order = new int[hops.size()];
        int filled = 0;
        for (boolean leaves : new boolean[] {true, false}) {
            for (int edge = 0; edge < hops.size(); edge++) {
                if (shape.leafOfEdge()[edge] == leaves) {
                    order[filled++] = hops.switchOf(edge);
                }
            }
        }
        return order;
    }

    /**
     * Groups are the coarsest subtrees: leaves where there are two levels, pods where there are three. Those of the other
     * planes with the same hosts are the same group.
     */
    private static int[] groups(List<int[]> subtrees, int[] coarsest, int[] order, int switches) {
        int[] groupOfSwitch = new int[switches];
        Arrays.fill(groupOfSwitch, -1);
        for (int s : order) {
            groupOfSwitch[s] = coarsest[s];
        }
        if (!subtrees.isEmpty()) {
            int[] subtree = subtrees.getFirst();
            int[] groupOfSubtree = new int[switches];
            Arrays.fill(groupOfSubtree, -1);
            for (int s : order) {
                if (subtree[s] >= 0) {
                    groupOfSubtree[subtree[s]] = coarsest[s];
                }
            }
            for (int s = 0; s < switches; s++) {
                if (subtree[s] >= 0) {
                    groupOfSwitch[s] = groupOfSubtree[subtree[s]];
                }
            }
        }
        return groupOfSwitch;
    }

    /** A leaf without hosts looks like a core switch, but one that connects a single pod. */
    private static void takeInEmptyLeaves(Topology topology, int[] subtree, int[] groupOfSwitch) {
        int[] found = groupOfSwitch.clone();
        for (int s = 0; s < found.length; s++) {
            int first = topology.firstNeighbor(s);
            int group = first < topology.firstNeighbor(s + 1) ? groupOfSwitch[topology.neighbor(first)] : -1;
            for (int n = first; n < topology.firstNeighbor(s + 1); n++) {
                group = groupOfSwitch[topology.neighbor(n)] == group ? group : -1;
            }
            if (subtree[s] < 0 && found[s] < 0) {
                found[s] = group;
            }
        }
        System.arraycopy(found, 0, groupOfSwitch, 0, found.length);
    }

    /**
     * Dense numbers of parts within their parents, in the order given.
     *
     * @param childNumber number of each switch's part within its parent; -1 for switches not in the order
     * @param path a dense number for each parent and part together
     */
    private record Numbering(int[] childNumber, int[] path) {
        static Numbering of(int[] order, int[] parent, int[] part, int switches) {
            int[] childNumber = new int[switches];
            Arrays.fill(childNumber, -1);
            int[] path = new int[switches];
            int[] children = new int[switches + 1];
            int[] numberOfPath = new int[switches];
            Map<Long, Integer> paths = new HashMap<>();
            for (int s : order) {
                long key = (long) parent[s] << 32 | part[s];
                Integer known = paths.get(key);
                if (known == null) {
                    known = paths.size();
                    paths.put(key, known);
                    numberOfPath[known] = children[parent[s]]++;
                }
                path[s] = known;
                childNumber[s] = numberOfPath[known];
            }
            return new Numbering(childNumber, path);
        }
    }
}
