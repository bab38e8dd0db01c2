/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.map;

import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.map.FabricMap.Cell;
import dev.fabricoperator.fabric.map.FabricMap.Edge;
import dev.fabricoperator.fabric.map.FabricMap.Row;
import dev.fabricoperator.fabric.map.FabricMap.Section;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Lays a fabric out: which switch is in which cell of which row of which section. */
final class MapBuilder {
    private static final int MOST_CELLS_OF_A_GRID = 4096;
    private static final int COLUMNS = 32;
    private static final int COLUMNS_OF_A_GROUP = 8;
    private static final int LONGEST_NAME = 256;

    /** Sections of switches without a place, and of those above all others. */
    private static final int[] APART = {Integer.MAX_VALUE};

    private static final int[] ABOVE = {-1};

    private final String fabric;
    private final FabricModel model;
    private final Topology topology;
    private final Classification classification;
    private final RemarkPlaces places;
    private final List<Remark> remarks;
    private final @Nullable JobRanks job;
    private final boolean grid;
    private final @Nullable String[] names;
    private final int[] devices;
    private final int[] ranks;
    private final List<Set<String>> hosts = new ArrayList<>();
    private final List<Set<String>> rankHosts = new ArrayList<>();
    private final int[] cellOf;
    private final List<Cell> cells = new ArrayList<>();

    MapBuilder(
            String fabric,
            FabricModel model,
            Collection<Switch> switches,
            List<Remark> remarks,
            @Nullable JobRanks job) {
        this.fabric = fabric;
        this.model = model;
        this.remarks = remarks;
        this.job = job;
        topology = model.topology();
        classification = model.classification();
        places = new RemarkPlaces(topology, switches, remarks);
        grid = switch (classification.kind()) {
            case Torus, Mesh, HyperX, Dragonfly -> true;
            case FatTree, RailOptimized, DragonflyPlus, Irregular, Flat -> false;
        };
        names = new String[topology.switches()];
        devices = new int[topology.switches()];
        ranks = new int[topology.switches()];
        cellOf = new int[topology.switches()];
        for (Switch one : switches) {
            int at = topology.switchIndex(one.id());
            if (at >= 0 && one.name() != null && !one.name().isBlank()) {
                names[at] = DisplayText.shown(one.name().strip(), LONGEST_NAME);
            }
        }
        countDevices();
        placeRanks();
    }

    private void countDevices() {
        for (int at = 0; at < devices.length; at++) {
            hosts.add(new TreeSet<>());
            rankHosts.add(new TreeSet<>());
        }
        for (int end = 0; end < topology.ends(); end++) {
            int at = topology.endSwitch(end);
            if (at >= 0) {
                devices[at]++;
                String host = topology.endHost(end);
                hosts.get(at).add(DisplayText.shown(host == null ? topology.endId(end) : host, LONGEST_NAME));
            }
        }
    }

    private void placeRanks() {
        for (JobRanks.OnHost host : job == null ? List.<JobRanks.OnHost>of() : job.hosts()) {
            Set<Integer> at = new TreeSet<>();
            for (int slot : host.slots()) {
                int end = model.isUsed(slot) ? topology.endOfSlot(slot) : -1;
                if (end >= 0 && topology.endSwitch(end) >= 0) {
                    at.add(topology.endSwitch(end));
                }
            }
            at.forEach(one -> {
                ranks[one] += host.ranks();
                rankHosts.get(one).add(DisplayText.shown(host.host(), LONGEST_NAME));
            });
        }
    }

    FabricMap build() {
        if (topology.switches() == 0) {
            return new FabricMap(fabric, model, List.of(withoutSwitches()), List.of(), remarks, job);
        }
        SortedMap<int[], List<Integer>> bySection = new TreeMap<>(Arrays::compare);
        int[][] sectionOf = sections();
        for (int at = 0; at < topology.switches(); at++) {
            bySection.computeIfAbsent(sectionOf[at], s -> new ArrayList<>()).add(at);
        }
        boolean fold = topology.switches() > (grid ? MOST_CELLS_OF_A_GRID : FabricMap.ALL_DRAWN);
        List<Section> sections = new ArrayList<>();
        List<Integer> left = new ArrayList<>();
        int sectionsLeft = 0;
        boolean many = fold && bySection.size() > FabricMap.MOST_SECTIONS;
        for (Map.Entry<int[], List<Integer>> each : bySection.entrySet()) {
            boolean ordinary = each.getKey() != ABOVE && each.getKey() != APART;
            if (many && ordinary && each.getValue().stream().noneMatch(this::isTold)) {
                left.addAll(each.getValue());
                sectionsLeft++;
            } else {
                String label = label(each.getKey(), bySection.size());
                sections.add(section(label, each.getKey() == ABOVE, each.getValue(), fold));
            }
        }
        if (sectionsLeft > 0) {
            sections.add(section(
                    DisplayText.count(sectionsLeft, sectionWord() + " more", sectionWord() + "s more"),
                    false,
                    left,
                    true));
        }
        return new FabricMap(fabric, model, sections, edges(), remarks, job);
    }

