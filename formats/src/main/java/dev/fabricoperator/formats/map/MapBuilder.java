/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.map;

import dev.fabricoperator.fabric.cabling.DisplayText;
import dev.fabricoperator.fabric.cabling.NaturalOrder;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.finding.GroupNames;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.formats.map.FabricMap.Bundle;
import dev.fabricoperator.formats.map.FabricMap.Cell;
import dev.fabricoperator.formats.map.FabricMap.Edge;
import dev.fabricoperator.formats.map.FabricMap.Gap;
import dev.fabricoperator.formats.map.FabricMap.Row;
import dev.fabricoperator.formats.map.FabricMap.Section;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Lays a fabric out: which switch is in which cell of which row of which section. */
final class MapBuilder {
    private static final int MOST_CELLS_OF_A_GRID = 4096;
    private static final int COLUMNS = 32;
    private static final int COLUMNS_OF_A_GROUP = 8;
    /** Of so many switches a group of a dragonfly is drawn by their names. */
    private static final int SMALL_GROUP = 16;

    /** Sections of switches without a place, and of those above all others. */
    private static final int[] APART = {Integer.MAX_VALUE};

    private static final int[] ABOVE = {-1};

    private final String fabric;
    private final FabricModel model;
    private final Topology topology;
    private final Classification classification;
    private final GroupNames groupNames;
    private final RemarkPlaces places;
    private final List<Remark> remarks;
    private final @Nullable JobRanks job;
    private final @Nullable MapTraffic traffic;
    private final boolean grid;
    private final @Nullable String[] names;
    private final int[] devices;
    private final int[] ranks;
    private final List<Set<String>> hosts = new ArrayList<>();
    private final List<Set<String>> rankHosts = new ArrayList<>();
    private final List<List<RankRange>> rankNumbers = new ArrayList<>();
    private final boolean small;
    /** Whether a switch is left out: what a job sends does not pass it. */
    private final boolean[] notUsed;
    /** By port of a switch. */
    private final Map<PortPeer, MapTraffic.Link> links = new HashMap<>();

    private int[] cellOf;
    private List<Cell> cells = new ArrayList<>();
    private @Nullable FabricMap whole;

    MapBuilder(
            String fabric,
            FabricModel model,
            Collection<Switch> switches,
            List<Remark> remarks,
            @Nullable JobRanks job,
            @Nullable MapTraffic traffic) {
        this.traffic = traffic;
        this.fabric = fabric;
        this.model = model;
        this.remarks = remarks;
        this.job = job;
        topology = model.topology();
        classification = model.classification();
        groupNames = GroupNames.of(topology, classification);
        places = new RemarkPlaces(topology, switches, remarks);
        grid = switch (classification.kind()) {
            case Torus, Mesh, HyperX, Dragonfly -> true;
            case FatTree, RailOptimized, DragonflyPlus, Irregular, Flat -> false;
        };
        small = classification.kind() == FabricKind.Dragonfly && isOfSmallGroups();
        names = new String[topology.switches()];
        devices = new int[topology.switches()];
        ranks = new int[topology.switches()];
        cellOf = new int[topology.switches()];
        for (Switch one : switches) {
            int at = topology.switchIndex(one.id());
            if (at >= 0 && one.name() != null && !one.name().isBlank()) {
                names[at] = DisplayText.shown(one.name().strip(), FabricMap.LONGEST_NAME);
            }
        }
        countDevices();
        placeRanks();
        notUsed = new boolean[topology.switches()];
        if (traffic != null) {
            Arrays.fill(notUsed, true);
            traffic.links().forEach(this::use);
            for (int at = 0; at < ranks.length; at++) {
                notUsed[at] = notUsed[at] && ranks[at] == 0;
            }
        }
    }

    private void use(MapTraffic.Link link) {
        int at = topology.switchIndex(link.switchId());
        if (at >= 0) {
            notUsed[at] = false;
            links.put(new PortPeer(link.switchId(), link.port()), link);
        }
    }

