/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.cli.answer.LocalAnswers;
import dev.fabricoperator.cli.cluster.QueryServer.NotServedException;
import dev.fabricoperator.cli.cluster.QueryServer.RefusedException;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SwitchFinder;
import dev.fabricoperator.fabric.coordinate.View;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.query.Path;
import dev.fabricoperator.formats.export.SlurmNodeNames;
import dev.fabricoperator.formats.export.SlurmVersion;
import dev.fabricoperator.formats.map.RanksByHost;
import dev.fabricoperator.view.answer.BlockAnswer;
import dev.fabricoperator.view.answer.GeometryAnswer;
import dev.fabricoperator.view.answer.GroupCostAnswer;
import dev.fabricoperator.view.answer.GroupsAnswer;
import dev.fabricoperator.view.answer.NodesCostAnswer;
import dev.fabricoperator.view.answer.PathAnswer;
import dev.fabricoperator.view.answer.PeersAnswer;
import dev.fabricoperator.view.answer.TiersAnswer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Asks the operator's query API: an answer costs a request or two for each fabric, however large it is. Requests that belong together
 * name the generation that the first was about.
 */
final class ServerAnswers implements FabricAnswers {
    private static final int SHOWN = 5;

    /** Longer lists of devices are looked up faster in all objects. */
    private static final int MOST_IDS = 64;

    /** Servers and proxies take a request line of 8 KiB. */
    private static final int LONGEST_QUESTION = 7000;

    private final QueryServer server;
    private final List<KnownFabric> fabrics;

    /** @param fabrics the default one first */
    ServerAnswers(QueryServer server, List<KnownFabric> fabrics) {
        this.server = server;
        this.fabrics = List.copyOf(fabrics);
    }

    /** A device, its names, and the generation in which it has its index. */
    private record Placed(String fabric, Vertex vertex) {
        String pin() {
            return "generation=" + vertex.generation();
        }
    }

    private record Vertex(int index, String device, String id, int port, long generation) {}

    private record Block(List<List<Integer>> costs) {}

    private record NodeDevices(List<NodeDevice> devices) {}

    private record NodeDevice(int index, String device) {}

    private KnownFabric choose(@Nullable String name) throws Failure {
        if (name == null) {
            return fabrics.getFirst();
        }
        for (KnownFabric fabric : fabrics) {
            if (fabric.name().equals(name)) {
                return fabric;
            }
        }
        throw Failure.wrongUsage("no fabric '" + name + "'; there is "
                + fabrics.stream().map(KnownFabric::name).collect(Collectors.joining(", ")));
    }

    private List<Placed> find(List<String> ids) throws Failure, IOException {
        if (ids.size() > MOST_IDS) {
            throw new NotServedException("");
        }
        Map<String, Map<String, QueryServer.Pending>> asked = new LinkedHashMap<>();
        for (String id : ids) {
            if (!asked.containsKey(id)) {
                asked.put(id, lookUp(id));
            }
        }
        Map<String, Placed> found = new LinkedHashMap<>();
        for (Map.Entry<String, Map<String, QueryServer.Pending>> each : asked.entrySet()) {
            found.put(each.getKey(), theOnly(each.getKey(), each.getValue()));
        }
        return ids.stream().map(found::get).map(Objects::requireNonNull).toList();
    }

    /** By fabric, in the order of the fabrics. */
    private Map<String, QueryServer.Pending> lookUp(String id) throws NotServedException {
        // To the query API a number is an index.
        if (id.length() <= 9 && id.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new NotServedException("");
        }
        Map<String, QueryServer.Pending> asked = new LinkedHashMap<>();
        for (KnownFabric fabric : fabrics) {
            asked.put(fabric.name(), server.ask(fabric.name(), "vertices?id=" + QueryServer.encoded(id)));
        }
        return asked;
    }

    private Placed find(String id) throws Failure, IOException {
        return find(List.of(id)).getFirst();
    }

