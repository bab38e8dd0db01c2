/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fabricoperator.crds.Distance;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpec;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.FabricSwitchStatusBuilder;
import dev.fabricoperator.crds.HostPreparationBuilder;
import dev.fabricoperator.crds.JobChannel;
import dev.fabricoperator.crds.LevelSpec;
import dev.fabricoperator.crds.NamedValue;
import dev.fabricoperator.crds.Pci;
import dev.fabricoperator.crds.PortImpairment;
import dev.fabricoperator.crds.Purpose;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.SwitchPortBuilder;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.fabric.level.Channel;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.topology.Vertex;
import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.fabric.traffic.LinkFault;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.LaunchRequest;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.RankOrder;
import dev.fabricoperator.operator.server.jobs.assembly.Assembly.JoinedPod;
import dev.fabricoperator.operator.server.jobs.assembly.JobPodId;
import dev.fabricoperator.operator.server.jobs.status.ImpairedRanks;
import dev.fabricoperator.operator.server.served.JobTraffic;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.operator.server.served.ServedFabrics;
import dev.fabricoperator.protocol.job.DeviceAttribute;
import dev.fabricoperator.protocol.job.EndpointTemplate;
import dev.fabricoperator.protocol.job.FabricDifference;
import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobMapCodec;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.job.PodReport;
import dev.fabricoperator.protocol.job.RunRequest;
import dev.fabricoperator.view.mapping.FabricMapper;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Six hosts, the even ones on one leaf and the odd ones on another; each has an adapter and an Ethernet interface. */
class JobMapsTest {
    private static final int HOSTS = 6;
    private static final long EDR = 100_000_000_000L;

    private final List<ServedDevice> devices = new ArrayList<>();
    private final ServedFabrics fabrics = new ServedFabrics(4);
    private final List<String> asked = new ArrayList<>();
    private Set<String> prepared = Set.of();
    private List<SwitchFacts> impairedSwitches = List.of();
    private @Nullable Fabric ethernetFabric;
    private final KnownFabrics known = new KnownFabrics() {
        @Override
        public List<ServedDevice> devicesOf(String node) {
            asked.add(node);
            return devices.stream()
                    .filter(device -> device.nodeName().equals(node))
                    .toList();
        }

        @Override
        public @Nullable ServedFabric fabric(String name) {
            return fabrics.get(name);
        }

        @Override
        public List<SwitchFacts> impairedSwitches() {
            return impairedSwitches;
        }

        @Override
        public JobTraffic jobTraffic() {
            return new JobTraffic(
                    ethernetFabric == null ? List.of() : List.of(FabricFacts.of(ethernetFabric)), device -> false);
        }

        @Override
        public Set<String> withPreparedHosts() {
            return prepared;
        }

        @Override
        public boolean isPending(String name) {
            return fabrics.isPending(name);
        }
    };
    private final JobMaps maps = new JobMaps(known);

    JobMapsTest() {
        FabricMapper mapper = new FabricMapper("ib", FabricModel.of(cabling(), vertices()), List.of());
        for (int host = 0; host < HOSTS; host++) {
            FabricDevice adapter = object("n" + host + "-mlx5-0-1", adapter(host));
            adapter.setStatus(mapper.device(host).build());
            devices.add(ServedDevice.of(adapter));
            devices.add(ServedDevice.of(object("n" + host + "-eth0-0", ethernet(host))));
        }
        serve(cabling(), 7);
    }

    private void serve(List<Switch> cabling, long generation) {
        serve(cabling, vertices(), generation);
    }

    private void serve(List<Switch> cabling, List<Vertex> vertices, long generation) {
        FabricMapper mapper = new FabricMapper("ib", FabricModel.of(cabling, vertices), List.of());
        Fabric fabric = new Fabric();
        fabric.setMetadata(new ObjectMetaBuilder().withName("ib").withUid("u").build());
        fabric.setSpec(FabricSpecBuilder.builder()
                .hostPreparation(HostPreparationBuilder.builder()
                        .env(List.of(
                                new NamedValue("FI_PROVIDER", "verbs"),
                                new NamedValue("LD_PRELOAD", "/shared/library.so"),
                                new NamedValue("bash_env", "/shared/script")))
                        .build())
                .levels(List.of(
                        new LevelSpec("low-latency", 2, 46, List.of("space"), null),
                        new LevelSpec("control", 7, null, List.of("elsewhere"), true)))
                .build());
        fabric.setStatus(mapper.fabric(generation)
                .index(3)
                .vendor("Mellanox")
                .identifier("ib")
                .build());
        List<SwitchFacts> switches = cabling.stream()
                .map(s -> new SwitchFacts(
                        "s." + s.id(),
                        "uid-" + s.id(),
                        "1",
                        "s",
                        null,
                        null,
                        s,
                        Collections.emptySortedMap(),
                        FabricSwitchStatusBuilder.builder().fabric("ib").build()))
                .toList();
        List<FabricFacts> all = new ArrayList<>(List.of(FabricFacts.of(fabric)));
        if (ethernetFabric != null) {
            all.add(FabricFacts.of(ethernetFabric));
        }
        assertThat(fabrics.refresh(devices, switches, all)).isEmpty();
    }

    private static String guid(int host) {
        return "248a07030000000" + host;
    }

    private static List<Vertex> vertices() {
        List<Vertex> vertices = new ArrayList<>();
        for (int host = 0; host < HOSTS; host++) {
            vertices.add(new Vertex(host, guid(host), 1, "host" + host, "mlx5_0"));
        }
        return vertices;
    }

    private static List<Switch> cabling() {
        return List.of(leaf(0), leaf(1));
    }

    /** Host 5 on the leaf of the even ones. */
    private static List<Switch> cablingAfterwards() {
        return List.of(leaf(0, 0, 2, 4, 5), leaf(1, 1, 3));
    }