    private boolean isOfSmallGroups() {
        Map<Integer, Integer> sizes = new HashMap<>();
        for (int group : classification.groupOfSwitch()) {
            sizes.merge(group, 1, Integer::sum);
        }
        return sizes.values().stream().allMatch(size -> size <= SMALL_GROUP);
    }

    private void countDevices() {
        for (int at = 0; at < devices.length; at++) {
            hosts.add(new TreeSet<>());
            rankHosts.add(new TreeSet<>());
            rankNumbers.add(new ArrayList<>());
        }
        for (int end = 0; end < topology.ends(); end++) {
            int at = topology.endSwitch(end);
            if (at >= 0) {
                devices[at]++;
                hosts.get(at).add(FabricMap.hostOf(topology, end));
            }
        }
    }

    private void placeRanks() {
        for (JobRanks.OnHost host : job == null ? List.<JobRanks.OnHost>of() : job.hosts()) {
            List<RankRange> numbers =
                    traffic == null ? List.of() : traffic.ranks().getOrDefault(host.host(), List.of());
            Set<Integer> at = new TreeSet<>();
            for (int slot : host.slots()) {
                int end = model.isUsed(slot) ? topology.endOfSlot(slot) : -1;
                if (end >= 0 && topology.endSwitch(end) >= 0) {
                    at.add(topology.endSwitch(end));
                }
            }
            at.forEach(one -> {
                ranks[one] += host.ranks();
                rankNumbers.get(one).addAll(numbers);
                rankHosts.get(one).add(DisplayText.shown(host.host(), FabricMap.LONGEST_NAME));
            });
        }
    }

    FabricMap build() {
        int most = grid ? MOST_CELLS_OF_A_GRID : FabricMap.ALL_DRAWN;
        FabricMap made = build(most);
        if (grid || topology.switches() <= most) {
            whole = made;
        }
        return made;
    }

    private synchronized FabricMap whole() {
        FabricMap known = whole;
        if (known == null) {
            cells = new ArrayList<>();
            cellOf = new int[topology.switches()];
            known = build(MOST_CELLS_OF_A_GRID);
            whole = known;
        }
        return known;
    }

    /** @param most switches that are all drawn */
    private FabricMap build(int most) {
        if (topology.switches() == 0) {
            return map(List.of(withoutSwitches()), List.of(), List.of(), 0);
        }
        SortedMap<int[], List<Integer>> bySection = new TreeMap<>(Arrays::compare);
        int[][] sectionOf = sections();
        int notDrawn = 0;
        for (int at = 0; at < topology.switches(); at++) {
            if (notUsed[at]) {
                cellOf[at] = -1;
                notDrawn++;
            } else {
                bySection.computeIfAbsent(sectionOf[at], s -> new ArrayList<>()).add(at);
            }
        }
        boolean fold = topology.switches() > most;
        List<Part> parts = new ArrayList<>();
        bySection.forEach((place, switches) -> parts.add(part(place, switches, bySection.size())));
        if (parts.stream()
                .allMatch(part -> !part.isOrdinary() || part.group() >= 0 && groupNames.isNamed(part.group()))) {
            // The order of the names, and not of the numbers, which nobody sees.
            parts.sort(Comparator.comparing((Part part) -> part.place() == ABOVE ? 0 : part.place() == APART ? 2 : 1)
                    .thenComparing(Part::label, NaturalOrder.INSTANCE));
        }
        List<Section> sections = new ArrayList<>();
        List<Integer> left = new ArrayList<>();
        int sectionsLeft = 0;
        int[] sectionOfGroup = new int[classification.groups()];
        Arrays.fill(sectionOfGroup, -1);
        boolean many = fold && bySection.size() > FabricMap.MOST_SECTIONS;
        for (Part part : parts) {
            List<Remark> remarksOfPart = part.group() < 0 ? List.of() : places.ofGroup(part.group());
            if (many
                    && part.isOrdinary()
                    && remarksOfPart.isEmpty()
                    && part.switches().stream().noneMatch(this::isTold)) {
                left.addAll(part.switches());
                sectionsLeft++;
            } else {
                if (part.group() >= 0) {
                    sectionOfGroup[part.group()] = sections.size();
                }
                sections.add(section(part, remarksOfPart, fold));
            }
        }
        if (sectionsLeft > 0) {
            String label = DisplayText.count(sectionsLeft, sectionWord() + " more", sectionWord() + "s more");
            sections.add(section(new Part(APART, label, -1, left), List.of(), true));
        }
        List<Edge> edges = edges();
        // Links that carry something are drawn one by one.
        List<Bundle> bundles = traffic == null ? bundles(sections, edges, sectionOfGroup) : List.of();
        return map(sections, edges, bundles, notDrawn);
    }