    private Placed theOnly(String id, Map<String, QueryServer.Pending> asked) throws Failure, IOException {
        return theOnly(id, placed(asked));
    }

    private Placed theOnly(String id, List<Placed> found) throws Failure, IOException {
        if (found.size() == 1) {
            return found.getFirst();
        }
        if (found.isEmpty()) {
            throw Failure.wrongUsage("no device has the id '" + id + "'" + meant(id));
        }
        throw Failure.wrongUsage("'" + id + "' is ambiguous; it names "
                + found.stream().map(one -> one.vertex().device()).collect(Collectors.joining(", ")));
    }

    private static List<Placed> placed(Map<String, QueryServer.Pending> asked) throws IOException {
        List<Placed> found = new ArrayList<>();
        for (Map.Entry<String, QueryServer.Pending> each : asked.entrySet()) {
            try {
                found.add(new Placed(each.getKey(), each.getValue().as(Vertex.class)));
            } catch (RefusedException e) {
                if (!e.isMissing("id")) {
                    throw e;
                }
            }
        }
        return found;
    }

    private String meant(String id) throws IOException {
        List<String> ofHost = new ArrayList<>();
        for (List<NodeDevice> devices : devicesOf(id).values()) {
            devices.forEach(device -> ofHost.add(device.device()));
        }
        return ofHost.isEmpty()
                ? "; 'kubectl fabric topology -o wide' lists the devices"
                : "; host " + id + " has " + String.join(", ", ofHost.subList(0, Math.min(SHOWN, ofHost.size())));
    }

    /** By fabric, in the order of the fabrics; those without one are left out. */
    private Map<String, List<NodeDevice>> devicesOf(String host) throws IOException {
        Map<String, QueryServer.Pending> asked = new LinkedHashMap<>();
        for (KnownFabric fabric : fabrics) {
            asked.put(fabric.name(), server.ask(fabric.name(), "devices?node=" + QueryServer.encoded(host)));
        }
        Map<String, List<NodeDevice>> found = new LinkedHashMap<>();
        for (Map.Entry<String, QueryServer.Pending> each : asked.entrySet()) {
            try {
                found.put(each.getKey(), each.getValue().as(NodeDevices.class).devices());
            } catch (RefusedException e) {
                if (!e.isMissing("node")) {
                    throw e;
                }
            }
        }
        return found;
    }

    @Override
    public TiersAnswer tiers(@Nullable String fabric) throws Failure, IOException {
        try {
            return server.ask(choose(fabric).name(), "tiers").as(TiersAnswer.class);
        } catch (RefusedException e) {
            // An older operator does not know the path.
            throw new NotServedException("");
        }
    }

    @Override
    public GroupsAnswer groups(@Nullable String fabric) throws Failure, IOException {
        return server.ask(choose(fabric).name(), "groups").as(GroupsAnswer.class);
    }

    @Override
    public PathBetween path(String from, String to) throws Failure, IOException {
        List<Placed> ends = nearest(from, to);
        Placed first = ends.getFirst();
        Placed last = ends.getLast();
        PathAnswer path = first.fabric().equals(last.fabric())
                ? server.ask(
                                first.fabric(),
                                "paths?from=" + first.vertex().index() + "&to="
                                        + last.vertex().index() + "&" + first.pin())
                        .as(PathAnswer.class)
                // No cable leads from one fabric to another.
                : new PathAnswer(
                        first.vertex().id(),
                        last.vertex().id(),
                        first.fabric(),
                        first.vertex().generation(),
                        Path.Basis.cheapest,
                        null,
                        CostMatrix.UNREACHABLE,
                        null,
                        0,
                        null,
                        List.of());
        return new PathBetween(first.vertex().device(), last.vertex().device(), path);
    }

