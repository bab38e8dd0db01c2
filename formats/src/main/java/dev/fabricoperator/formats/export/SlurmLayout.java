/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.export;

import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.graph.DisjointSets;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What is written, before it has a form.
 *
 * @param remarks what Slurm cannot be told
 * @param rows switches with what is below them, leaves first; or blocks
 * @param hosts what Slurm calls each host
 * @param blockSize planned nodes of a block; 0 where there are no blocks
 */
record SlurmLayout(List<String> remarks, List<Row> rows, Map<String, String> hosts, int blockSize) {
    /** Share of the usual size below which a block is none of those that jobs are planned for. */
    private static final double SMALL_BLOCK = 0.5;

    private static final int MAX_NAMED = 4;

    private static final int MAX_TRIALS = 8;

    /** @param switches and {@code nodes}: one of them is empty, as Slurm wants it */
    record Row(String name, List<String> switches, List<String> nodes) {}

    /** Cost: O(n log n) time for n switches, cables and devices. */
    static SlurmLayout of(FabricModel model, SlurmOptions options) {
        Builder builder = new Builder(model, options);
        List<Row> rows = switch (options.plugin()) {
            case tree -> options.everySwitch() ? builder.everySwitch() : builder.tree();
            case block -> builder.blocks();
        };
        return new SlurmLayout(builder.remarks(rows), rows, builder.names.hosts(), builder.blockSize);
    }

    /** Of switches, how many parts there are that no switch joins. */
    private static int unjoinedParts(List<Row> rows) {
        Map<String, Integer> numbers = new HashMap<>();
        rows.forEach(row -> numbers.putIfAbsent(row.name(), numbers.size()));
        DisjointSets sets = new DisjointSets(numbers.size());
        int parts = numbers.size();
        for (Row row : rows) {
            for (String below : row.switches()) {
                parts -= sets.join(
                                Objects.requireNonNull(numbers.get(row.name())),
                                Objects.requireNonNull(numbers.get(below)))
                        ? 1
                        : 0;
            }
        }
        return parts;
    }

    private static final class Builder {
        private final FabricModel model;
        private final SlurmOptions options;
        private final Topology topology;
        private final Classification classification;
        private final SlurmNames names;
        private final int plane;
        private final HostPlaces places;
        private final List<String> leftOut = new ArrayList<>();
        private int omittedCables;
        private int blockSize;

        Builder(FabricModel model, SlurmOptions options) {
            this.model = model;
            this.options = options;
            names = new SlurmNames(options.names());
            topology = model.topology();
            if (options.switchNames()) {
                Map<String, String> nameOf = new HashMap<>();
                for (int at = 0; at < topology.switches(); at++) {
                    nameOf.put(topology.switchId(at), topology.switchName(at));
                }
                names.callSwitches(nameOf);
            }
            classification = model.classification();
            plane = Integer.parseInt(
                    options.plane() == null ? model.planes().getFirst().id() : options.plane());
            places = HostPlaces.of(topology, classification, plane, names);
        }

        List<String> remarks(List<Row> rows) {
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
            remark(
                    remarks,
                    names.unnamed(),
                    "switches have no name of their own that Slurm can read, and are called by their ids");
            if (names.withDomain() > 0 && options.names().form() == SlurmNodeNames.Form.FULL) {
                remarks.add(
                        names.withDomain() + " hosts have their domains in their names; where NodeName in slurm.conf is"
                                + " without, Slurm refuses jobs: choose names short");
            }
            int common = model.classification().common().devices();
            remark(remarks, common, "devices lead to what hosts of all units share and do not say where a host is");
            remarks.addAll(model.unresolved());
            if (!leftOut.isEmpty()) {
                remarks.add(leftOut.size() + " hosts in blocks of less than " + blockSize + " are left out, "
                        + (options.version().compareTo(SlurmVersion.SMALL_BLOCKS) < 0
                                ? "since slurmctld before " + SlurmVersion.SMALL_BLOCKS + " may end on such blocks: "
                                : "since they serve all others: ")
                        + leftOut.stream().limit(MAX_NAMED).collect(Collectors.joining(", "))
                        + (leftOut.size() > MAX_NAMED ? " and more" : ""));
            }
            int parts = options.plugin() == SlurmPlugin.tree ? unjoinedParts(rows) : 1;
            if (parts > 1) {
                remarks.add(parts + " parts have no switch in common here: Slurm refuses jobs across them");
            }
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
            blockSize = blockSize(hosts.values());
            boolean small = options.version().compareTo(SlurmVersion.SMALL_BLOCKS) >= 0;
            List<Row> rows = new ArrayList<>();
            hosts.forEach((group, members) -> {
                if (members.size() >= blockSize || small) {
                    rows.add(new Row(names.madeUp("group-" + group), List.of(), members));
                } else {
                    leftOut.addAll(members);
                }
            });
            return rows;
        }

        /** Of the blocks that have at least half as many hosts as the one in which the median host is, the smallest. */
        private static int blockSize(Collection<List<String>> blocks) {
            int[] sizeOfHost = blocks.stream()
                    .flatMapToInt(hosts -> IntStream.generate(hosts::size).limit(hosts.size()))
                    .sorted()
                    .toArray();
            int usual = sizeOfHost.length == 0 ? 0 : sizeOfHost[sizeOfHost.length / 2];
            return blocks.stream()
                    .mapToInt(List::size)
                    .filter(size -> size >= SMALL_BLOCK * usual)
                    .min()
                    .orElse(0);
        }

