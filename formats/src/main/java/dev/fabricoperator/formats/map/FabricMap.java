/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.map;

import dev.fabricoperator.fabric.cabling.DisplayText;
import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A fabric as it is drawn: sections of rows of cells, each of one switch or of many that there is nothing to tell of.
 *
 * <ul>
 *   <li>Trees (fat, rail-optimised, dragonfly+, irregular) are drawn by level: a section is what the coarsest coordinate tells
 *       apart (pod, scalable unit, group), the switches above all of them are a section of their own, which comes first.
 *   <li>Tori, meshes and HyperX are drawn by coordinates: a section is a slice, with the last axis across and the one before
 *       it down. A section of a dragonfly is a group.
 *   <li>A section of a dragonfly of small groups is drawn by names, as one of a tree is.
 *   <li>Switches that hold no ranks of the job and that nothing is said about are counted in one cell for each level of a
 *       section where a tree has more than {@value #ALL_DRAWN}; so are sections where there are more than
 *       {@value #MOST_SECTIONS}.
 * </ul>
 *
 * <pre>
 * Errors: none; remarks and hosts that are nowhere on the fabric stay in its lists.
 * Cost:   O(n + l) for n devices and switches and l pairs of neighbours.
 * </pre>
 *
 * <p>Immutable, and the same for the same fabric: no output of it depends on the order of input.
 */
public final class FabricMap {
    static final int ALL_DRAWN = 64;
    static final int MOST_SECTIONS = 48;
    static final int LONGEST_NAME = 256;
    /** Finding of a link that may be about to fail. */
    private static final String IMPAIRED = "ImpairedLink";

    private final String fabric;
    private final FabricModel model;
    private final List<Section> sections;
    private final List<Cell> cells;
    private final List<Edge> edges;
    private final List<Bundle> bundles;
    private final List<Remark> remarks;
    private final @Nullable JobRanks job;
    private final int notUsed;
    private final int[] cellOf;
    private final Supplier<FabricMap> whole;

    FabricMap(
            String fabric,
            FabricModel model,
            List<Section> sections,
            List<Edge> edges,
            List<Bundle> bundles,
            List<Remark> remarks,
            @Nullable JobRanks job,
            int notUsed,
            int[] cellOf,
            Supplier<FabricMap> whole) {
        this.fabric = fabric;
        this.model = model;
        this.sections = List.copyOf(sections);
        cells = sections.stream().flatMap(section -> section.cells().stream()).toList();
        this.edges = List.copyOf(edges);
        this.remarks = List.copyOf(remarks);
        this.job = job;
        this.notUsed = notUsed;
        this.bundles = List.copyOf(bundles);
        this.cellOf = cellOf;
        this.whole = whole;
    }

    /**
     * A switch, or several that are counted.
     *
     * @param id position among all cells
     * @param label name of the switch, else its id, or what is counted
     * @param column from 0, the place in its row
     * @param plane that all of the switches are on; -1 where they are on several, or share one
     * @param ids of the switches, ascending
     * @param names of those that have one, in the same order
     * @param ranks of the hosts that have a device here
     * @param rankNumbers of all of them, joined; empty where they are not known
     * @param hosts that have a device here, ascending; a device whose host nobody knows is there by its id
     */
    record Cell(
            int id,
            String label,
            boolean folded,
            int column,
            int plane,
            List<String> ids,
            List<String> names,
            int devices,
            int ranks,
            List<RankRange> rankNumbers,
            List<String> hosts,
            List<String> rankHosts,
            List<Remark> remarks) {
        Cell {
            ids = List.copyOf(ids);
            names = List.copyOf(names);
            rankNumbers = List.copyOf(rankNumbers);
            hosts = List.copyOf(hosts);
            rankHosts = List.copyOf(rankHosts);
            remarks = List.copyOf(remarks);
        }

        /** {@code ranks 0-7, 12}; {@code 9 ranks} where their numbers are not known, {@code 9 ranks: 0-7, …} where they are too many to be shown. */
        String ranksInWords(int most) {
            String count = DisplayText.count(ranks, "rank", "ranks");
            if (rankNumbers.isEmpty()) {
                return count;
            }
            String words = RankRange.words(rankNumbers);
            if (words.length() <= most) {
                return words;
            }
            String all = count + ": " + words.substring(words.indexOf(' ') + 1);
            int cut = all.lastIndexOf(", ", Math.max(0, most - 3));
            return cut < 0 ? count : all.substring(0, cut) + ", …";
        }
    }

    /** @param label {@code level 2}, or empty in a grid */
    record Row(String label, List<Cell> cells) {
        Row {
            cells = List.copyOf(cells);
        }
    }

    /**
     * A place of a grid that has no switch, and should have one.
     *
     * @param label its coordinates
     */
    record Gap(int row, int column, String label, Remark remark) {}

    /**
     * @param label empty for the only one
     * @param grid whether cells are small and stand in columns
     * @param placed whether rows and columns are coordinates
     * @param above whether it is above the others
     * @param remarks about it as a whole
     */
    record Section(
            String label,
            boolean grid,
            boolean placed,
            boolean above,
            List<Row> rows,
            List<Gap> gaps,
            List<Remark> remarks) {
        Section {
            rows = List.copyOf(rows);
            gaps = List.copyOf(gaps);
            remarks = List.copyOf(remarks);
        }

        List<Cell> cells() {
            return rows.stream().flatMap(row -> row.cells().stream()).toList();
        }
    }

    /**
     * All cables between two sections, the first of which is the one above where one is.
     *
     * @param cables that carry something
     */
    record Bundle(int from, int to, int cables, List<Remark> remarks) {
        Bundle {
            remarks = List.copyOf(remarks);
        }
    }

    /**
     * Cables between the switches of two cells.
     *
     * @param cables that carry something
     * @param remarks about them; an edge without cables is there for these
     * @param bytesPerSecond of the job, in both directions; 0 where none are known
     * @param hot whether a port of them holds others up
     */
    record Edge(int from, int to, int cables, List<Remark> remarks, long bytesPerSecond, boolean hot) {
        Edge {
            remarks = List.copyOf(remarks);
        }

        boolean isImpaired() {
            return remarks.stream().anyMatch(remark -> remark.type().equals(IMPAIRED));
        }

        /** {@code 1.2 GB/s, hot, impaired}. */
        String sentence() {
            return DisplayText.bytes(bytesPerSecond) + "/s" + (hot ? ", hot" : "") + (isImpaired() ? ", impaired" : "");
        }
    }

    /**
     * @param switches with their names and cables; others than the model's are passed over
     * @param remarks in the order in which they are to be listed
     * @param job {@code null} for none
     */
    public static FabricMap of(
            String fabric,
            FabricModel model,
            Collection<Switch> switches,
            List<Remark> remarks,
            @Nullable JobRanks job) {
        return of(fabric, model, switches, remarks, job, null);
    }

    /** @param traffic of the job; {@code null} to draw where it is alone */
    public static FabricMap of(
            String fabric,
            FabricModel model,
            Collection<Switch> switches,
            List<Remark> remarks,
            @Nullable JobRanks job,
            @Nullable MapTraffic traffic) {
        return new MapBuilder(fabric, model, switches, remarks, job, traffic).build();
    }

    String fabric() {
        return fabric;
    }

    FabricKind kind() {
        return model.kind();
    }

    List<Section> sections() {
        return sections;
    }

    FabricModel model() {
        return model;
    }

    /** The cell of a switch of the topology; -1 for one that is not drawn. */
    int cellOf(int at) {
        return cellOf[at];
    }

    /** The same with no more switches counted than a page cannot draw. */
    FabricMap whole() {
        return whole.get();
    }

    /** Ascending by their sections. */
    List<Bundle> bundles() {
        return bundles;
    }

    /** Ascending by their cells. */
    List<Edge> edges() {
        return edges;
    }

    /** Those by which bytes of the job go, those with the most first. */
    List<Edge> flows() {
        return edges.stream()
                .filter(edge -> edge.bytesPerSecond() > 0)
                .sorted(Comparator.comparingLong(Edge::bytesPerSecond).reversed())
                .toList();
    }

    List<Remark> remarks() {
        return remarks;
    }

    @Nullable
    JobRanks job() {
        return job;
    }

    /** In the order of sections and rows, each at the position that is its id. */
    List<Cell> cells() {
        return cells;
    }

    /** In the order of their remarks, names of the places that each is about; of one that nothing is known of, its object. */
    Map<Remark, List<String>> placesOfRemarks() {
        Map<Remark, List<String>> sectionNames = new HashMap<>();
        Map<Remark, List<String>> cellNames = new HashMap<>();
        for (Section section : sections) {
            section.remarks()
                    .forEach(remark -> sectionNames
                            .computeIfAbsent(remark, r -> new ArrayList<>())
                            .add(section.label()));
            section.gaps()
                    .forEach(gap -> sectionNames
                            .computeIfAbsent(gap.remark(), r -> new ArrayList<>())
                            .add(gap.label()));
            section.cells()
                    .forEach(cell -> cell.remarks()
                            .forEach(remark -> cellNames
                                    .computeIfAbsent(remark, r -> new ArrayList<>())
                                    .add(cell.label())));
        }
        Map<Remark, List<String>> places = new LinkedHashMap<>();
        for (Remark remark : remarks) {
            String object = remark.object().isEmpty() ? "the whole fabric" : remark.object();
            places.put(remark, sectionNames.getOrDefault(remark, cellNames.getOrDefault(remark, List.of(object))));
        }
        return places;
    }

    /** {@code infiniband-0: FatTree 8x16}. */
    String title() {
        String shape = model.defaultShape().string();
        return DisplayText.shown(fabric, 80) + ": " + kind() + (shape.isEmpty() ? "" : " " + shape);
    }

    /** What there is, in a sentence. */
    String counts() {
        int devices = model.devices() + model.unmanagedDevices();
        return DisplayText.count(model.switches(), "switch", "switches") + ", "
                + DisplayText.count(devices, "device", "devices") + ", "
                + DisplayText.count(model.hosts(), "host", "hosts") + ", "
                + DisplayText.count(model.links(), "link", "links")
                + (model.planes().size() > 1 ? ", " + model.planes().size() + " planes" : "") + ", "
                + (remarks.isEmpty() ? "no findings" : DisplayText.count(remarks.size(), "finding", "findings"));
    }

    /** What the job has, in a sentence; {@code null} without one. */
    @Nullable
    String jobSentence() {
        JobRanks drawn = job;
        if (drawn == null) {
            return null;
        }
        List<String> elsewhere = drawn.hosts().stream()
                .filter(host -> host.slots().isEmpty())
                .map(JobRanks.OnHost::host)
                .toList();
        return "job " + DisplayText.shown(drawn.name(), 120) + ": "
                + DisplayText.count(drawn.ranks(), "rank", "ranks") + " on "
                + DisplayText.count(drawn.hosts().size(), "host", "hosts")
                + (elsewhere.isEmpty() ? "" : "; not on this fabric: " + hosts(elsewhere, 200))
                + (notUsed == 0 ? "" : "; +" + DisplayText.count(notUsed, "switch", "switches") + " not used");
    }

    /** The host of a device end as cells have it; the device's id where nobody knows its host. */
    static String hostOf(Topology topology, int end) {
        String host = topology.endHost(end);
        return DisplayText.shown(host == null ? topology.endId(end) : host, LONGEST_NAME);
    }

    /** A folded list of hosts, cut. */
    static String hosts(List<String> hosts, int most) {
        return DisplayText.shown(HostList.compress(hosts), most);
    }
}