    /** As files answer it: the two devices that cost least. */
    private List<Placed> nearest(String from, String to) throws Failure, IOException {
        List<Placed> ofFrom = findAll(from);
        List<Placed> ofTo = findAll(to);
        Placed first = ofFrom.getFirst();
        Placed last = ofTo.getFirst();
        if (ofFrom.size() == 1 && ofTo.size() == 1) {
            return List.of(first, last);
        }
        int least = Integer.MAX_VALUE;
        for (KnownFabric fabric : fabrics) {
            List<Placed> rows = in(fabric, ofFrom);
            List<Placed> cols = in(fabric, ofTo);
            if (rows.isEmpty() || cols.isEmpty()) {
                continue;
            }
            List<List<Integer>> costs = server.ask(
                            fabric.name(),
                            bounded("cost?rows=" + indices(rows) + "&cols=" + indices(cols) + "&"
                                    + rows.getFirst().pin()))
                    .as(Block.class)
                    .costs();
            for (int row = 0; row < rows.size(); row++) {
                for (int col = 0; col < cols.size(); col++) {
                    boolean same = rows.get(row).vertex().index()
                            == cols.get(col).vertex().index();
                    if (!same && costs.get(row).get(col) < least) {
                        least = costs.get(row).get(col);
                        first = rows.get(row);
                        last = cols.get(col);
                    }
                }
            }
        }
        return List.of(first, last);
    }

    private static List<Placed> in(KnownFabric fabric, List<Placed> devices) {
        return devices.stream()
                .filter(one -> one.fabric().equals(fabric.name()))
                .toList();
    }

    /** The device of an id, else those of a host or of a list of them. What only objects tell, such as switches, is answered from these. */
    private List<Placed> findAll(String id) throws Failure, IOException {
        List<Placed> found = placed(lookUp(id));
        if (!found.isEmpty()) {
            return List.of(theOnly(id, found));
        }
        List<String> devices = new ArrayList<>();
        List<String> hosts = SwitchFinder.expanded(id);
        if (hosts.size() > MOST_IDS) {
            throw new NotServedException("");
        }
        for (String host : hosts) {
            Map<String, List<NodeDevice>> ofHost = devicesOf(host);
            if (ofHost.isEmpty()) {
                requireNoSwitch(id);
                throw Failure.wrongUsage("no device has the id '" + host + "'" + meant(host));
            }
            ofHost.values().forEach(each -> each.forEach(device -> devices.add(device.device())));
        }
        return find(devices);
    }

    /** Switches are told of by name in all objects alone. */
    private void requireNoSwitch(String id) throws IOException {
        for (KnownFabric fabric : fabrics) {
            String switches = new String(server.ask(fabric.name(), "switches").bytes(), StandardCharsets.UTF_8)
                    .toLowerCase(Locale.ROOT);
            String name = id.replaceFirst("( port |[:/])[0-9]{1,5}$", "").replaceFirst("[0-9]*\\[.*", "");
            if (!name.isEmpty() && switches.contains("\"" + name.toLowerCase(Locale.ROOT))) {
                throw new NotServedException("");
            }
        }
    }

    @Override
    public List<PeersAnswer> peers(String device) throws Failure, IOException {
        List<PeersAnswer> answers = new ArrayList<>();
        Set<String> switches = new HashSet<>();
        for (Placed asked : findAll(device)) {
            PeersAnswer answer = server.ask(
                            asked.fabric(), "devices/" + asked.vertex().index() + "/switch?" + asked.pin())
                    .as(PeersAnswer.class);
            if (answer.switchId() == null || switches.add(answer.switchId())) {
                answers.add(answer);
            }
        }
        return answers;
    }