    private static Switch leaf(int parity) {
        return leaf(parity, parity, parity + 2, parity + 4);
    }

    private static Switch leaf(int parity, int... hosts) {
        List<SwitchPort> ports = new ArrayList<>();
        for (int host : hosts) {
            ports.add(port(host + 1, guid(host), 1));
        }
        ports.add(port(20, "a00000000000000" + (1 - parity), 20));
        return SwitchBuilder.builder()
                .id("a00000000000000" + parity)
                .source("s")
                .ports(ports)
                .build();
    }

    private static SwitchPort port(int number, String peer, int peerPort) {
        return SwitchPortBuilder.builder()
                .number(number)
                .peer(new PortPeer(peer, peerPort))
                .state(PortState.Active)
                .speedBitsPerSecond(EDR)
                .build();
    }

    private static FabricDevice object(String name, FabricDeviceSpec spec) {
        FabricDevice device = new FabricDevice();
        device.setMetadata(
                new ObjectMetaBuilder().withName(name).withUid("uid-" + name).build());
        device.setSpec(spec);
        return device;
    }

    private static FabricDeviceSpec adapter(int host) {
        return FabricDeviceSpecBuilder.builder()
                .nodeName("n" + host)
                .hostname("host" + host)
                .osName("mlx5_0")
                .port(1)
                .deviceId("fab://" + guid(host) + "::" + guid(host))
                .type(DeviceType.OpenFabrics)
                .family(Family.InfiniBand)
                .vendor("Mellanox")
                .nodeGuid(guid(host))
                .pci(new Pci("0000:3b:00.0", "15b3", "101b", null))
                .speedBitsPerSecond(EDR)
                .state(PortState.Active)
                .distances(List.of(new Distance(0, 10, 10), new Distance(1, 21, 21)))
                .build();
    }

    private static FabricDeviceSpec ethernet(int host) {
        return FabricDeviceSpecBuilder.builder()
                .nodeName("n" + host)
                .hostname("host" + host)
                .osName("eth0")
                .port(0)
                .deviceId("ipv4://02:00:00:00:00:0" + host)
                .type(DeviceType.Network)
                .family(Family.Ethernet)
                .role(Role.Management)
                .macAddress("02:00:00:00:00:0" + host)
                .distances(List.of(new Distance(0, 12, 12)))
                .build();
    }

    private static DirectJob facts(int pods, RankOrder order) {
        return new DirectJob(
                "space",
                new OwnerRef("batch/v1", "Job", "ring", "0123abcd-0000"),
                List.of(new DirectJob.App("ring", 1, pods, 2)),
                Duration.ofMinutes(10),
                order,
                null);
    }

    private static JoinedPod pod(int ordinal, int host, PodReport.OpenDevice... open) {
        return podOn("", ordinal, host, open);
    }

    private static JoinedPod podOn(String numaNodes, int ordinal, int host, PodReport.OpenDevice... open) {
        byte[] address = {10, 0, 0, (byte) ordinal};
        PodReport report = new PodReport(new byte[16], -1, address, 27000, 2, "0-3", numaNodes, List.of(open));
        return new JoinedPod(
                new JobPodId(ordinal, "ring-" + ordinal, "uid" + ordinal, Instant.EPOCH, "n" + host), report);
    }

    private static PodReport.OpenDevice rdma(String guid) {
        return new PodReport.OpenDevice("mlx5_0", guid, null, "0000:3b:00.0", false, null);
    }

    private static PodReport.OpenDevice own(int pod) {
        return new PodReport.OpenDevice(
                "eth0",
                null,
                "0a:58:00:00:00:0" + pod,
                null,
                true,
                new EndpointTemplate(
                        EndpointTemplate.Format.FI_SOCKADDR_IN, new byte[] {10, 0, 0, (byte) pod}, 27001, 0));
    }

    private static Map<String, Object> attributes(JobDevice device) {
        return device.attributes().stream().collect(Collectors.toMap(DeviceAttribute::key, DeviceAttribute::value));
    }

    @Test
    void whatAPodOpensMeetsWhatItsNodesAgentHasPublished() {
        JobMap map = maps.map(
                        facts(2, RankOrder.index),
                        0,
                        List.of(pod(0, 3, own(0), rdma(guid(3))), pod(1, 0, own(1), rdma(guid(0)))))
                .map();

        JobPod first = map.pods().getFirst();
        assertThat(first.host()).isEqualTo("host3");
        JobDevice adapter = first.devices().getFirst();
        assertThat(adapter.deviceId()).isEqualTo("fab://" + guid(3) + "::" + guid(3));
        assertThat(adapter.switchId()).isEqualTo("a000000000000001");
        assertThat(adapter.logical()).hasSameSizeAs(adapter.physical()).isNotEmpty();
        assertThat(adapter.minimumDistance()).isEqualTo(10);
        assertThat(adapter.maximumDistance()).isEqualTo(21);
        assertThat(adapter.index()).as("host0's comes before it").isEqualTo(1);
        assertThat(attributes(adapter))
                .containsEntry("pmix.hname", "host3")
                .containsEntry("pmix.fabdev.nm", "mlx5_0")
                .containsEntry("pmix.fabdev.vndr", "Mellanox")
                .containsEntry("pmix.fabdev.pcidevid", "0000:3b:00:00")
                .containsEntry("pmix.fabdev.speed", EDR)
                .containsEntry("pmix.fabdev.state", 2L)
                .doesNotContainKey("pmix.dev.id");
    }