    private FabricMap map(List<Section> sections, List<Edge> edges, List<Bundle> bundles, int notDrawn) {
        return new FabricMap(fabric, model, sections, edges, bundles, remarks, job, notDrawn, cellOf, this::whole);
    }

    /**
     * What becomes a section.
     *
     * @param group that it is; -1 where it is none, or several
     */
    private record Part(int[] place, String label, int group, List<Integer> switches) {
        boolean isOrdinary() {
            return place != ABOVE && place != APART;
        }
    }

    private Part part(int[] place, List<Integer> switches, int all) {
        List<Integer> groups = all == 1 || place == ABOVE || place == APART
                ? List.of()
                : switches.stream()
                        .filter(at -> classification.levelOfSwitch()[at] >= 1)
                        .map(at -> classification.groupOfSwitch()[at])
                        .filter(group -> group >= 0)
                        .distinct()
                        .toList();
        int group = groups.size() == 1 ? groups.getFirst() : -1;
        return new Part(place, label(place, group, all), group, switches);
    }

    private List<Bundle> bundles(List<Section> sections, List<Edge> edges, int[] sectionOfGroup) {
        int[] sectionOf = new int[cells.size()];
        for (int s = 0; s < sections.size(); s++) {
            for (Cell cell : sections.get(s).cells()) {
                sectionOf[cell.id()] = s;
            }
        }
        SortedMap<RemarkPlaces.Pair, Integer> cables = new TreeMap<>();
        SortedMap<RemarkPlaces.Pair, Set<Remark>> about = new TreeMap<>();
        for (Edge edge : edges) {
            if (sectionOf[edge.from()] != sectionOf[edge.to()]) {
                RemarkPlaces.Pair pair = RemarkPlaces.Pair.of(sectionOf[edge.from()], sectionOf[edge.to()]);
                cables.merge(pair, edge.cables(), Integer::sum);
                about.computeIfAbsent(pair, p -> new LinkedHashSet<>()).addAll(edge.remarks());
            }
        }
        places.betweenGroups().forEach((groups, remarksOfPair) -> {
            int one = groups.low() < sectionOfGroup.length ? sectionOfGroup[groups.low()] : -1;
            int other = groups.high() < sectionOfGroup.length ? sectionOfGroup[groups.high()] : -1;
            if (one >= 0 && other >= 0 && one != other) {
                RemarkPlaces.Pair pair = RemarkPlaces.Pair.of(one, other);
                cables.putIfAbsent(pair, 0);
                about.computeIfAbsent(pair, p -> new LinkedHashSet<>()).addAll(remarksOfPair);
            }
        });
        List<Bundle> bundles = new ArrayList<>();
        cables.forEach((pair, count) -> bundles.add(
                new Bundle(pair.low(), pair.high(), count, List.copyOf(about.getOrDefault(pair, Set.of())))));
        return bundles;
    }

    private Section withoutSwitches() {
        Set<String> all = new TreeSet<>();
        for (int end = 0; end < topology.ends(); end++) {
            all.add(FabricMap.hostOf(topology, end));
        }
        Set<String> withRanks = new TreeSet<>();
        if (job != null) {
            job.hosts().forEach(host -> withRanks.add(DisplayText.shown(host.host(), FabricMap.LONGEST_NAME)));
        }
        Cell cell = new Cell(
                0,
                "no switch is known",
                true,
                0,
                -1,
                List.of(),
                List.of(),
                topology.ends(),
                job == null ? 0 : job.ranks(),
                List.of(),
                List.copyOf(all),
                List.copyOf(withRanks),
                remarks);
        cells.add(cell);
        return new Section("", false, false, false, List.of(new Row("", List.of(cell))), List.of(), List.of());
    }