    @Override
    public List<GeometryAnswer> geometry(String device, View view, @Nullable String plane) throws Failure, IOException {
        Map<String, QueryServer.Pending> asOne = lookUp(device);
        Map<String, List<NodeDevice>> ofHost = devicesOf(device);
        List<QueryServer.Pending> asked = new ArrayList<>();
        if (ofHost.isEmpty() || !placed(asOne).isEmpty()) {
            Placed one = theOnly(device, asOne);
            asked.add(server.ask(
                    one.fabric(), "devices/" + one.vertex().index() + "/geometry?view=" + view + "&" + one.pin()));
        } else {
            // Object names keep their meaning in every generation.
            ofHost.forEach((fabric, devices) -> devices.forEach(
                    one -> asked.add(server.ask(fabric, "devices/" + one.device() + "/geometry?view=" + view))));
        }
        List<GeometryAnswer> answers = new ArrayList<>();
        for (QueryServer.Pending each : asked) {
            GeometryAnswer answer = each.as(GeometryAnswer.class);
            if (plane == null || planeId(answer.fabric(), plane).equals(planeId(answer.fabric(), answer.plane()))) {
                answers.add(answer);
            }
        }
        if (answers.isEmpty()) {
            throw Failure.wrongUsage("'" + device + "' has no device on plane " + plane);
        }
        return answers;
    }

    /** The id of a plane that a person may have named. */
    private String planeId(String fabric, String plane) {
        int number = fabrics.stream()
                .filter(one -> one.name().equals(fabric))
                .mapToInt(one -> one.planes().indexOf(plane))
                .findFirst()
                .orElse(-1);
        return number < 0 ? plane : Integer.toString(number);
    }

    @Override
    public PairCost cost(String from, String to) throws Failure, IOException {
        List<Placed> ends = nearest(from, to);
        Vertex first = ends.getFirst().vertex();
        Vertex last = ends.getLast().vertex();
        PairCost.Document document =
                ends.getFirst().fabric().equals(ends.getLast().fabric())
                        ? server.ask(
                                        ends.getFirst().fabric(),
                                        "cost?from=" + first.index() + "&to=" + last.index() + "&"
                                                + ends.getFirst().pin())
                                .as(PairCost.Document.class)
                        : new PairCost.Document(first.id(), last.id(), first.generation(), CostMatrix.UNREACHABLE);
        return new PairCost(first.device(), last.device(), document);
    }

    @Override
    public RowCosts row(String device) throws Failure, IOException {
        Placed from = find(device);
        return server.ask(from.fabric(), "cost?row=" + from.vertex().index() + "&" + from.pin())
                .as(RowCosts.class);
    }

    @Override
    public BlockAnswer block(List<String> rows, List<String> cols) throws Failure, IOException {
        List<Placed> from = all(rows);
        List<Placed> to = all(cols);
        Placed first = from.getFirst();
        if (Stream.concat(from.stream(), to.stream())
                .anyMatch(one -> !one.fabric().equals(first.fabric()))) {
            throw new NotServedException("");
        }
        List<List<Integer>> costs = server.ask(
                        first.fabric(),
                        bounded("cost?rows=" + indices(from) + "&cols=" + indices(to) + "&" + first.pin()))
                .as(Block.class)
                .costs();
        return new BlockAnswer(
                ids(from), ids(to), first.fabric(), first.vertex().generation(), costs);
    }

    /** Those of each id, each once, as files answer it. */
    private List<Placed> all(List<String> ids) throws Failure, IOException {
        if (ids.size() > MOST_IDS) {
            throw new NotServedException("");
        }
        Map<String, Placed> found = new LinkedHashMap<>();
        for (String id : ids) {
            for (Placed one : findAll(id)) {
                found.putIfAbsent(one.fabric() + "/" + one.vertex().index(), one);
            }
        }
        return List.copyOf(found.values());
    }

    /** A question that fits into a request line; longer ones are answered from the objects. */
    private static String bounded(String below) throws NotServedException {
        if (below.length() > LONGEST_QUESTION) {
            throw new NotServedException("");
        }
        return below;
    }

    private static String indices(List<Placed> devices) {
        return devices.stream()
                .map(one -> Integer.toString(one.vertex().index()))
                .collect(Collectors.joining(","));
    }

    private static List<String> ids(List<Placed> devices) {
        return devices.stream().map(one -> one.vertex().id()).toList();
    }

    @Override
    public BlockAnswer hosts(@Nullable String fabric, List<String> hosts) throws Failure, IOException {
        String names = hosts.stream().map(QueryServer::encoded).collect(Collectors.joining(","));
        return ofHosts(fabric, bounded("cost?level=node&nodes=" + names), BlockAnswer.class);
    }