    /** An Ethernet without cables that are known, of the hosts' own interfaces. */
    private void serveEthernet(long generation, int priority) {
        List<Vertex> vertices = new ArrayList<>();
        for (int host = 0; host < HOSTS; host++) {
            vertices.add(new Vertex(host, "host" + host + "/eth0", 0, "host" + host, "eth0"));
        }
        FabricMapper mapper = new FabricMapper("eth", FabricModel.of(List.of(), vertices), List.of());
        devices.removeIf(device -> device.osName().equals("eth0"));
        for (int host = 0; host < HOSTS; host++) {
            FabricDevice device = object("n" + host + "-eth0-0", ethernet(host));
            device.setStatus(mapper.device(host).build());
            devices.add(ServedDevice.of(device));
        }
        Fabric fabric = new Fabric();
        fabric.setMetadata(new ObjectMetaBuilder().withName("eth").withUid("e").build());
        fabric.setSpec(FabricSpecBuilder.builder().priority(priority).build());
        fabric.setStatus(
                mapper.fabric(generation).index(9).identifier("ethernet").build());
        ethernetFabric = fabric;
    }

    @Test
    void aJobKnowsAllFabricsOfItsDevicesAndTheOneOfTheHighestPriorityFirst() throws Exception {
        List<JoinedPod> pods =
                List.of(pod(0, 3, rdma(guid(3)), own(0)), pod(1, 0, rdma(guid(0)), own(1)), pod(2, 1, own(2)));
        serveEthernet(4, 0);
        serve(cabling(), 8);
        JobMap byIndex =
                maps.map(facts(3, RankOrder.index), 0, pods.subList(0, 2)).map();
        assertThat(byIndex.fabrics()).extracting(JobFabric::name).containsExactly("ib", "eth");

        serveEthernet(4, -1);
        serve(cabling(), 8);
        JobMap map = maps.map(facts(3, RankOrder.index), 0, pods).map();

        assertThat(map.fabrics())
                .as("most devices are in the other one, which has a lower priority")
                .extracting(JobFabric::name, JobFabric::index, JobFabric::generation, JobFabric::devices)
                .containsExactly(tuple("ib", 3, 8L, 2), tuple("eth", 9, 4L, 3));
        assertThat(map.otherFabrics().getFirst().costs()).hasSize(9);
        assertThat(map.pods().get(1).devices())
                .extracting(JobDevice::osName, JobDevice::fabric, JobDevice::index)
                .containsExactly(tuple("mlx5_0", 0, 0), tuple("eth0", 1, 0));
        assertThat(map.pods().getLast().devices()).singleElement().satisfies(device -> {
            assertThat(device.index()).isEqualTo(1);
            assertThat(device.logical()).isNotEmpty();
        });
        assertThat(JobMapCodec.decode(JobMapCodec.encode(map, JobMapCodec.HIGHEST_VERSION)))
                .usingRecursiveComparison()
                .isEqualTo(map);
    }

    @Test
    void aMapSaysWhatDevicesAreForWhereAllItsPodsReadThat() throws Exception {
        ServedDevice storage = devices.getFirst();
        FabricDevice labelled = object(storage.name(), adapter(0));
        labelled.getMetadata().setLabels(Map.of(FabricApi.LABEL_PURPOSE, "storage"));
        devices.set(0, ServedDevice.of(labelled));
        List<JoinedPod> pods = List.of(pod(0, 0, rdma(guid(0)), own(0)), pod(1, 1, rdma(guid(1))));
        List<JoinedPod> reading = pods.stream()
                .map(joined -> new JoinedPod(joined.pod(), joined.report().reading(JobMapCodec.HIGHEST_VERSION)))
                .toList();
        JobMap map = maps.map(facts(2, RankOrder.index), 0, reading).map();

        assertThat(JobMapCodec.decode(JobMaps.encoded(map, reading)).pods())
                .flatExtracting(JobPod::devices)
                .extracting(JobDevice::osName, JobDevice::port, JobDevice::carriesJobs)
                .containsExactly(tuple("mlx5_0", 1, false), tuple("eth0", 0, true), tuple("mlx5_0", 1, true));
        assertThat(JobMaps.encoded(map, List.of(reading.getFirst(), pods.getLast())))
                .as("a pod of a release before refuses other versions")
                .isEqualTo(JobMapCodec.encode(map, 2));
    }

    @Test
    void aJobThatNamesFabricsUsesTheseInTheirOrderAndNoDeviceOfAnother() throws Exception {
        List<JoinedPod> pods = List.of(pod(0, 3, rdma(guid(3)), own(0)), pod(1, 0, rdma(guid(0)), own(1)));
        serveEthernet(4, 0);
        serve(cabling(), 8);

        assertThat(maps.map(asking(2, "fabric", "eth, ib"), 0, pods).map().fabrics())
                .extracting(JobFabric::name)
                .containsExactly("eth", "ib");
        BuiltMap one = maps.map(asking(2, "fabric", "eth"), 0, pods);
        assertThat(one.map().fabrics()).extracting(JobFabric::name).containsExactly("eth");
        assertThat(one.map().pods().getFirst().devices())
                .extracting(JobDevice::osName, JobDevice::fabric, JobDevice::carriesJobs)
                .containsExactlyInAnyOrder(tuple("mlx5_0", -1, false), tuple("eth0", 0, true));
        assertThat(maps.map(asking(2, "fabric", "gone"), 0, pods).map().fabrics())
                .isEmpty();
    }

    private static DirectJob asking(int pods, String annotation, String value) throws Exception {
        LaunchRequest request = Objects.requireNonNull(LaunchRequest.of(Map.of(
                "fabric-operator.dev/launch",
                "direct",
                "fabric-operator.dev/ranks-per-pod",
                "2",
                "fabric-operator.dev/" + annotation,
                value)));
        return facts(pods, request.rankOrder()).asking(request);
    }

