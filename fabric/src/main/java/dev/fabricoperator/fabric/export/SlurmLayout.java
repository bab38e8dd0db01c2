/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.export;

import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.topology.SwitchComponents;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What is written, before it has a form.
 *
 * @param remarks what Slurm cannot be told
 * @param rows switches with what is below them, leaves first; or blocks
 * @param hosts what Slurm calls each host
 */
record SlurmLayout(List<String> remarks, List<Row> rows, Map<String, String> hosts) {

    /** @param switches and {@code nodes}: one of them is empty, as Slurm wants it */
    record Row(String name, List<String> switches, List<String> nodes) {}

    /** Cost: O(n log n) time for n switches, cables and devices. */
    static SlurmLayout of(FabricModel model, SlurmOptions options) {
        Builder builder = new Builder(model, options);
        List<Row> rows = switch (options.plugin()) {
            case tree -> options.everySwitch() ? builder.everySwitch() : builder.tree();
            case block -> builder.blocks();
        };
        return new SlurmLayout(builder.remarks(), rows, builder.names.hosts());
    }

    private static final class Builder {
        private final FabricModel model;
        private final SlurmOptions options;
        private final Topology topology;
        private final Classification classification;
        private final SlurmNames names = new SlurmNames();
        private final int plane;
        private final HostPlaces places;
        private int omittedCables;

        Builder(FabricModel model, SlurmOptions options) {
            this.model = model;
            this.options = options;
            topology = model.topology();
            classification = model.classification();
            plane = Integer.parseInt(
                    options.plane() == null ? model.planes().getFirst().id() : options.plane());
            places = HostPlaces.of(topology, classification, plane, names);
        }

        List<String> remarks() {
            List<String> remarks = new ArrayList<>();
            remarks.add(model.kind() + ", " + places.switchOf().size() + " hosts, plane " + plane + " of "
                    + model.planes().size());
            switch (model.kind()) {
                case Torus, Mesh, HyperX, Dragonfly, DragonflyPlus ->
                    remarks.add("no tree: switches that share the first numbers of their coordinates stand together");
                case FatTree, RailOptimized, Irregular, Flat -> {}
            }
            remark(remarks, places.spread(), "hosts have devices at several switches; each is at that of its first");
            remark(remarks, places.astray(), "hosts are not at all on this plane and are left out");
            remark(remarks, names.changed(), "hosts have names that Slurm cannot read and are called otherwise");
            remark(remarks, omittedCables, "cables between switches of one level are left out");
            return remarks;
        }

        private static void remark(List<String> remarks, int count, String what) {
            if (count > 0) {
                remarks.add(count + " " + what);
            }
        }

        private Map<Integer, List<String>> hostsBySwitch() {
            Map<Integer, List<String>> hosts = new HashMap<>();
            places.switchOf()
                    .forEach((host, at) ->
                            hosts.computeIfAbsent(at, s -> new ArrayList<>()).add(host));
            return hosts;
        }

        List<Row> blocks() {
            Map<Integer, List<String>> hosts = new TreeMap<>();
            places.groupOf()
                    .forEach((host, group) ->
                            hosts.computeIfAbsent(group, g -> new ArrayList<>()).add(host));
            List<Row> rows = new ArrayList<>();
            hosts.forEach((group, members) -> rows.add(new Row(names.madeUp("group-" + group), List.of(), members)));
            return rows;
        }

        /** Every switch with its neighbours that are nearer to hosts, if hosts are below it at all. */
        List<Row> everySwitch() {
            Map<Integer, List<String>> hosts = hostsBySwitch();
            List<Integer> ascending = new ArrayList<>();
            for (int s = 0; s < topology.switches(); s++) {
                int on = classification.planeOfSwitch()[s];
                if (classification.levelOfSwitch()[s] > 0 && (on == plane || on < 0)) {
                    ascending.add(s);
                }
            }
            ascending.sort((a, b) -> Integer.compare(
                    classification.levelOfSwitch()[a], classification.levelOfSwitch()[b]));
            Set<Integer> written = new HashSet<>();
            List<Row> rows = new ArrayList<>();
            for (int s : ascending) {
                List<String> nodes = hosts.getOrDefault(s, List.of());
                List<String> below = nodes.isEmpty() ? below(s, written) : List.of();
                if (!nodes.isEmpty() || !below.isEmpty()) {
                    written.add(s);
                    rows.add(new Row(names.ofSwitch(topology.switchId(s)), below, nodes));
                }
            }
            return rows;
        }

