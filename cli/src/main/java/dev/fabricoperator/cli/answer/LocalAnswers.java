/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.answer;

import dev.fabricoperator.cli.input.DeviceFinder;
import dev.fabricoperator.cli.input.FabricSet;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.FoundDevice;
import dev.fabricoperator.cli.input.FoundFabric;
import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.coordinate.View;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.model.DevicePosition;
import dev.fabricoperator.fabric.model.Plane;
import dev.fabricoperator.fabric.query.Path;
import dev.fabricoperator.formats.export.SlurmNodeNames;
import dev.fabricoperator.formats.export.SlurmOptions;
import dev.fabricoperator.formats.export.SlurmWriter;
import dev.fabricoperator.formats.map.FabricMap;
import dev.fabricoperator.formats.map.JobRanks;
import dev.fabricoperator.formats.map.RanksByHost;
import dev.fabricoperator.formats.map.Remark;
import dev.fabricoperator.view.answer.BlockAnswer;
import dev.fabricoperator.view.answer.GeometryAnswer;
import dev.fabricoperator.view.answer.GroupCostAnswer;
import dev.fabricoperator.view.answer.GroupsAnswer;
import dev.fabricoperator.view.answer.NamedDevice;
import dev.fabricoperator.view.answer.NamedFabric;
import dev.fabricoperator.view.answer.NodesCostAnswer;
import dev.fabricoperator.view.answer.PathAnswer;
import dev.fabricoperator.view.answer.PeersAnswer;
import dev.fabricoperator.view.answer.TiersAnswer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Computes every answer from fabrics that have been read as a whole. */
public final class LocalAnswers implements FabricAnswers {
    /** Tens of megabytes; a matrix in a file has no limit. */
    private static final int MOST_COSTS = 1 << 22;

    private final FabricSet found;
    private final Map<FoundFabric, NamedFabric> named = new IdentityHashMap<>();
    private @Nullable DeviceFinder finder;

    public LocalAnswers(FabricSet found) {
        this.found = found;
    }

    private DeviceFinder finder() {
        DeviceFinder made = finder;
        if (made == null) {
            made = new DeviceFinder(found);
            finder = made;
        }
        return made;
    }

    private NamedFabric named(FoundFabric fabric) {
        return named.computeIfAbsent(fabric, found::named);
    }

    @Override
    public GroupsAnswer groups(@Nullable String fabric) throws Failure {
        return GroupsAnswer.of(named(found.choose(fabric)), null);
    }

    @Override
    public TiersAnswer tiers(@Nullable String fabric) throws Failure {
        return TiersAnswer.of(named(found.choose(fabric)));
    }

    @Override
    public PathBetween path(String from, String to) throws Failure {
        List<FoundDevice> pair = nearest(from, to);
        FoundDevice first = pair.getFirst();
        FoundDevice last = pair.getLast();
        NamedFabric one = named(first.fabric());
        NamedFabric other = named(last.fabric());
        // No cable leads from one fabric to another.
        Path path = other != one
                ? Path.none(first.slot(), last.slot())
                : Objects.requireNonNull(one.query().path(first.slot(), last.slot()));
        NamedDevice source = Objects.requireNonNull(one.device(first.slot()));
        NamedDevice target = Objects.requireNonNull(other.device(last.slot()));
        return new PathBetween(first.name(), last.name(), PathAnswer.of(one, source, target, path));
    }

    /** Two devices that cost least; of equal ones the first. A device is the nearest of itself only where nothing else is meant. */
    private List<FoundDevice> nearest(String from, String to) throws Failure {
        List<FoundDevice> ofFrom = finder().findAll(from);
        List<FoundDevice> ofTo = finder().findAll(to);
        FoundDevice first = ofFrom.getFirst();
        FoundDevice last = ofTo.getFirst();
        int least = Integer.MAX_VALUE;
        for (FoundDevice one : ofFrom) {
            for (FoundDevice other : ofTo) {
                int cost = one == other ? Integer.MAX_VALUE : cost(one, other);
                if (cost < least) {
                    least = cost;
                    first = one;
                    last = other;
                }
            }
        }
        return List.of(first, last);
    }

    @Override
    public List<PeersAnswer> peers(String device) throws Failure {
        List<PeersAnswer> answers = new ArrayList<>();
        Set<String> switches = new HashSet<>();
        for (FoundDevice asked : finder().findAll(device)) {
            DevicePosition place = Objects.requireNonNull(asked.fabric().model().device(asked.slot()));
            // Each answer walks over all devices.
            if (place.switchId() == null || switches.add(place.switchId())) {
                answers.add(PeersAnswer.of(named(asked.fabric()), asked.slot()));
            }
        }
        return answers;
    }