    @Test
    void aFabricForStorageIsNotTheDefaultOneWhateverItsPriority() {
        serveEthernet(4, 10);
        Fabric ethernet = Objects.requireNonNull(ethernetFabric);
        ethernet.setSpec(FabricSpecBuilder.builder()
                .priority(10)
                .purpose(Purpose.Storage)
                .build());
        serve(cabling(), 8);

        JobMap map = maps.map(
                        facts(2, RankOrder.index),
                        0,
                        List.of(pod(0, 3, rdma(guid(3)), own(0)), pod(1, 0, rdma(guid(0)), own(1))))
                .map();

        assertThat(map.fabrics()).extracting(JobFabric::name).containsExactly("ib", "eth");
    }

    @Test
    void anotherGenerationOfAnotherFabricOfTheJobIsTold() {
        serveEthernet(4, -1);
        serve(cabling(), 8);
        BuiltMap built = maps.map(
                facts(2, RankOrder.index),
                0,
                List.of(pod(0, 3, rdma(guid(3)), own(0)), pod(1, 0, rdma(guid(0)), own(1))));
        assertThat(built.map().otherGenerations()).isEqualTo("9:4");

        serveEthernet(5, -1);
        serve(cabling(), 8);

        assertThat(Objects.requireNonNull(built.renewed().get()).otherGenerations())
                .isEqualTo("9:5");
    }

    /** A geometry of PMIx has no plane beside its coordinates. */
    @Test
    void devicesOfTwoPlanesOfAFatTreeHaveCoordinatesOfTheirOwn() {
        List<Vertex> vertices = new ArrayList<>();
        Map<String, List<SwitchPort>> ports = new TreeMap<>();
        for (int plane = 0; plane < 2; plane++) {
            for (int host = 0; host < 8; host++) {
                String guid = guid(plane, host);
                vertices.add(new Vertex(2 * host + plane, guid, 1, "host" + host, "mlx5_" + plane));
                List<SwitchPort> leaf = ports.computeIfAbsent(switchOf(plane, 0, host / 2), id -> new ArrayList<>());
                leaf.add(port(leaf.size() + 1, guid, 1));
            }
            for (int pod = 0; pod < 2; pod++) {
                for (int upper = 0; upper < 2; upper++) {
                    cable(ports, switchOf(plane, 0, 2 * pod), switchOf(plane, 1, 2 * pod + upper));
                    cable(ports, switchOf(plane, 0, 2 * pod + 1), switchOf(plane, 1, 2 * pod + upper));
                    cable(ports, switchOf(plane, 1, 2 * pod + upper), switchOf(plane, 2, upper));
                }
            }
        }
        List<Switch> tree = new ArrayList<>();
        ports.forEach((id, its) ->
                tree.add(SwitchBuilder.builder().id(id).source("s").ports(its).build()));
        FabricModel model = FabricModel.of(tree, vertices);
        assertThat(model.kind()).isEqualTo(FabricKind.FatTree);
        assertThat(model.planes()).hasSize(2);
        FabricMapper mapper = new FabricMapper("ib", model, List.of());
        devices.clear();
        for (Vertex vertex : vertices) {
            int plane = vertex.index() % 2;
            FabricDevice device = object(
                    "n" + vertex.index() / 2 + "-" + plane,
                    FabricDeviceSpecBuilder.builder(adapter(vertex.index() / 2))
                            .osName("mlx5_" + plane)
                            .nodeGuid(vertex.id())
                            .deviceId("fab://" + vertex.id() + "::" + vertex.id())
                            .build());
            device.setStatus(mapper.device(vertex.index()).build());
            devices.add(ServedDevice.of(device));
        }
        serve(tree, vertices, 8);

        JobMap map = maps.map(
                        facts(2, RankOrder.index),
                        0,
                        List.of(
                                pod(0, 0, rdma(guid(0, 0)), rdma(guid(1, 0))),
                                pod(1, 5, rdma(guid(0, 5)), rdma(guid(1, 5)))))
                .map();

        List<JobDevice> open =
                map.pods().stream().flatMap(pod -> pod.devices().stream()).toList();
        assertThat(open).hasSize(4);
        assertThat(open.stream().map(device -> ints(device.logical())))
                .doesNotHaveDuplicates()
                .contains(List.of(0, 0, 0, 0), List.of(1, 0, 0, 0));
        assertThat(open.stream().map(device -> ints(device.physical()))).doesNotHaveDuplicates();
        assertThat(Objects.requireNonNull(map.fabric()).planes())
                .as("as many axes as coordinates have")
                .allSatisfy(plane -> {
                    assertThat(plane.dims()).isEqualTo(4);
                    assertThat(plane.shape()).isEqualTo("2x2x2x2");
                    assertThat(plane.sizes()).containsExactly(2, 2, 2, 2);
                });
    }

    private static List<Integer> ints(int[] values) {
        return IntStream.of(values).boxed().toList();
    }

    private static String guid(int plane, int host) {
        return String.format("c%d%014d", plane, host);
    }

    private static String switchOf(int plane, int level, int number) {
        return String.format("b%d%d%013d", plane, level, number);
    }

    private static void cable(Map<String, List<SwitchPort>> ports, String one, String other) {
        List<SwitchPort> lower = ports.computeIfAbsent(one, id -> new ArrayList<>());
        List<SwitchPort> upper = ports.computeIfAbsent(other, id -> new ArrayList<>());
        int number = lower.size() + 1;
        lower.add(port(number, other, upper.size() + 1));
        upper.add(port(upper.size() + 1, one, number));
    }