    private boolean isTold(int at) {
        return traffic != null || ranks[at] > 0 || !places.ofSwitch(at).isEmpty();
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
        return sectionWord(classification.kind());
    }

    static String sectionWord(FabricKind kind) {
        return switch (kind) {
            case FatTree -> "pod";
            case RailOptimized -> "unit";
            case Dragonfly, DragonflyPlus -> "group";
            case Torus, Mesh, HyperX -> "slice";
            case Irregular, Flat -> "part";
        };
    }

    /** A group as the site calls it, where it has a name. */
    private String label(int[] section, int group, int all) {
        if (section == ABOVE) {
            return "above all " + sectionWord() + "s";
        }
        if (section == APART) {
            return "in no " + sectionWord();
        }
        if (all == 1 || section.length == 0) {
            return "";
        }
        return group >= 0 && groupNames.isNamed(group)
                ? DisplayText.shown(groupNames.words(group), FabricMap.LONGEST_NAME)
                : sectionWord() + " "
                        + Arrays.stream(section).mapToObj(String::valueOf).collect(Collectors.joining(","));
    }

    private Section section(Part part, List<Remark> remarksOfPart, boolean fold) {
        boolean above = part.place() == ABOVE;
        if (!grid || fold || small) {
            return new Section(
                    part.label(),
                    grid && !small,
                    false,
                    above,
                    levels(part.switches(), fold),
                    List.of(),
                    remarksOfPart);
        }
        boolean placed = classification.kind() != FabricKind.Dragonfly
                && classification.axes().length >= 2
                && part.switches().stream().allMatch(this::hasPlace);
        return new Section(
                part.label(),
                true,
                placed,
                above,
                grid(part.switches()),
                placed ? gaps(part.place()) : List.of(),
                remarksOfPart);
    }

    private List<Gap> gaps(int[] slice) {
        int[][] axes = classification.axes();
        int rows = Arrays.stream(axes[axes.length - 2]).max().orElse(-1);
        int columns = Arrays.stream(axes[axes.length - 1]).max().orElse(-1);
        List<Gap> gaps = new ArrayList<>();
        for (int row = 0; row <= rows && isDrawn(rows); row++) {
            for (int column = 0; column <= columns && isDrawn(columns); column++) {
                String label = IntStream.concat(Arrays.stream(slice), IntStream.of(row, column))
                        .mapToObj(String::valueOf)
                        .collect(Collectors.joining(","));
                Remark remark = places.ofEmptyPlace(label);
                if (remark != null) {
                    gaps.add(new Gap(row, column, label, remark));
                }
            }
        }
        return gaps;
    }

    private List<Row> levels(List<Integer> switches, boolean fold) {
        SortedMap<Integer, List<Integer>> byLevel = new TreeMap<>(Comparator.reverseOrder());
        for (int at : switches) {
            byLevel.computeIfAbsent(classification.levelOfSwitch()[at], level -> new ArrayList<>())
                    .add(at);
        }
        List<Row> rows = new ArrayList<>();
        byLevel.forEach((level, all) -> {
            all.sort(order(all));
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
            rows.add(new Row(level < 1 ? "no device in reach" : small ? "" : "level " + level, row));
        });
        return rows;
    }

    /** By names, as people count; by coordinates where not all have a name. */
    private Comparator<Integer> order(List<Integer> switches) {
        Comparator<Integer> byName =
                Comparator.comparing(this::shownName, NaturalOrder.INSTANCE).thenComparing(topology::switchId);
        return switches.stream().allMatch(at -> names[at] != null)
                ? byName
                : Comparator.comparing(this::address, Arrays::compare).thenComparing(byName);
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
        return name == null ? DisplayText.shown(topology.switchId(at), FabricMap.LONGEST_NAME) : name;
    }