        private List<String> below(int at, Set<Integer> written) {
            List<String> below = new ArrayList<>();
            for (int n = topology.firstNeighbor(at); n < topology.firstNeighbor(at + 1); n++) {
                int neighbor = topology.neighbor(n);
                int lower = classification.levelOfSwitch()[neighbor]
                        - classification.levelOfSwitch()[at];
                if (lower < 0 && written.contains(neighbor)) {
                    below.add(names.ofSwitch(topology.switchId(neighbor)));
                } else if (lower == 0 && neighbor > at) {
                    omittedCables += topology.neighborCables(n);
                }
            }
            return below;
        }

        /** A switch that holds hosts, and where it stands: its part of the fabric, then its coordinates. */
        private record Leaf(int[] path, Row row) {}

        List<Row> tree() {
            int[] parts = parts();
            int[][] axes = classification.axes();
            List<Leaf> leaves = new ArrayList<>();
            hostsBySwitch().forEach((at, hosts) -> {
                int[] path = new int[axes.length + 1];
                path[0] = parts[at];
                for (int axis = 0; axis < axes.length; axis++) {
                    path[axis + 1] = axes[axis][at];
                }
                leaves.add(new Leaf(path, new Row(names.ofSwitch(topology.switchId(at)), List.of(), hosts)));
            });
            leaves.sort((a, b) -> {
                int order = Arrays.compare(a.path(), b.path());
                return order != 0 ? order : a.row().name().compareTo(b.row().name());
            });
            List<Row> rows = new ArrayList<>();
            leaves.forEach(leaf -> rows.add(leaf.row()));
            // From the leaves to the roots: at each length of path those that begin alike get a switch in common.
            List<Leaf> level = leaves;
            for (int length = axes.length; length >= 1; length--) {
                level = above(level, length, rows);
            }
            return rows;
        }

        private List<Leaf> above(List<Leaf> level, int length, List<Row> rows) {
            Map<List<Integer>, List<Leaf>> bundles = new LinkedHashMap<>();
            for (Leaf leaf : level) {
                List<Integer> path =
                        Arrays.stream(leaf.path(), 0, length).boxed().toList();
                bundles.computeIfAbsent(path, p -> new ArrayList<>()).add(leaf);
            }
            boolean isRoot = length == 1;
            long parts = level.stream().map(leaf -> leaf.path()[0]).distinct().count();
            // A level that would tell nothing apart, or nothing together, is left out.
            if (bundles.size() == level.size() || !isRoot && bundles.size() == parts) {
                return level;
            }
            List<Leaf> made = new ArrayList<>();
            bundles.forEach((path, members) -> {
                if (isRoot && members.size() == 1) {
                    made.add(members.getFirst());
                    return;
                }
                String name = isRoot ? root(path.getFirst(), parts > 1) : word() + numbers(path);
                Row row = new Row(
                        names.madeUp(name),
                        members.stream().map(member -> member.row().name()).toList(),
                        List.of());
                rows.add(row);
                made.add(new Leaf(Arrays.copyOf(members.getFirst().path(), length), row));
            });
            return made;
        }

        private String root(int part, boolean several) {
            return several ? options.name() + "-part-" + part : options.name();
        }

        private static String numbers(List<Integer> path) {
            StringBuilder numbers = new StringBuilder();
            path.subList(1, path.size()).forEach(number -> numbers.append('-').append(number));
            return numbers.toString();
        }

        private String word() {
            return switch (model.kind()) {
                case Dragonfly, DragonflyPlus -> "group";
                case Torus, Mesh, HyperX -> "slice";
                case RailOptimized -> "unit";
                case FatTree, Irregular, Flat -> "subtree";
            };
        }

        /** Which connected part each switch is in, from 0 in the order of switches. */
        private int[] parts() {
            int[] part = SwitchComponents.of(topology);
            int parts = 0;
            for (int at = 0; at < part.length; at++) {
                part[at] = part[at] == at ? parts++ : part[part[at]];
            }
            return part;
        }
    }
}