    @Override
    public List<GeometryAnswer> geometry(String device, View view, @Nullable String plane) throws Failure {
        List<GeometryAnswer> answers = new ArrayList<>();
        for (FoundDevice one : finder().findAll(device)) {
            NamedFabric fabric = named(one.fabric());
            GeometryAnswer answer = GeometryAnswer.of(fabric, one.slot(), view);
            if (plane == null || fabric.planeId(plane).equals(fabric.planeId(answer.plane()))) {
                answers.add(answer);
            }
        }
        if (answers.isEmpty()) {
            throw Failure.wrongUsage("'" + device + "' has no device on plane " + plane);
        }
        return answers;
    }

    @Override
    public PairCost cost(String from, String to) throws Failure {
        List<FoundDevice> pair = nearest(from, to);
        FoundDevice first = pair.getFirst();
        FoundDevice last = pair.getLast();
        return new PairCost(
                first.name(),
                last.name(),
                new PairCost.Document(
                        first.shownId(), last.shownId(), first.fabric().generation(), cost(first, last)));
    }

    /** No cable leads from one fabric to another. */
    private static int cost(FoundDevice from, FoundDevice to) {
        return from.fabric() == to.fabric()
                ? from.fabric().model().cost().cost(from.slot(), to.slot())
                : CostMatrix.UNREACHABLE;
    }

    @Override
    public RowCosts row(String device) throws Failure {
        FoundDevice from = finder().find(device);
        CostMatrix matrix = from.fabric().model().cost();
        short[] row = new short[matrix.vertices()];
        matrix.row(from.slot(), row);
        List<RowCosts.Entry> costs = new ArrayList<>(row.length);
        for (FoundDevice to : found.devicesOf(from.fabric())) {
            int cost = Short.toUnsignedInt(row[to.slot()]);
            costs.add(new RowCosts.Entry(to.shownId(), to.port(), to.name(), to.slot(), cost));
        }
        return new RowCosts(from.shownId(), from.fabric().generation(), costs);
    }

    @Override
    public BlockAnswer block(List<String> rows, List<String> cols) throws Failure {
        List<FoundDevice> from = all(rows);
        List<FoundDevice> to = all(cols);
        requireShown((long) from.size() * to.size());
        List<List<Integer>> costs = new ArrayList<>();
        for (FoundDevice one : from) {
            costs.add(to.stream().map(other -> cost(one, other)).toList());
        }
        FoundFabric fabric = from.getFirst().fabric();
        return new BlockAnswer(
                from.stream().map(FoundDevice::shownId).toList(),
                to.stream().map(FoundDevice::shownId).toList(),
                fabric.name(),
                fabric.generation(),
                costs);
    }

    /** A short list stands for many devices. */
    private static void requireShown(long costs) throws Failure {
        if (costs > MOST_COSTS) {
            throw Failure.wrongUsage("these are " + costs + " costs, of which at most " + MOST_COSTS
                    + " are shown at once: ask for fewer devices, or have --out write all of a fabric");
        }
    }

    private List<FoundDevice> all(List<String> ids) throws Failure {
        Set<FoundDevice> devices = new LinkedHashSet<>();
        for (String id : ids) {
            devices.addAll(finder().findAll(id));
        }
        return List.copyOf(devices);
    }

    @Override
    public NodesCostAnswer nodes(@Nullable String fabric, String from, String to) throws Failure {
        List<List<FoundDevice>> hosts = hostsOf(List.of(from, to));
        FoundFabric chosen = fabricOf(fabric, hosts);
        return NodesCostAnswer.of(
                named(chosen), from, slots(chosen, hosts.getFirst()), to, slots(chosen, hosts.getLast()));
    }

    @Override
    public BlockAnswer hosts(@Nullable String fabric, List<String> names) throws Failure {
        requireShown((long) names.size() * names.size());
        List<List<FoundDevice>> hosts = hostsOf(names);
        FoundFabric chosen = fabricOf(fabric, hosts);
        int[][] slots = hosts.stream().map(host -> slots(chosen, host)).toArray(int[][]::new);
        return BlockAnswer.ofNodes(named(chosen), names, slots);
    }

    private List<List<FoundDevice>> hostsOf(List<String> names) throws Failure {
        List<List<FoundDevice>> hosts = new ArrayList<>();
        for (String name : names) {
            hosts.add(finder().findAll(name));
        }
        return hosts;
    }

    /** Costs compare within one fabric only. Hosts that share none are asked about in the first one's. */
    private FoundFabric fabricOf(@Nullable String name, List<List<FoundDevice>> hosts) throws Failure {
        if (name != null) {
            return found.choose(name);
        }
        for (FoundFabric fabric : found.fabrics()) {
            if (hosts.stream().allMatch(host -> slots(fabric, host).length > 0)) {
                return fabric;
            }
        }
        return hosts.getFirst().getFirst().fabric();
    }

    private static int[] slots(FoundFabric fabric, List<FoundDevice> devices) {
        return devices.stream()
                .filter(device -> device.fabric() == fabric)
                .mapToInt(FoundDevice::slot)
                .toArray();
    }