    @Test
    void aDeviceIsAsFarAsTheNumaNodesOfThePodsCpusAre() {
        JobMap map = maps.map(
                        facts(4, RankOrder.index),
                        0,
                        List.of(
                                podOn("0", 0, 0, rdma(guid(0))),
                                podOn("1", 1, 1, rdma(guid(1))),
                                podOn("0-1", 2, 2, rdma(guid(2))),
                                podOn("1-2", 3, 3, rdma(guid(3)))))
                .map();

        assertThat(map.pods().stream().map(pod -> pod.devices().getFirst()))
                .extracting(JobDevice::minimumDistance, JobDevice::maximumDistance)
                .as("node 2 is not known to the agent of host 3")
                .containsExactly(tuple(10, 10), tuple(21, 21), tuple(10, 21), tuple(65535, 65535));
    }

    @Test
    void thePodsOwnInterfaceStandsWhereTheHostsStands() {
        JobMap map = maps.map(facts(1, RankOrder.index), 0, List.of(pod(0, 2, own(5))))
                .map();

        JobDevice own = map.pods().getFirst().devices().getFirst();
        assertThat(own.deviceId()).isEqualTo("ipv4://0a:58:00:00:00:05");
        assertThat(own.minimumDistance()).isEqualTo(12);
        assertThat(attributes(own))
                .containsEntry("pmix.fabdev.addr", "0a:58:00:00:00:05")
                .containsEntry("pmix.hname", "host2");
        assertThat(Objects.requireNonNull(own.endpoint()).firstPort()).isEqualTo(27001);
        assertThat(map.fabric()).as("the Ethernet interface is in no Fabric").isNull();
    }

    @Test
    void librariesAreToldOfTheLevelsOfTheJobsChannels() throws Exception {
        BuiltMap built = maps.map(
                asking(2, "qos", "nccl=low-latency,mpi=control"),
                0,
                List.of(pod(0, 5, rdma(guid(5))), pod(1, 1, rdma(guid(1)))));

        assertThat(Objects.requireNonNull(built.map().fabric()).environment())
                .containsExactly(
                        Map.entry("FI_PROVIDER", "verbs"),
                        Map.entry("NCCL_IB_SL", "2"),
                        Map.entry("NVSHMEM_IB_SL", "2"),
                        Map.entry("NCCL_IB_TC", "184"),
                        Map.entry("NVSHMEM_IB_TRAFFIC_CLASS", "184"));
        assertThat(built.placement().get().channels())
                .containsExactly(
                        new JobChannel(
                                Channel.mpi, "control", null, null, "Fabric ib offers namespace space: low-latency"),
                        new JobChannel(Channel.nccl, "low-latency", 2, 46, null));
    }

    @Test
    void theJobsFrameHoldsItsOwnDevicesOnly() throws Exception {
        JobMap map = maps.map(
                        facts(3, RankOrder.index),
                        0,
                        List.of(pod(0, 5, rdma(guid(5))), pod(1, 1, rdma(guid(1))), pod(2, 4, rdma(guid(4)))))
                .map();

        JobFabric fabric = Objects.requireNonNull(map.fabric());
        assertThat(fabric.environment()).containsExactly(Map.entry("FI_PROVIDER", "verbs"));
        assertThat(fabric.devices()).isEqualTo(3);
        assertThat(fabric.index()).isEqualTo(3);
        assertThat(fabric.generation()).isEqualTo(7);
        assertThat(fabric.switches()).containsExactly("a000000000000000", "a000000000000001");
        assertThat(fabric.groups())
                .contains("ring-0")
                .contains("ring-1")
                .contains("ring-2")
                .doesNotContain("host");
        assertThat(map.pods())
                .extracting(pod -> pod.devices().getFirst().index())
                .containsExactly(2, 0, 1);
        short[] costs = Objects.requireNonNull(fabric.costs());
        // Rows 0, 1, 2 are hosts 1, 4, 5: 1 and 5 share a leaf.
        assertThat(costs[0]).isZero();
        assertThat(costs[2]).isLessThan(costs[1]).isPositive();
        assertThat(costs[1]).isEqualTo(costs[3]).isEqualTo(costs[5]);
        assertThat(JobMapCodec.decode(JobMapCodec.encode(map, JobMapCodec.HIGHEST_VERSION)))
                .usingRecursiveComparison()
                .isEqualTo(map);
    }

    /** Statuses of devices may come later than the generation that they belong to. */
    @Test
    void theMapIsRenewedWithTheGenerationThatIsServedAndKeepsItsRanks() {
        BuiltMap built = maps.map(
                facts(3, RankOrder.topology),
                0,
                List.of(pod(0, 5, rdma(guid(5))), pod(1, 0, rdma(guid(0))), pod(2, 1, rdma(guid(1)))));
        serve(cablingAfterwards(), 8);

        JobMap before = built.map();
        JobMap after = Objects.requireNonNull(built.renewed().get());

        assertThat(FabricDifference.isOfOneJob(before, after)).isTrue();
        assertThat(Objects.requireNonNull(after.fabric()).generation()).isEqualTo(8);
        FabricDifference difference = FabricDifference.of(before, after);
        assertThat(difference.coordinatesChanged()).isTrue();
        assertThat(difference.endpointsChanged()).isFalse();
        assertThat(difference.planes())
                .isEqualTo(after.fabric().planes().stream()
                        .map(JobFabric.Plane::id)
                        .toList())
                .isNotEmpty();
        assertThat(after.pods()
                        .get(after.indexOf("ring-0"))
                        .devices()
                        .getFirst()
                        .switchId())
                .isEqualTo("a000000000000000");
        assertThat(after.pods())
                .extracting(JobPod::name)
                .isEqualTo(before.pods().stream().map(JobPod::name).toList());
    }