    /** With the last axis across, or the switches of a group one after the other. */
    private List<Row> grid(List<Integer> switches) {
        int[][] axes = classification.axes();
        boolean group = classification.kind() == FabricKind.Dragonfly;
        SortedMap<Integer, SortedMap<Integer, Integer>> at = new TreeMap<>();
        List<Integer> ordered = new ArrayList<>(switches);
        ordered.sort(
                group
                        ? order(switches)
                        : Comparator.comparing(this::address, Arrays::compare).thenComparing(topology::switchId));
        int next = 0;
        for (int one : ordered) {
            boolean placed = !group && hasPlace(one);
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

    private boolean hasPlace(int at) {
        int[][] axes = classification.axes();
        return axes.length >= 2 && isDrawn(axes[axes.length - 1][at]) && isDrawn(axes[axes.length - 2][at]);
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
                plane(switches),
                switches.stream()
                        .map(at -> DisplayText.shown(topology.switchId(at), FabricMap.LONGEST_NAME))
                        .toList(),
                named,
                allDevices,
                allRanks,
                numbers(switches, allRanks),
                List.copyOf(allHosts),
                List.copyOf(withRanks),
                List.copyOf(remarks));
        cells.add(made);
        return made;
    }

    /** None where they are not those of all ranks that are there: some pod has told nothing, or told it elsewhere. */
    private List<RankRange> numbers(List<Integer> switches, int all) {
        List<RankRange> joined = RankRange.joined(
                switches.stream().flatMap(at -> rankNumbers.get(at).stream()).toList());
        return joined.stream().mapToLong(RankRange::count).sum() == all ? joined : List.of();
    }

    private int plane(List<Integer> switches) {
        int plane = classification.planeOfSwitch()[switches.getFirst()];
        return switches.stream().allMatch(at -> classification.planeOfSwitch()[at] == plane) ? plane : -1;
    }

    private List<Edge> edges() {
        SortedMap<RemarkPlaces.Pair, Integer> cables = new TreeMap<>();
        Map<RemarkPlaces.Pair, Load> loads = new HashMap<>();
        for (int at = 0; at < topology.switches(); at++) {
            for (int n = topology.firstNeighbor(at); n < topology.firstNeighbor(at + 1); n++) {
                int far = topology.neighbor(n);
                if (cellOf[at] < 0 || cellOf[far] < 0 || cellOf[at] == cellOf[far]) {
                    continue;
                }
                RemarkPlaces.Pair pair = RemarkPlaces.Pair.of(cellOf[at], cellOf[far]);
                for (int i = 0; i < topology.neighborCables(n); i++) {
                    MapTraffic.Link link = links.get(
                            new PortPeer(topology.switchId(at), topology.cablePort(topology.firstCable(n) + i)));
                    if (link != null) {
                        loads.merge(pair, new Load(link.bytesPerSecond(), link.hot()), Load::plus);
                    }
                }
                if (far > at) {
                    cables.merge(pair, topology.neighborCables(n), Integer::sum);
                }
            }
        }
        SortedMap<RemarkPlaces.Pair, List<Remark>> remarks = new TreeMap<>();
        places.ofPair().forEach((pair, remarksOfPair) -> {
            if (cellOf[pair.low()] >= 0 && cellOf[pair.high()] >= 0 && cellOf[pair.low()] != cellOf[pair.high()]) {
                remarks.computeIfAbsent(
                                RemarkPlaces.Pair.of(cellOf[pair.low()], cellOf[pair.high()]), p -> new ArrayList<>())
                        .addAll(remarksOfPair);
            }
        });
        remarks.keySet().forEach(pair -> cables.putIfAbsent(pair, 0));
        List<Edge> edges = new ArrayList<>(cables.size());
        cables.forEach((pair, count) -> {
            Load load = loads.getOrDefault(pair, Load.NONE);
            edges.add(new Edge(
                    pair.low(),
                    pair.high(),
                    count,
                    remarks.getOrDefault(pair, List.of()),
                    load.bytesPerSecond(),
                    load.hot()));
        });
        return edges;
    }

    /** What the job sends between two cells. */
    private record Load(long bytesPerSecond, boolean hot) {
        static final Load NONE = new Load(0, false);

        Load plus(Load other) {
            return new Load(bytesPerSecond + other.bytesPerSecond, hot || other.hot);
        }
    }
}