    @Override
    public GroupCostAnswer toGroup(String device, int group) throws Failure {
        FoundDevice from = finder().find(device);
        GroupCostAnswer answer = GroupCostAnswer.of(named(from.fabric()), from.slot(), group, null);
        if (answer == null) {
            throw noSuchGroup(from.fabric().name(), group);
        }
        return answer;
    }

    /** The failure of every way to the answer. */
    public static Failure noSuchGroup(String fabric, int group) {
        return Failure.wrongUsage("fabric " + fabric + " has no devices in group " + group
                + "; 'kubectl fabric groups' lists the groups");
    }

    @Override
    public Matrix matrix(@Nullable String fabric) throws Failure {
        return new LocalMatrix(found.choose(fabric));
    }

    private record LocalMatrix(FoundFabric of) implements Matrix {
        private CostMatrix costs() {
            return of.model().cost();
        }

        @Override
        public String fabric() {
            return of.name();
        }

        @Override
        public int vertices() {
            return costs().vertices();
        }

        @Override
        public long generation() {
            return of.generation();
        }

        @Override
        public String digest() {
            return costs().digest();
        }

        @Override
        public void writeRows(OutputStream out) throws IOException {
            short[] row = new short[vertices()];
            ByteBuffer bytes = ByteBuffer.allocate(2 * row.length).order(ByteOrder.LITTLE_ENDIAN);
            for (int from = 0; from < row.length; from++) {
                costs().row(from, row);
                bytes.asShortBuffer().put(row);
                out.write(bytes.array());
            }
        }
    }

    @Override
    public List<Findings> findings(@Nullable String fabric) throws Failure {
        List<FoundFabric> asked = fabric == null ? found.fabrics() : List.of(found.choose(fabric));
        return asked.stream()
                .map(one -> new Findings(
                        one.name(),
                        one.generation(),
                        one.model().kind().name(),
                        one.model().switches(),
                        one.model().devices(),
                        one.model().hosts(),
                        one.findings(),
                        one.model().unresolved(),
                        one.model().exemptHosts()))
                .toList();
    }

    @Override
    public String slurm(SlurmRequest request) throws Failure, IOException {
        FoundFabric one = found.choose(request.fabric());
        List<String> planes = one.model().planes().stream().map(Plane::id).toList();
        if (request.plane() != null && !planes.contains(request.plane())) {
            throw Failure.wrongUsage("no plane '" + request.plane() + "' in fabric " + one.name() + "; there is "
                    + String.join(", ", planes));
        }
        SlurmOptions options = new SlurmOptions(
                one.name(),
                request.plugin(),
                request.plane(),
                request.everySwitch(),
                new SlurmNodeNames(request.names(), nodeOfHost(one)),
                request.version(),
                request.switchNames());
        if (!request.yaml() && SlurmWriter.isFlat(new SlurmWriter.NamedTopology(one.model(), options))) {
            throw Failure.wrongUsage(
                    "fabric " + one.name() + " has no switch to tell of, and slurmctld ends on a topology.conf"
                            + " without one: leave the file out;"
                            + " --format yaml can say it");
        }
        StringBuilder text = new StringBuilder();
        if (request.yaml()) {
            SlurmWriter.yaml(one.model(), options, text);
        } else {
            SlurmWriter.conf(one.model(), options, text);
        }
        return text.toString();
    }

    private Map<String, String> nodeOfHost(FoundFabric one) {
        Map<String, String> nodes = new HashMap<>();
        for (FoundDevice device : found.devicesOf(one)) {
            String node = device.spec().nodeName();
            if (node != null) {
                nodes.putIfAbsent(device.hostname(), node);
            }
        }
        return nodes;
    }

    @Override
    public String map(MapRequest request) throws Failure {
        FoundFabric one = found.choose(request.fabric());
        JobRanks job = job(request, one);
        if (job != null
                && !request.isThere()
                && job.hosts().stream().allMatch(host -> host.slots().isEmpty())) {
            throw Failure.wrongUsage("fabric " + one.name() + " has none of the hosts '"
                    + HostList.compress(request.ranks().keySet()) + "'; 'kubectl fabric groups' lists its hosts");
        }
        List<Remark> remarks = one.findings().stream()
                .map(finding -> new Remark(
                        finding.type(),
                        Objects.requireNonNullElse(finding.object(), ""),
                        finding.message(),
                        finding.switches()))
                .toList();
        return request.form().write(FabricMap.of(one.name(), one.model(), one.switches(), remarks, job));
    }

    /** A node is found by its own name, a host of a file by its hostname. */
    private @Nullable JobRanks job(MapRequest request, FoundFabric one) {
        if (request.job() == null) {
            return null;
        }
        Map<String, List<Integer>> slots = new HashMap<>();
        for (FoundDevice device : found.devicesOf(one)) {
            String node = device.spec().nodeName();
            slots.computeIfAbsent(node == null ? device.hostname() : node, n -> new ArrayList<>())
                    .add(device.slot());
        }
        return RanksByHost.of(request.job(), request.ranks(), host -> slots.getOrDefault(host, List.of()));
    }

    @Override
    public void close() {
        // Everything has been read.
    }
}