    /** What the first pod tells of its map, and the pods as another server knows them. */
    private @Nullable JobMap toldAgain(DirectJob job, JobMap map, List<JoinedPod> pods) {
        List<JobPodId> inOrder = map.pods().stream()
                .map(placed -> pods.stream()
                        .map(JoinedPod::pod)
                        .filter(pod -> pod.name().equals(placed.name()))
                        .findFirst()
                        .orElseThrow())
                .toList();
        return new JobMaps(known)
                .held(job, map.withoutValues(), inOrder)
                .renewed()
                .get();
    }

    @Test
    void aServerThatHasNotMadeTheMapRenewsItByWhatAPodHoldsToTheSame() {
        List<JoinedPod> pods = List.of(
                podOn("1", 0, 5, own(0), rdma(guid(5))),
                podOn("0", 1, 0, rdma(guid(0)), own(1), rdma("00000000000000ff")),
                podOn("", 2, 1, rdma(guid(1))));
        BuiltMap built = maps.map(facts(3, RankOrder.topology), 4, pods);
        serve(cablingAfterwards(), 8);

        assertThat(toldAgain(facts(3, RankOrder.topology), built.map(), pods))
                .usingRecursiveComparison()
                .isEqualTo(built.renewed().get());
    }

    @Test
    void aPodThatTellsOfDevicesOfOtherNodesLearnsNothingOfThem() {
        List<JoinedPod> pods = List.of(pod(0, 0, rdma(guid(0)), own(0)), pod(1, 1, rdma(guid(1)), own(1)));
        JobMap map = maps.map(facts(2, RankOrder.index), 0, pods).map();
        JobPod second = map.pods().get(1);
        JobDevice taken = maps.map(facts(1, RankOrder.index), 0, List.of(pod(0, 4, rdma(guid(4)))))
                .map()
                .pods()
                .getFirst()
                .devices()
                .getFirst();
        JobMap lie = new JobMap(
                map.nspace(),
                map.attempt(),
                map.key(),
                map.apps(),
                List.of(
                        map.pods().getFirst(),
                        new JobPod(
                                second.name(),
                                second.host(),
                                second.app(),
                                second.firstRank(),
                                second.rankCount(),
                                second.address(),
                                second.port(),
                                second.cpuset(),
                                List.of(taken))),
                map.fabric());

        JobMap told = Objects.requireNonNull(toldAgain(facts(2, RankOrder.index), lie, pods));

        assertThat(Objects.requireNonNull(told.fabric()).devices()).isEqualTo(1);
        assertThat(told.pods().get(1).devices()).singleElement().satisfies(device -> {
            assertThat(device.index()).isEqualTo(-1);
            assertThat(device.switchId()).isNull();
            assertThat(device.logical()).isEmpty();
            assertThat(attributes(device)).doesNotContainKeys("pmix.fabdev.vndr", "pmix.fabdev.pcidevid");
        });
        JobMap ofAnother = new JobMap(
                lie.nspace(), 0, lie.key(), lie.apps().subList(0, 1), lie.pods(), fabricCalled("another", lie));
        assertThat(toldAgain(facts(2, RankOrder.index), ofAnother, pods)).isNull();
    }

    private static JobFabric fabricCalled(String name, JobMap of) {
        long generation = Objects.requireNonNull(of.fabric()).generation();
        return new JobFabric(name, null, "", 0, generation, List.of(), List.of(), "", 0, new short[0], Map.of());
    }

    @Test
    void aMapAndEachRenewalAskForDevicesOfTheJobsOwnNodesOnceEach() {
        BuiltMap built = maps.map(
                facts(3, RankOrder.topology),
                0,
                List.of(pod(0, 5, rdma(guid(5))), pod(1, 0, rdma(guid(0))), pod(2, 0, rdma(guid(0)))));
        assertThat(asked).containsExactlyInAnyOrder("n0", "n5");

        asked.clear();
        assertThat(built.renewed().get()).isNotNull();

        assertThat(asked)
                .as("thousands of jobs renew their maps with every generation of a fabric of 80,000 devices")
                .containsExactlyInAnyOrder("n0", "n5");
    }

    @Test
    void ranksOfARunGoToWorkersAlongTheFabricAndMpirunsPodStaysTheFirst() throws Exception {
        PodReport mpirun = new PodReport(new byte[16], -1, new byte[] {10, 0, 0, 9}, 27000, 0, "0-3", "", List.of())
                .asking(new RunRequest(7, 0, false));
        List<JoinedPod> pods = new ArrayList<>();
        pods.add(new JoinedPod(new JobPodId(0, "launcher", "launcher", Instant.EPOCH, "n0"), mpirun));
        for (int i = 0; i < HOSTS; i++) {
            pods.add(pod(i + 1, i, rdma(guid(i))));
        }
        DirectJob job = new DirectJob(
                "space",
                new OwnerRef("kubeflow.org/v2beta1", "MPIJob", "pi", "0123abcd-0000"),
                List.of(new DirectJob.App("launcher", 1, 1, 0), new DirectJob.App("worker", 1, HOSTS, 2)),
                Duration.ofMinutes(10),
                RankOrder.topology,
                null);

        BuiltMap built = maps.map(job, 0, pods);
        JobMap map = built.map();

        assertThat(map.isRun()).isTrue();
        assertThat(map.size()).isEqualTo(7);
        assertThat(map.pods())
                .extracting(JobPod::host, JobPod::rankCount)
                .containsExactly(
                        tuple("host0", 0),
                        tuple("host0", 2),
                        tuple("host2", 2),
                        tuple("host4", 2),
                        tuple("host1", 1),
                        tuple("host3", 0),
                        tuple("host5", 0));
        assertThat(map.forRanks().pods()).hasSize(4);
        assertThat(toldAgain(job, map, pods))
                .as("by a server that has not made it")
                .usingRecursiveComparison()
                .isEqualTo(built.renewed().get());
        assertThat(JobMapCodec.decode(JobMapCodec.encode(map, JobMapCodec.HIGHEST_VERSION)))
                .usingRecursiveComparison()
                .isEqualTo(map);
    }