    private Section withoutSwitches() {
        Set<String> all = new TreeSet<>();
        for (int end = 0; end < topology.ends(); end++) {
            String host = topology.endHost(end);
            all.add(DisplayText.shown(host == null ? topology.endId(end) : host, LONGEST_NAME));
        }
        Set<String> withRanks = new TreeSet<>();
        if (job != null) {
            job.hosts().forEach(host -> withRanks.add(DisplayText.shown(host.host(), LONGEST_NAME)));
        }
        Cell cell = new Cell(
                0,
                "no switch is known",
                true,
                0,
                List.of(),
                List.of(),
                topology.ends(),
                job == null ? 0 : job.ranks(),
                List.copyOf(all),
                List.copyOf(withRanks),
                remarks);
        return new Section("", false, false, List.of(new Row("", List.of(cell))));
    }

    private boolean isTold(int at) {
        return ranks[at] > 0 || !places.ofSwitch(at).isEmpty();
    }

    /** The numbers by which a switch's section is known: axes that are not drawn within it. */
    private int[][] sections() {
        int[][] axes = classification.axes();
        int axisCount = switch (classification.kind()) {
            case FatTree -> axes.length >= 2 ? 1 : 0;
            case RailOptimized, Dragonfly, DragonflyPlus -> 1;
            case Torus, Mesh, HyperX -> Math.max(0, axes.length - 2);
            case Irregular, Flat -> 0;
        };
        int[][] sections = new int[topology.switches()][];
        for (int at = 0; at < sections.length; at++) {
            int[] numbers = new int[axisCount];
            boolean known = axes.length >= axisCount;
            for (int axis = 0; known && axis < axisCount; axis++) {
                numbers[axis] = axes[axis][at];
                known = numbers[axis] >= 0;
            }
            boolean inReach = classification.levelOfSwitch()[at] >= 1;
            boolean own = classification.levelOfSwitch()[at] == 1 || grid;
            sections[at] = axisCount == 0 && (inReach || grid) ? numbers : own && known ? numbers : APART;
        }
        if (axisCount > 0 && !grid) {
            liftInnerSwitches(sections);
        }
        return sections;
    }

    /** What only one section is below of belongs to it, and what several are below of is above them. */
    private void liftInnerSwitches(int[][] sections) {
        int[] levels = classification.levelOfSwitch();
        int highest = Arrays.stream(levels).max().orElse(1);
        for (int level = 2; level <= highest; level++) {
            for (int at = 0; at < levels.length; at++) {
                if (levels[at] == level) {
                    sections[at] = commonBelow(at, sections);
                }
            }
        }
    }

    private int[] commonBelow(int at, int[][] sections) {
        int[] levels = classification.levelOfSwitch();
        int[] common = null;
        for (int n = topology.firstNeighbor(at); n < topology.firstNeighbor(at + 1); n++) {
            int below = topology.neighbor(n);
            if (levels[below] >= 1 && levels[below] < levels[at]) {
                if (common != null && !Arrays.equals(common, sections[below])) {
                    return ABOVE;
                }
                common = sections[below];
            }
        }
        return common == null ? APART : common;
    }

    private String sectionWord() {
        return switch (classification.kind()) {
            case FatTree -> "pod";
            case RailOptimized -> "unit";
            case Dragonfly, DragonflyPlus -> "group";
            case Torus, Mesh, HyperX -> "slice";
            case Irregular, Flat -> "part";
        };
    }

    private String label(int[] section, int all) {
        if (section == ABOVE) {
            return "above all " + sectionWord() + "s";
        }
        if (section == APART) {
            return "in no " + sectionWord();
        }
        return all == 1 || section.length == 0
                ? ""
                : sectionWord() + " "
                        + Arrays.stream(section).mapToObj(String::valueOf).collect(Collectors.joining(","));
    }

    private Section section(String label, boolean above, List<Integer> switches, boolean fold) {
        return grid && !fold
                ? new Section(label, true, above, grid(switches))
                : new Section(label, grid, above, levels(switches, fold));
    }

    private List<Row> levels(List<Integer> switches, boolean fold) {
        SortedMap<Integer, List<Integer>> byLevel = new TreeMap<>(Comparator.reverseOrder());
        for (int at : switches) {
            byLevel.computeIfAbsent(classification.levelOfSwitch()[at], level -> new ArrayList<>())
                    .add(at);
        }
        List<Row> rows = new ArrayList<>();
        byLevel.forEach((level, all) -> {
            all.sort(Comparator.comparing(this::address, Arrays::compare)
                    .thenComparing(this::shownName)
                    .thenComparing(topology::switchId));
            List<Integer> quiet = all.stream().filter(at -> !isTold(at)).toList();
            boolean counted = fold && quiet.size() > 1;
            List<Cell> row = new ArrayList<>();
            for (int at : all) {
                if (!counted || isTold(at)) {
                    row.add(cell(List.of(at), false, row.size()));
                }
            }
            if (counted) {
                row.add(cell(quiet, true, row.size()));
            }
            rows.add(new Row(level < 1 ? "no device in reach" : "level " + level, row));
        });
        return rows;
    }