        /**
         * Every switch with its neighbours that are nearer to hosts, if hosts are below it at all. Switches with few hosts may be
         * spines: they are tried as such, fewest hosts first, and what leaves fewest parts unjoined is taken. Hosts of a spine get a
         * made-up switch of their own below it, since Slurm has either switches or nodes below a switch.
         */
        List<Row> everySwitch() {
            Map<Integer, List<String>> hosts = hostsBySwitch();
            int[] counts = hosts.values().stream().mapToInt(List::size).sorted().toArray();
            int usual = counts.length == 0 ? 0 : counts[counts.length / 2];
            TreeSet<Integer> trials = new TreeSet<>(Set.of(0));
            for (int count : counts) {
                if (count <= SMALL_BLOCK * usual && trials.size() < MAX_TRIALS) {
                    trials.add(count);
                }
            }
            int fewest = Integer.MAX_VALUE;
            int few = 0;
            int[] parts = BreadthFirst.components(topology);
            for (int trial : trials) {
                int unjoined = unjoined(levels(hosts, trial), hosts, parts);
                if (unjoined < fewest) {
                    fewest = unjoined;
                    few = trial;
                }
            }
            return everySwitch(hosts, levels(hosts, few));
        }

        /** Hops from the nearest switch that holds more than a few hosts, which is on level 1; -1 out of reach. */
        private int[] levels(Map<Integer, List<String>> hosts, int few) {
            return BreadthFirst.levels(
                    topology, s -> hosts.getOrDefault(s, List.of()).size() > few);
        }

        private boolean isOnPlane(int s) {
            int on = classification.planeOfSwitch()[s];
            return on == plane || on < 0;
        }

        /** Switches with hosts that no way up and down joins with the first one of their part. */
        private int unjoined(int[] levels, Map<Integer, List<String>> hosts, int[] parts) {
            int[] joined = BreadthFirst.components(topology, s -> true, (from, entry) -> {
                int to = topology.neighbor(entry);
                return levels[from] != levels[to] && isOnPlane(from) && isOnPlane(to);
            });
            Map<Integer, Set<Integer>> pieces = new HashMap<>();
            hosts.keySet()
                    .forEach(s -> pieces.computeIfAbsent(parts[s], p -> new HashSet<>())
                            .add(joined[s]));
            return pieces.values().stream().mapToInt(Set::size).sum();
        }

        private List<Row> everySwitch(Map<Integer, List<String>> hosts, int[] levels) {
            List<Integer> ascending = new ArrayList<>();
            for (int s = 0; s < topology.switches(); s++) {
                if (levels[s] > 0 && isOnPlane(s)) {
                    ascending.add(s);
                }
            }
            ascending.sort((a, b) -> Integer.compare(levels[a], levels[b]));
            Set<Integer> written = new HashSet<>();
            List<Row> rows = new ArrayList<>();
            Map<Integer, String> hostsOfSpine = new HashMap<>();
            for (int s : ascending) {
                List<String> nodes = hosts.getOrDefault(s, List.of());
                if (levels[s] > 1 && !nodes.isEmpty()) {
                    String own = names.madeUp(names.ofSwitch(topology.switchId(s)) + "-hosts");
                    rows.add(new Row(own, List.of(), nodes));
                    hostsOfSpine.put(s, own);
                }
            }
            for (int s : ascending) {
                List<String> nodes = levels[s] == 1 ? hosts.getOrDefault(s, List.of()) : List.of();
                List<String> below = levels[s] == 1 ? new ArrayList<>() : below(s, levels, written);
                hostsOfSpine.forEach((spine, own) -> {
                    if (levels[spine] == levels[s] && (spine == s || meetBelow(spine, s, levels))) {
                        below.add(own);
                    }
                });
                if (!nodes.isEmpty() || !below.isEmpty()) {
                    written.add(s);
                    rows.add(new Row(names.ofSwitch(topology.switchId(s)), below, nodes));
                }
            }
            return rows;
        }

        /** Whether two switches of one level have a switch in common that is nearer to hosts: then each reaches the other's hosts. */
        private boolean meetBelow(int one, int other, int[] levels) {
            for (int n = topology.firstNeighbor(one); n < topology.firstNeighbor(one + 1); n++) {
                int lower = topology.neighbor(n);
                for (int m = topology.firstNeighbor(other); m < topology.firstNeighbor(other + 1); m++) {
                    if (levels[lower] < levels[one] && topology.neighbor(m) == lower) {
                        return true;
                    }
                }
            }
            return false;
        }

        private List<String> below(int at, int[] levels, Set<Integer> written) {
            List<String> below = new ArrayList<>();
            for (int n = topology.firstNeighbor(at); n < topology.firstNeighbor(at + 1); n++) {
                int neighbor = topology.neighbor(n);
                int lower = levels[neighbor] - levels[at];
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
            int[] part = BreadthFirst.components(topology);
            int parts = 0;
            for (int at = 0; at < part.length; at++) {
                part[at] = part[at] == at ? parts++ : part[part[at]];
            }
            return part;
        }
    }
}