    @Override
    public NodesCostAnswer nodes(@Nullable String fabric, String from, String to) throws Failure, IOException {
        return ofHosts(
                fabric,
                "cost?fromNode=" + QueryServer.encoded(from) + "&toNode=" + QueryServer.encoded(to),
                NodesCostAnswer.class);
    }

    /** Of the first fabric that has all the hosts. Who asks about others, or about devices instead, is answered from the objects. */
    private <T> T ofHosts(@Nullable String fabric, String below, Class<T> type) throws Failure, IOException {
        for (KnownFabric one : fabric == null ? fabrics : List.of(choose(fabric))) {
            try {
                return server.ask(one.name(), below).as(type);
            } catch (RefusedException e) {
                if (!e.isMissing("nodes") && !e.isMissing("fromNode") && !e.isMissing("toNode")) {
                    throw e;
                }
            }
        }
        throw new NotServedException("");
    }

    @Override
    public GroupCostAnswer toGroup(String device, int group) throws Failure, IOException {
        Placed from = find(device);
        try {
            return server.ask(
                            from.fabric(), "cost?from=" + from.vertex().index() + "&group=" + group + "&" + from.pin())
                    .as(GroupCostAnswer.class);
        } catch (RefusedException e) {
            throw LocalAnswers.noSuchGroup(from.fabric(), group);
        }
    }

    @Override
    public Matrix matrix(@Nullable String fabric) throws Failure, IOException {
        KnownFabric chosen = choose(fabric);
        KnownFabric.Served served = chosen.served();
        if (served == null) {
            throw new NotServedException("");
        }
        return new ServerMatrix(server, chosen.name(), served.vertices(), served.generation(), served.digest());
    }

    /** From the statuses, of which the operator writes the first findings only. */
    @Override
    public List<Findings> findings(@Nullable String fabric) throws Failure, IOException {
        List<Findings> answers = new ArrayList<>();
        for (KnownFabric one : fabric == null ? fabrics : List.of(choose(fabric))) {
            KnownFabric.Served served = one.served();
            if (served == null || !served.whole()) {
                throw new NotServedException("");
            }
            answers.add(new Findings(
                    one.name(),
                    served.generation(),
                    served.kind(),
                    served.switches(),
                    served.devices(),
                    served.hosts(),
                    served.findings(),
                    served.unresolved(),
                    served.exemptHosts()));
        }
        return List.copyOf(answers);
    }

    @Override
    public String slurm(SlurmRequest request) throws Failure, IOException {
        String plane = request.plane();
        String below = "topology?format=" + (request.yaml() ? "yaml" : "slurm") + "&plugin=" + request.plugin()
                + (request.everySwitch() ? "&everySwitch=true" : "")
                + (request.switchNames() ? "&switchNames=true" : "")
                + (request.names() == SlurmNodeNames.Form.FULL ? "" : "&names=" + request.names())
                + (request.version().equals(SlurmVersion.OLDEST) ? "" : "&slurmVersion=" + request.version())
                + (plane == null ? "" : "&plane=" + QueryServer.encoded(plane));
        return new String(server.ask(choose(request.fabric()).name(), below).bytes(), StandardCharsets.UTF_8);
    }

    @Override
    public String map(MapRequest request) throws Failure, IOException {
        String below = "ui?download=true&format=" + request.form()
                + (request.job() == null ? "" : "&job=" + QueryServer.encoded(request.job()))
                + (request.ranks().isEmpty()
                        ? ""
                        : "&ranks=" + QueryServer.encoded(RanksByHost.format(request.ranks())));
        try {
            return new String(
                    server.ask(choose(request.fabric()).name(), bounded(below)).bytes(), StandardCharsets.UTF_8);
        } catch (RefusedException e) {
            // An older operator draws less, and hosts that are not on the fabric are told of when all is known.
            throw new NotServedException("");
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