    private int[] address(int at) {
        int[][] axes = classification.axes();
        int[] address = new int[axes.length];
        for (int axis = 0; axis < address.length; axis++) {
            address[axis] = axes[axis][at];
        }
        return address;
    }

    private String shownName(int at) {
        String name = names[at];
        return name == null ? DisplayText.shown(topology.switchId(at), LONGEST_NAME) : name;
    }

    /** With the last axis across, or the switches of a group one after the other. */
    private List<Row> grid(List<Integer> switches) {
        int[][] axes = classification.axes();
        boolean group = classification.kind() == FabricKind.Dragonfly;
        SortedMap<Integer, SortedMap<Integer, Integer>> at = new TreeMap<>();
        List<Integer> ordered = new ArrayList<>(switches);
        ordered.sort(Comparator.comparing(this::address, Arrays::compare).thenComparing(topology::switchId));
        int next = 0;
        for (int one : ordered) {
            boolean placed = !group
                    && axes.length >= 2
                    && isDrawn(axes[axes.length - 1][one])
                    && isDrawn(axes[axes.length - 2][one]);
            int columns = group ? COLUMNS_OF_A_GROUP : COLUMNS;
            int row = placed ? axes[axes.length - 2][one] : next / columns;
            int column = placed ? axes[axes.length - 1][one] : next % columns;
            next++;
            SortedMap<Integer, Integer> cellsOfRow = at.computeIfAbsent(row, r -> new TreeMap<>());
            // Two at one place are drawn side by side.
            while (cellsOfRow.putIfAbsent(column, one) != null) {
                column++;
            }
        }
        List<Row> rows = new ArrayList<>();
        int last = at.isEmpty() ? -1 : at.lastKey();
        for (int row = 0; row <= last; row++) {
            List<Cell> made = new ArrayList<>();
            at.getOrDefault(row, new TreeMap<>()).forEach((column, one) -> made.add(cell(List.of(one), false, column)));
            rows.add(new Row("", made));
        }
        return rows;
    }

    /** Numbers that were kept from long ago may be any. */
    private static boolean isDrawn(int number) {
        return number >= 0 && number < MOST_CELLS_OF_A_GRID;
    }

    private Cell cell(List<Integer> switches, boolean folded, int column) {
        int id = cells.size();
        List<String> named = new ArrayList<>();
        Set<String> allHosts = new LinkedHashSet<>();
        Set<String> withRanks = new TreeSet<>();
        Set<Remark> remarks = new LinkedHashSet<>();
        int allDevices = 0;
        int allRanks = 0;
        for (int at : switches) {
            cellOf[at] = id;
            String name = names[at];
            if (name != null) {
                named.add(name);
            }
            allHosts.addAll(hosts.get(at));
            withRanks.addAll(rankHosts.get(at));
            remarks.addAll(places.ofSwitch(at));
            allDevices += devices[at];
            allRanks += ranks[at];
        }
        Cell made = new Cell(
                id,
                folded ? DisplayText.count(switches.size(), "switch", "switches") : shownName(switches.getFirst()),
                folded,
                column,
                switches.stream()
                        .map(at -> DisplayText.shown(topology.switchId(at), LONGEST_NAME))
                        .toList(),
                named,
                allDevices,
                allRanks,
                List.copyOf(allHosts),
                List.copyOf(withRanks),
                List.copyOf(remarks));
        cells.add(made);
        return made;
    }

    private List<Edge> edges() {
        SortedMap<RemarkPlaces.Pair, Integer> cables = new TreeMap<>();
        for (int at = 0; at < topology.switches(); at++) {
            for (int n = topology.firstNeighbor(at); n < topology.firstNeighbor(at + 1); n++) {
                int far = topology.neighbor(n);
                if (far > at && cellOf[at] != cellOf[far]) {
                    cables.merge(
                            RemarkPlaces.Pair.of(cellOf[at], cellOf[far]), topology.neighborCables(n), Integer::sum);
                }
            }
        }
        SortedMap<RemarkPlaces.Pair, List<Remark>> remarks = new TreeMap<>();
        places.ofPair().forEach((pair, remarksOfPair) -> {
            if (cellOf[pair.low()] != cellOf[pair.high()]) {
                remarks.computeIfAbsent(
                                RemarkPlaces.Pair.of(cellOf[pair.low()], cellOf[pair.high()]), p -> new ArrayList<>())
                        .addAll(remarksOfPair);
            }
        });
        remarks.keySet().forEach(pair -> cables.putIfAbsent(pair, 0));
        List<Edge> edges = new ArrayList<>(cables.size());
        cables.forEach((pair, count) ->
                edges.add(new Edge(pair.low(), pair.high(), count, remarks.getOrDefault(pair, List.of()))));
        return edges;
    }
}
