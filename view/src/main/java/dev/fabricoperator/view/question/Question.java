/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.question;

import dev.fabricoperator.fabric.coordinate.View;
import dev.fabricoperator.fabric.cost.NodeCosts;
import dev.fabricoperator.fabric.cost.NvlinkUnit;
import dev.fabricoperator.fabric.query.Path;
import dev.fabricoperator.view.answer.BlockAnswer;
import dev.fabricoperator.view.answer.ComputedList;
import dev.fabricoperator.view.answer.FabricView;
import dev.fabricoperator.view.answer.GeometryAnswer;
import dev.fabricoperator.view.answer.GroupCostAnswer;
import dev.fabricoperator.view.answer.GroupsAnswer;
import dev.fabricoperator.view.answer.NodesCostAnswer;
import dev.fabricoperator.view.answer.PairAnswer;
import dev.fabricoperator.view.answer.PathAnswer;
import dev.fabricoperator.view.answer.PeersAnswer;
import dev.fabricoperator.view.answer.RowAnswer;
import dev.fabricoperator.view.answer.TiersAnswer;
import dev.fabricoperator.view.question.UnansweredException.Why;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A question about one fabric or several. Who holds the fabrics calls {@link #answer}; who does not asks the query API for {@link #path} and
 * reads {@link #type}, which the server has got from {@link #answer} too.
 *
 * @param <A> the document that answers it
 */
public sealed interface Question<A> {
    /** Parameter with which names may stand for several devices, and a number is a name. */
    String SEVERAL = "several";

    // An id is no part of a path: the API server undoes the encoding of a slash in it.
    String PEERS_OF = "peersOf";
    String GEOMETRY_OF = "geometryOf";

    /** Tens of megabytes; a matrix in a file has no limit. */
    int MOST_COSTS = 1 << 22;

    A answer(Devices devices) throws UnansweredException;

    /** Path and query below the fabric's name. */
    String path();

    Class<A> type();

    /** What the question names devices by; empty for a question about a fabric. */
    default List<String> ids() {
        return List.of();
    }

    /** The only fabric that is asked about; {@code null} for the default one, of a question about devices for every one. */
    default @Nullable String fabric() {
        return null;
    }

    /**
     * One answer for those of two fabrics that both know the hosts or switches that are asked about; {@code null} where only all devices together tell it.
     *
     * @param first of the fabric that comes first
     */
    default @Nullable A joined(A first, A second) {
        return null;
    }

    /** {@code groups}. */
    record Groups(@Nullable String fabric, @Nullable String plane) implements Question<GroupsAnswer> {
        @Override
        public GroupsAnswer answer(Devices devices) throws UnansweredException {
            return GroupsAnswer.of(devices.fabric(fabric), plane);
        }

        @Override
        public String path() {
            return "groups" + (plane == null ? "" : "?plane=" + encoded(plane));
        }

        @Override
        public Class<GroupsAnswer> type() {
            return GroupsAnswer.class;
        }
    }

    /** {@code tiers}. */
    record Tiers(@Nullable String fabric) implements Question<TiersAnswer> {
        @Override
        public TiersAnswer answer(Devices devices) throws UnansweredException {
            return TiersAnswer.of(devices.fabric(fabric));
        }

        @Override
        public String path() {
            return "tiers";
        }

        @Override
        public Class<TiersAnswer> type() {
            return TiersAnswer.class;
        }
    }

    /** {@code devices?peersOf=A}: one answer for each switch, in the order of the devices. */
    record Peers(String device) implements Question<PeersAnswer.Several> {
        @Override
        public PeersAnswer.Several answer(Devices devices) throws UnansweredException {
            List<PeersAnswer> answers = new ArrayList<>();
            Set<String> switches = new HashSet<>();
            for (PlacedDevice asked : devices.all(PEERS_OF, device)) {
                String at = Objects.requireNonNull(asked.fabric().model().device(asked.slot()))
                        .switchId();
                // Each answer walks over all devices.
                if (at == null || switches.add(at)) {
                    answers.add(PeersAnswer.of(asked.fabric(), asked.slot()));
                }
            }
            return new PeersAnswer.Several(answers);
        }

        @Override
        public String path() {
            return "devices?" + PEERS_OF + "=" + encoded(device);
        }

        @Override
        public Class<PeersAnswer.Several> type() {
            return PeersAnswer.Several.class;
        }

        @Override
        public List<String> ids() {
            return List.of(device);
        }

        @Override
        public PeersAnswer.Several joined(PeersAnswer.Several first, PeersAnswer.Several second) {
            return new PeersAnswer.Several(together(first.answers(), second.answers()));
        }
    }

    /**
     * {@code devices?geometryOf=A}.
     *
     * @param plane id or name of the only plane that counts; {@code null} for all
     */
    record Place(String device, View view, @Nullable String plane) implements Question<GeometryAnswer.Several> {
        @Override
        public GeometryAnswer.Several answer(Devices devices) throws UnansweredException {
            List<GeometryAnswer> answers = new ArrayList<>();
            for (PlacedDevice one : devices.all(GEOMETRY_OF, device)) {
                FabricView fabric = one.fabric();
                if (plane == null || fabric.isOn(fabric.planeId(plane), one.slot())) {
                    answers.add(GeometryAnswer.of(fabric, one.slot(), view));
                }
            }
            if (answers.isEmpty()) {
                throw new UnansweredException(Why.MISSING, "plane", "'" + device + "' has no device on plane " + plane);
            }
            return new GeometryAnswer.Several(answers);
        }

        @Override
        public String path() {
            return "devices?" + GEOMETRY_OF + "=" + encoded(device) + "&view=" + view
                    + (plane == null ? "" : "&plane=" + encoded(plane));
        }

        @Override
        public Class<GeometryAnswer.Several> type() {
            return GeometryAnswer.Several.class;
        }

        @Override
        public List<String> ids() {
            return List.of(device);
        }

        @Override
        public GeometryAnswer.Several joined(GeometryAnswer.Several first, GeometryAnswer.Several second) {
            return new GeometryAnswer.Several(together(first.answers(), second.answers()));
        }
    }

    /** {@code cost?from=A&to=B}: of names of several devices, between the two that are nearest. */
    record Pair(String from, String to) implements Question<PairAnswer> {
        @Override
        public PairAnswer answer(Devices devices) throws UnansweredException {
            Ends ends = Ends.nearest(devices, from, to);
            return PairAnswer.of(
                    ends.from().device(),
                    ends.to().device(),
                    ends.from().fabric().generation(),
                    ends.from().cost(ends.to()));
        }

        @Override
        public String path() {
            return "cost?from=" + encoded(from) + "&to=" + encoded(to) + "&" + SEVERAL + "=true";
        }

        @Override
        public Class<PairAnswer> type() {
            return PairAnswer.class;
        }

        @Override
        public List<String> ids() {
            return List.of(from, to);
        }

        @Override
        public PairAnswer joined(PairAnswer first, PairAnswer second) {
            return second.cost() < first.cost() ? second : first;
        }
    }

    /** {@code paths?from=A&to=B}: between the devices of {@link Pair}. */
    record Way(String from, String to) implements Question<PathAnswer> {
        @Override
        public PathAnswer answer(Devices devices) throws UnansweredException {
            Ends ends = Ends.nearest(devices, from, to);
            FabricView fabric = ends.from().fabric();
            // No cable leads from one fabric to another.
            Path path = ends.to().fabric() == fabric
                    ? Objects.requireNonNull(
                            fabric.query().path(ends.from().slot(), ends.to().slot()))
                    : Path.none(ends.from().slot(), ends.to().slot());
            return PathAnswer.of(fabric, ends.from().device(), ends.to().device(), path);
        }

        @Override
        public String path() {
            return "paths?from=" + encoded(from) + "&to=" + encoded(to) + "&" + SEVERAL + "=true";
        }

        @Override
        public Class<PathAnswer> type() {
            return PathAnswer.class;
        }

        @Override
        public List<String> ids() {
            return List.of(from, to);
        }

        @Override
        public PathAnswer joined(PathAnswer first, PathAnswer second) {
            return second.cost() < first.cost() ? second : first;
        }
    }

    /** {@code cost?row=A}: to all devices of its fabric. */
    record Row(String device) implements Question<RowAnswer> {
        @Override
        public RowAnswer answer(Devices devices) throws UnansweredException {
            PlacedDevice from = devices.one("row", device);
            return RowAnswer.of(
                    from.fabric(),
                    from.slot(),
                    IntStream.range(0, from.fabric().query().vertices()).toArray());
        }

        @Override
        public String path() {
            return "cost?row=" + encoded(device) + "&" + SEVERAL + "=true";
        }

        @Override
        public Class<RowAnswer> type() {
            return RowAnswer.class;
        }

        @Override
        public List<String> ids() {
            return List.of(device);
        }
    }

    /** {@code cost?rows=A,B&cols=C}: of devices, by name. */
    record Block(List<String> rows, List<String> cols) implements Question<BlockAnswer> {
        @Override
        public BlockAnswer answer(Devices devices) throws UnansweredException {
            List<PlacedDevice> from = all(devices, "rows", rows);
            List<PlacedDevice> to = all(devices, "cols", cols);
            requireShown("rows", (long) from.size() * to.size());
            FabricView fabric = from.getFirst().fabric();
            return new BlockAnswer(
                    from.stream().map(one -> one.device().id()).toList(),
                    to.stream().map(one -> one.device().id()).toList(),
                    fabric.name(),
                    fabric.generation(),
                    new ComputedList<>(
                            from.size(),
                            row -> new ComputedList<>(
                                    to.size(), col -> from.get(row).cost(to.get(col)))));
        }

        private static List<PlacedDevice> all(Devices devices, String field, List<String> ids)
                throws UnansweredException {
            Set<PlacedDevice> found = new LinkedHashSet<>();
            for (String id : ids) {
                found.addAll(devices.all(field, id));
            }
            return List.copyOf(found);
        }

        @Override
        public String path() {
            return "cost?rows=" + listed(rows) + "&cols=" + listed(cols) + "&" + SEVERAL + "=true";
        }

        @Override
        public Class<BlockAnswer> type() {
            return BlockAnswer.class;
        }

        @Override
        public List<String> ids() {
            return together(rows, cols);
        }
    }

    /** {@code cost?level=node&nodes=A,B}: of the best pairs of these hosts, each with each. */
    record Hosts(@Nullable String fabric, List<String> hosts) implements Question<BlockAnswer> {
        @Override
        public BlockAnswer answer(Devices devices) throws UnansweredException {
            requireShown("nodes", (long) hosts.size() * hosts.size());
            List<List<PlacedDevice>> found = new ArrayList<>();
            for (String host : hosts) {
                found.add(devices.ofNode("nodes", host));
            }
            FabricView chosen = fabricOf(devices, fabric, found);
            NodeCosts costs = NodeCosts.of(chosen.model().cost(), slotsOfAll(chosen, found));
            FabricView nvlink = fabric == null ? nvlink(chosen, found) : null;
            if (nvlink != null) {
                costs = costs.orByNvlink(
                        NodeCosts.of(nvlink.model().cost(), slotsOfAll(nvlink, found)),
                        NvlinkUnit.of(chosen.model().linkCosts(), nvlink.model().linkCosts()));
            }
            return BlockAnswer.ofNodes(chosen, hosts, costs);
        }

        private static int[][] slotsOfAll(FabricView fabric, List<List<PlacedDevice>> hosts) {
            return hosts.stream().map(host -> slots(fabric, host)).toArray(int[][]::new);
        }

        /** The fabric of accelerators in which the hosts have some, beside their network; {@code null} for none. */
        private static @Nullable FabricView nvlink(FabricView network, List<List<PlacedDevice>> hosts) {
            return hosts.stream()
                    .flatMap(List::stream)
                    .map(PlacedDevice::fabric)
                    .filter(one -> one != network && one.model().topology().isOfCliques())
                    .findFirst()
                    .orElse(null);
        }

        @Override
        public String path() {
            return "cost?level=node&nodes=" + listed(hosts) + "&" + SEVERAL + "=true";
        }

        @Override
        public Class<BlockAnswer> type() {
            return BlockAnswer.class;
        }

        @Override
        public List<String> ids() {
            return hosts;
        }

        @Override
        public BlockAnswer joined(BlockAnswer first, BlockAnswer second) {
            return first;
        }
    }

    /**
     * {@code cost?fromNode=A&toNode=B}.
     *
     * @param plane id of the only plane that counts; {@code null} for all
     */
    record Nodes(
            @Nullable String fabric,
            String from,
            String to,
            @Nullable String plane) implements Question<NodesCostAnswer> {
        @Override
        public NodesCostAnswer answer(Devices devices) throws UnansweredException {
            List<List<PlacedDevice>> found =
                    List.of(onPlane(devices, "fromNode", from), onPlane(devices, "toNode", to));
            FabricView chosen = fabricOf(devices, fabric, found);
            return NodesCostAnswer.of(
                    chosen, from, slots(chosen, found.getFirst()), to, slots(chosen, found.getLast()));
        }

        @Override
        public String path() {
            return "cost?fromNode=" + encoded(from) + "&toNode=" + encoded(to) + "&" + SEVERAL + "=true"
                    + (plane == null ? "" : "&plane=" + encoded(plane));
        }

        private List<PlacedDevice> onPlane(Devices devices, String field, String node) throws UnansweredException {
            List<PlacedDevice> found = devices.ofNode(field, node).stream()
                    .filter(one -> one.fabric().isOn(plane, one.slot()))
                    .toList();
            if (found.isEmpty()) {
                throw new UnansweredException(Why.MISSING, field, "no device of node '" + node + "' on plane " + plane);
            }
            return found;
        }

        @Override
        public Class<NodesCostAnswer> type() {
            return NodesCostAnswer.class;
        }

        @Override
        public List<String> ids() {
            return List.of(from, to);
        }

        @Override
        public NodesCostAnswer joined(NodesCostAnswer first, NodesCostAnswer second) {
            return first;
        }
    }

    /**
     * {@code cost?from=A&group=G}.
     *
     * @param plane id of the only plane that counts; {@code null} for all
     */
    record ToGroup(String device, int group, @Nullable String plane) implements Question<GroupCostAnswer> {
        @Override
        public GroupCostAnswer answer(Devices devices) throws UnansweredException {
            PlacedDevice from = devices.one("from", device);
            GroupCostAnswer answer = GroupCostAnswer.of(from.fabric(), from.slot(), group, plane);
            if (answer == null) {
                throw new UnansweredException(
                        Why.MISSING,
                        "group",
                        "fabric " + from.fabric().name() + " has no devices in group " + group
                                + "; 'kubectl fabric groups' lists the groups");
            }
            return answer;
        }

        @Override
        public String path() {
            return "cost?from=" + encoded(device) + "&group=" + group + "&" + SEVERAL + "=true"
                    + (plane == null ? "" : "&plane=" + encoded(plane));
        }

        @Override
        public Class<GroupCostAnswer> type() {
            return GroupCostAnswer.class;
        }

        @Override
        public List<String> ids() {
            return List.of(device);
        }
    }

    /** Costs compare within one fabric only. Hosts that share none are asked about in the first one's. */
    private static FabricView fabricOf(Devices devices, @Nullable String name, List<List<PlacedDevice>> hosts)
            throws UnansweredException {
        if (name != null) {
            return devices.fabric(name);
        }
        // Accelerators that NVLink joins do not reach all hosts: what is between all of these is meant.
        List<FabricView> networksFirst = devices.fabrics().stream()
                .sorted(Comparator.comparing(one -> one.model().topology().isOfCliques()))
                .toList();
        for (FabricView fabric : networksFirst) {
            if (hosts.stream().allMatch(host -> slots(fabric, host).length > 0)) {
                return fabric;
            }
        }
        return hosts.getFirst().getFirst().fabric();
    }

    private static int[] slots(FabricView fabric, List<PlacedDevice> devices) {
        return devices.stream()
                .filter(device -> device.fabric() == fabric)
                .mapToInt(PlacedDevice::slot)
                .toArray();
    }

    /** A short list stands for many devices. */
    private static void requireShown(String field, long costs) throws UnansweredException {
        if (costs > MOST_COSTS) {
            throw new UnansweredException(
                    Why.TOO_LARGE,
                    field,
                    "these are " + costs + " costs, of which at most " + MOST_COSTS
                            + " are shown at once: ask for fewer devices, or have --out write all of a fabric");
        }
    }

    private static <T> List<T> together(List<T> first, List<T> second) {
        List<T> all = new ArrayList<>(first);
        all.addAll(second);
        return all;
    }

    private static String listed(List<String> words) {
        return words.stream().map(Question::encoded).collect(Collectors.joining(","));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