    @Test
    void ranksAreGivenOutAlongTheFabricWhereThatIsAskedFor() {
        List<JoinedPod> pods = new ArrayList<>();
        for (int i = 0; i < HOSTS; i++) {
            pods.add(pod(i, i, rdma(guid(i))));
        }

        BuiltMap byIndex = maps.map(facts(HOSTS, RankOrder.index), 0, pods);
        BuiltMap byFabric = maps.map(facts(HOSTS, RankOrder.topology), 0, pods);

        assertThat(byIndex.map().pods())
                .extracting(JobPod::host)
                .containsExactly("host0", "host1", "host2", "host3", "host4", "host5");
        assertThat(byFabric.map().pods())
                .extracting(JobPod::host)
                .containsExactly("host0", "host2", "host4", "host1", "host3", "host5");
        assertThat(byFabric.map().pods()).extracting(JobPod::firstRank).containsExactly(0, 2, 4, 6, 8, 10);
        Double there = Objects.requireNonNull(byFabric.placement().get().cost()).neighborCost();
        Double before = Objects.requireNonNull(byIndex.placement().get().cost()).neighborCost();
        assertThat(there).isLessThan(before);
    }

    @Test
    void groupsOfRanksAreOnOneLeafWhereverTheyCanBe() throws Exception {
        List<JoinedPod> pods = new ArrayList<>();
        for (int i = 0; i < HOSTS; i++) {
            pods.add(pod(i, i, rdma(guid(i))));
        }

        // Of leaves with three hosts each, two make a group, and the one that is left of each comes with the other.
        assertThat(maps.map(asking(HOSTS, "group-size", "4"), 0, pods).map().pods())
                .extracting(JobPod::host)
                .containsExactly("host0", "host2", "host4", "host5", "host1", "host3");
    }

    @Test
    void thePlacementIsComparedWithTheBestOfItsSize() {
        List<JoinedPod> apart = List.of(pod(0, 0, rdma(guid(0))), pod(1, 1, rdma(guid(1))), pod(2, 2, rdma(guid(2))));
        List<JoinedPod> together =
                List.of(pod(0, 0, rdma(guid(0))), pod(1, 2, rdma(guid(2))), pod(2, 4, rdma(guid(4))));

        var far = maps.map(facts(3, RankOrder.index), 0, apart).placement().get();
        var near = maps.map(facts(3, RankOrder.index), 0, together).placement().get();

        assertThat(far.fabric()).isEqualTo("ib");
        assertThat(Objects.requireNonNull(far.cost()).meanCost())
                .isGreaterThan(far.cost().bestMeanCost());
        assertThat(Objects.requireNonNull(near.cost()).meanCost())
                .isEqualTo(near.cost().bestMeanCost());
        assertThat(far.cost().bestMeanCost()).isEqualTo(near.cost().meanCost());
        assertThat(far.cost().worstCost()).isGreaterThan(near.cost().worstCost());
    }

    @Test
    void ranksOnADeviceWhoseLinkMayBeAboutToFailAreNamed() {
        BuiltMap built = maps.map(
                facts(3, RankOrder.index),
                0,
                List.of(pod(0, 3, rdma(guid(3))), pod(1, 0, own(1)), pod(2, 4, own(2), rdma(guid(4)))));
        assertThat(built.impaired().get()).isEmpty();

        PortImpairment sign = new PortImpairment(
                LinkFault.SymbolErrors, "/sys/x/symbol_error", 40L, 10L, 2L, 60L, 300L, "2026-11-28T12:00:00Z");
        for (int host : new int[] {0, 4}) {
            FabricDeviceSpec spec = FabricDeviceSpecBuilder.builder(adapter(host))
                    .impairments(List.of(sign))
                    .build();
            devices.replaceAll(device -> device.name().equals("n" + host + "-mlx5-0-1")
                    ? ServedDevice.of(object(device.name(), spec))
                    : device);
        }
        assertThat(built.impaired().get())
                .as("the pod on host 0 cannot open its adapter")
                .singleElement()
                .satisfies(ranks -> {
                    assertThat(ranks.uses()).singleElement().satisfies(use -> {
                        assertThat(use.first()).isEqualTo(4);
                        assertThat(use.last()).isEqualTo(5);
                    });
                    assertThat(ranks.words()).isEqualTo("ranks 4-5: mlx5_0 port 1 of n4: 40 symbol errors in 2 s");
                });
    }

    private static SwitchFacts impaired(int leaf, int port) {
        Impairment sign =
                new Impairment(LinkFault.SymbolErrors, "SymbolErrorCounter", 40, 10, 2, 60, 300, Instant.EPOCH);
        return new SwitchFacts(
                "s." + leaf, "uid", "1", "s", null, null, leaf(leaf), new TreeMap<>(Map.of(port, List.of(sign))), null);
    }

    @Test
    void ranksWhosePacketsPassALinkBetweenSwitchesThatIsImpairedAreNamed() {
        // Hosts 0 and 2 are on one leaf, 3 on the other; the pod on host 1 cannot open its adapter.
        BuiltMap built = maps.map(
                facts(4, RankOrder.index),
                0,
                List.of(
                        pod(0, 0, rdma(guid(0))),
                        pod(1, 2, rdma(guid(2))),
                        pod(2, 3, rdma(guid(3))),
                        pod(3, 1, own(3))));
        impairedSwitches = List.of(impaired(1, 20));
        assertThat(built.impaired().get()).singleElement().satisfies(ranks -> {
            assertThat(ranks.words())
                    .isEqualTo(
                            "ranks 0-3 reach 4-5 over a000000000000001 port 20, and back by it, by the cheapest path:"
                                    + " 40 symbol errors in 2 s");
            assertThat(ranks.uses()).extracting(ImpairedRanks.Use::first).containsExactly(0, 2, 4);
        });

        impairedSwitches = List.of(impaired(1, 6));
        assertThat(built.impaired().get())
                .as("the link of a host that is not the job's")
                .isEmpty();

        impairedSwitches = List.of(impaired(1, 4));
        assertThat(built.impaired().get()).singleElement().satisfies(ranks -> {
            assertThat(ranks.words())
                    .isEqualTo("ranks 4-5: mlx5_0 port 1 of n3: 40 symbol errors in 2 s, counted by a000000000000001"
                            + " port 4 at the other end and not by its host");
            assertThat(ranks.uses()).extracting(ImpairedRanks.Use::first).containsExactly(4);
        });
    }

    @Test
    void aLinkBetweenSwitchesThatNoPacketOfTheJobPassesConcernsNoRank() {
        BuiltMap built =
                maps.map(facts(2, RankOrder.index), 0, List.of(pod(0, 0, rdma(guid(0))), pod(1, 2, rdma(guid(2)))));
        impairedSwitches = List.of(impaired(0, 20), impaired(1, 20));
        assertThat(built.impaired().get()).isEmpty();
    }

    @Test
    void aDeviceThatNoAgentHasPublishedHasNoPlace() {
        JobMap map = maps.map(facts(1, RankOrder.index), 0, List.of(pod(0, 9, rdma("00000000000000ff"), own(1))))
                .map();

        assertThat(map.pods().getFirst().host()).isEqualTo("n9");
        assertThat(map.pods().getFirst().devices()).allSatisfy(device -> {
            assertThat(device.index()).isEqualTo(-1);
            assertThat(device.minimumDistance()).isEqualTo(65535);
            assertThat(device.switchId()).isNull();
        });
        assertThat(map.pods().getFirst().devices())
                .extracting(device -> attributes(device).get("pmix.fabdev.btyp"))
                .as("the pod's own interface is on no bus, of the other nothing is known")
                .containsExactlyInAnyOrder("virtual", null);
    }

    @Test
    void podsOnHostsWithADeviceOfAFabricThatWantsItWaitForTheirHosts() {
        List<JoinedPod> pods = List.of(pod(0, 1, own(0)), pod(1, 9, own(1)), pod(2, 4, rdma(guid(4))));
        assertThat(maps.onPreparedHosts(pods).isEmpty()).isTrue();

        prepared = Set.of("another");
        assertThat(maps.onPreparedHosts(pods).isEmpty()).isTrue();

        prepared = Set.of("another", "ib");
        assertThat(maps.onPreparedHosts(pods).stream()).containsExactly(0, 2);
    }

    @Test
    void hostsThatAreReachedBySshStandInTheOrderThatRanksOfADirectLaunchHave() {
        List<HostOrder.PlacedHost> hosts = List.of(
                new HostOrder.PlacedHost("pi-worker-0", "n0"),
                new HostOrder.PlacedHost("pi-worker-1", "n1"),
                new HostOrder.PlacedHost("pi-worker-2", "n2"),
                new HostOrder.PlacedHost("pi-worker-3", "n3"));

        assertThat(HostOrder.of(known, hosts, List.of(), 1))
                .containsExactly("pi-worker-0", "pi-worker-2", "pi-worker-1", "pi-worker-3");
    }

    @Test
    void hostsOfAGroupOfRanksAreOnOneLeafWhereverTheyCanBe() {
        List<HostOrder.PlacedHost> hosts = new ArrayList<>();
        for (int i = 0; i < HOSTS; i++) {
            hosts.add(new HostOrder.PlacedHost("a" + i, "n" + i));
        }
        assertThat(HostOrder.of(known, hosts, List.of(), 2)).containsExactly("a0", "a2", "a4", "a5", "a1", "a3");

        // With two pods on each node a group of four is as one of two nodes, and one of three is of no whole nodes.
        for (int i = 0; i < HOSTS; i++) {
            hosts.add(new HostOrder.PlacedHost("b" + i, "n" + i));
        }
        assertThat(HostOrder.of(known, hosts, List.of(), 4))
                .containsExactly("a0", "b0", "a2", "b2", "a4", "b4", "a5", "b5", "a1", "b1", "a3", "b3");
        assertThat(HostOrder.of(known, hosts, List.of(), 3)).isEqualTo(HostOrder.of(known, hosts, List.of(), 1));
    }

    @Test
    void hostsOfANodeStandTogetherAndThoseOfNodesWithoutDevicesBehindAllOthers() {
        List<HostOrder.PlacedHost> hosts = List.of(
                new HostOrder.PlacedHost("pi-worker-0", "elsewhere"),
                new HostOrder.PlacedHost("pi-worker-1", "n0"),
                new HostOrder.PlacedHost("pi-worker-2", "n1"),
                new HostOrder.PlacedHost("pi-worker-3", "n0"));

        assertThat(HostOrder.of(known, hosts, List.of(), 1))
                .containsExactly("pi-worker-1", "pi-worker-3", "pi-worker-2", "pi-worker-0");
    }

    @Test
    void hostsOfNodesThatNoFabricHasKeepTheirOrder() {
        List<HostOrder.PlacedHost> hosts = List.of(
                new HostOrder.PlacedHost("pi-worker-0", "elsewhere-1"),
                new HostOrder.PlacedHost("pi-worker-1", "elsewhere-0"));

        assertThat(HostOrder.of(known, hosts, List.of(), 1)).containsExactly("pi-worker-0", "pi-worker-1");
        assertThat(HostOrder.of(known, List.of(), List.of(), 1)).isEmpty();
    }
}
