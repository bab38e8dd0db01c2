/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.pmixd.launcher.LauncherFacts;
import dev.fabricoperator.protocol.job.DeviceAttribute;
import dev.fabricoperator.protocol.job.EndpointTemplate;
import dev.fabricoperator.protocol.job.JobApp;
import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.job.PodReport.OpenDevice;
import dev.fabricoperator.protocol.pmix.PmixType;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceReportTest {
    @TempDir
    Path sys;

    private static LauncherFacts facts() {
        return facts(List.of(
                new LauncherFacts.RdmaPort("mlx5_0", 1, "98039b0300677c9a", "0000:05:00.0"),
                new LauncherFacts.RdmaPort("mlx5_2", 1, null, null)));
    }

    private static LauncherFacts facts(List<LauncherFacts.RdmaPort> rdma) {
        return facts(rdma, 0);
    }

    private static LauncherFacts facts(List<LauncherFacts.RdmaPort> rdma, int cpuMillis) {
        return new LauncherFacts(
                1000,
                1000,
                "0-1",
                "0",
                2,
                true,
                false,
                false,
                rdma,
                List.of(new LauncherFacts.CxiDevice("cxi0", "0000:21:00.0")),
                List.of(
                        new LauncherFacts.Interface("eth0", "0a:58:0a:01:00:07", null, List.of("10.1.0.7", "fd00::7")),
                        new LauncherFacts.Interface("net1", "0a:58:0a:02:00:07", "0000:06:00.1", List.of("fd01::7"))),
                List.of(),
                null,
                null,
                cpuMillis,
                0);
    }

    private void put(String name, String text) throws IOException {
        Path file = sys.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + "\n");
    }

    @Test
    void everyDeviceIsToldWithTheAddressThatItsKindHas() throws IOException {
        put("class/infiniband/mlx5_0/ports/1/link_layer", "InfiniBand");
        put("class/infiniband/mlx5_0/ports/1/gids/0", "fe80:0000:0000:0000:9803:9b03:0067:7c9a");
        put("class/infiniband/mlx5_0/ports/1/lid", "0x3a4");
        put("class/infiniband/mlx5_2/ports/1/link_layer", "Ethernet");
        // Of a pod that shares the device, and has an interface of the same name.
        put("class/infiniband/mlx5_2/ports/1/gids/0", "fd01:0000:0000:0000:0000:0000:0000:0008");
        put("class/infiniband/mlx5_2/ports/1/gid_attrs/ndevs/0", "net1");
        put("class/infiniband/mlx5_2/ports/1/gids/1", "0000:0000:0000:0000:0000:0000:0000:0000");
        put("class/infiniband/mlx5_2/ports/1/gids/2", "fd01:0000:0000:0000:0000:0000:0000:0007");
        put("class/cxi/cxi0/device/properties/nid", "0x123");
        DeviceReport report = new DeviceReport(
                sys, InetAddress.ofLiteral("10.1.0.7"), 2, (address, count) -> 20_000 + address.getAddress().length);
        List<OpenDevice> devices = report.of(facts(), new RoceGids(sys, facts().interfaces()));
        assertThat(devices).extracting(OpenDevice::osName).containsExactly("mlx5_0", "mlx5_2", "cxi0", "eth0", "net1");
        assertThat(devices).extracting(OpenDevice::own).containsExactly(false, false, false, true, false);
        assertThat(devices.get(0).endpoint()).satisfies(endpoint -> {
            assertThat(endpoint).isNotNull();
            assertThat(endpoint.format()).isEqualTo(EndpointTemplate.Format.FI_SOCKADDR_IB);
            assertThat(endpoint.address()).hasSize(16).startsWith(0xfe, 0x80);
            assertThat(endpoint.lid()).isEqualTo(0x3a4);
        });
        assertThat(devices.get(1).endpoint()).satisfies(endpoint -> {
            assertThat(endpoint).isNotNull();
            assertThat(endpoint.format()).isEqualTo(EndpointTemplate.Format.FI_SOCKADDR_IN6);
            assertThat(endpoint.address()).startsWith(0xfd, 0x01).endsWith(7);
        });
        assertThat(devices.get(2).endpoint())
                .satisfies(endpoint -> assertThat(endpoint.address()).containsExactly(0xff, 0x47, 0x02, 0, 0, 0, 0, 0));
        assertThat(devices.get(3).endpoint()).satisfies(endpoint -> {
            assertThat(endpoint.address()).containsExactly(10, 1, 0, 7);
            assertThat(endpoint.firstPort()).isEqualTo(20_004);
        });
    }

    private void gid(int index, String gid, String type, String netdev) throws IOException {
        put("class/infiniband/mlx5_2/ports/1/gids/" + index, gid);
        put("class/infiniband/mlx5_2/ports/1/gid_attrs/types/" + index, type);
        put("class/infiniband/mlx5_2/ports/1/gid_attrs/ndevs/" + index, netdev);
    }

    @Test
    void ofAGidTableThePodsOwnEntryOfRoceByIpv4IsTaken() throws IOException {
        String ofThePod = "0000:0000:0000:0000:0000:ffff:0a02:0007";
        put("class/infiniband/mlx5_2/ports/1/link_layer", "Ethernet");
        gid(0, "fe80:0000:0000:0000:9803:9bff:fe67:7c9a", "IB/RoCE v1", "net1");
        gid(1, "0000:0000:0000:0000:0000:ffff:0a02:0008", "RoCE v2", "net1");
        gid(2, "fd01:0000:0000:0000:0000:0000:0000:0007", "RoCE v2", "net1");
        gid(3, ofThePod, "IB/RoCE v1", "net1");
        gid(4, ofThePod, "RoCE v2", "net1");
        LauncherFacts.RdmaPort port = new LauncherFacts.RdmaPort("mlx5_2", 1, null, null);
        List<LauncherFacts.Interface> interfaces =
                List.of(new LauncherFacts.Interface("net1", null, null, List.of("10.2.0.7", "fd01::7")));
        assertThat(new RoceGids(sys, interfaces).of(port))
                .isEqualTo(new RoceGids.Entry(4, "RoCE v2", "net1", InetAddress.ofLiteral("10.2.0.7")));
        assertThat(new RoceGids(sys, interfaces).indexForLibraries(port)).isEqualTo(4);
        assertThat(new RoceGids(sys, List.of()).of(port)).isNull();
        // Of two netdevs nobody knows which one is meant.
        gid(5, ofThePod, "RoCE v2", "net1.100");
        assertThat(new RoceGids(sys, interfaces).indexForLibraries(port)).isNull();
        put("class/infiniband/mlx5_2/ports/1/link_layer", "InfiniBand");
        assertThat(new RoceGids(sys, interfaces).of(port)).isNull();
    }

    @Test
    void librariesAreToldTheGidIndexThatAllPortsShare() {
        LauncherFacts facts = facts(List.of(
                new LauncherFacts.RdmaPort("mlx5_0", 1, null, null),
                new LauncherFacts.RdmaPort("mlx5_2", 1, null, null)));
        List<JobDevice> devices = Stream.of("mlx5_0", "mlx5_2")
                .map(name -> new JobDevice(
                        "fab://" + name, name, 1, List.of(), 0, null, null, new int[0], new int[0], 10, 10, null))
                .toList();
        List<JobPod> pods = List.of(new JobPod("a", "n1", 0, 0, 2, new byte[4], 1, "0-1", devices));
        JobMap map = new JobMap("ns.j-0", 0, new byte[32], List.of(new JobApp(0, "j", 2)), pods, null);
        assertThat(LibraryVariables.of(map, 0, facts, "eth0", true, port -> 3))
                .containsEntry("NCCL_IB_GID_INDEX", "3")
                .containsEntry("UCX_IB_GID_INDEX", "3");
        assertThat(LibraryVariables.of(
                        map, 0, facts, "eth0", true, port -> port.device().equals("mlx5_0") ? 3 : 5))
                .doesNotContainKeys("NCCL_IB_GID_INDEX", "UCX_IB_GID_INDEX");
        assertThat(LibraryVariables.of(
                        map, 0, facts, "eth0", true, port -> port.device().equals("mlx5_0") ? 3 : null))
                .doesNotContainKey("NCCL_IB_GID_INDEX");
    }

    @Test
    void whatCannotBeReadIsUnknownAndNotLeftOut() throws IOException {
        List<OpenDevice> devices = new DeviceReport(sys, InetAddress.ofLiteral("10.9.9.9"), 2, (address, count) -> 1)
                .of(facts(), new RoceGids(sys, facts().interfaces()));
        assertThat(devices).hasSize(5);
        assertThat(devices.subList(0, 3))
                .allSatisfy(device -> assertThat(device.endpoint()).isNull());
        assertThat(devices.get(3).own()).isFalse();
    }

    @Test
    void portsLieBelowThoseOfConnectionsAndAreFree() throws IOException {
        put("range", "20000\t60999");
        FreePorts ports = new FreePorts(sys.resolve("range"), new Random(1));
        for (int i = 0; i < 20; i++) {
            assertThat(ports.first(InetAddress.getLoopbackAddress(), 8)).isBetween(10_000, 19_992);
        }
    }

    @Test
    void librariesAreToldOfDevicesThatOpenAndRanksThatShareCpusToYield() {
        JobDevice device =
                new JobDevice("fab://a", "mlx5_0", 1, List.of(), 0, null, null, new int[0], new int[0], 10, 10, null);
        List<JobPod> pods = List.of(
                new JobPod("a", "n1", 0, 0, 2, new byte[4], 1, "0-1", List.of(device)),
                new JobPod("b", "n1", 0, 2, 1, new byte[4], 1, "0-1", List.of()),
                new JobPod("c", "n2", 0, 3, 2, new byte[4], 1, "0-1", List.of()));
        JobMap map = new JobMap("ns.j-0", 0, new byte[32], List.of(new JobApp(0, "j", 5)), pods, null);
        String own = LibraryVariables.ownInterface(facts(), "10.1.0.7");
        Map<String, String> crowded = LibraryVariables.of(map, 0, facts(), own, true, port -> null);
        assertThat(crowded)
                .containsEntry("HOME", "/tmp")
                .containsEntry("OMPI_MCA_mpi_yield_when_idle", "1")
                .containsEntry("PMIX_MCA_ptl_base_handshake_wait_time", "60")
                .containsEntry("UCX_NET_DEVICES", "mlx5_0:1")
                .containsEntry("NCCL_IB_HCA", "=mlx5_0:1")
                .containsEntry("OMPI_MCA_btl_tcp_if_include", "eth0");
        assertThat(LibraryVariables.of(map, 2, facts(), own, false, port -> null))
                .containsOnlyKeys("HOME", "FI_OPX_UUID", "FI_PSM3_UUID");
        for (int cpuMillis : List.of(1, 1999)) {
            assertThat(LibraryVariables.of(map, 2, facts(List.of(), cpuMillis), own, false, port -> null))
                    .as("two ranks whose container may take %d thousandths of a CPU", cpuMillis)
                    .containsEntry("OMPI_MCA_mpi_yield_when_idle", "1");
        }
        assertThat(LibraryVariables.of(map, 2, facts(List.of(), 2000), own, false, port -> null))
                .containsOnlyKeys("HOME", "FI_OPX_UUID", "FI_PSM3_UUID");
        assertThat(LibraryVariables.cpus("0-3,8")).isEqualTo(5);
        assertThat(LibraryVariables.cpus("")).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void theNearestDeviceComesFirstExceptForNcclWhichPairsDevicesOfNodesByTheirPlanes() {
        // By file, and by plane: mlx5_0, mlx5_2. Nearest to the pod's CPUs: mlx5_2.
        JobDevice near = device("mlx5_2", 1, "plane-1", 10);
        JobDevice far = device("mlx5_0", 0, "plane-0", 21);
        JobDevice unplaced = device("mlx5_5", -1, null, 31);
        JobPod pod = new JobPod("a", "n1", 0, 0, 1, new byte[4], 1, "0-1", List.of(near, far, unplaced));
        JobMap map = new JobMap("ns.j-0", 0, new byte[32], List.of(new JobApp(0, "j", 1)), List.of(pod), null);
        LauncherFacts facts = facts(List.of(
                new LauncherFacts.RdmaPort("mlx5_0", 1, null, null),
                new LauncherFacts.RdmaPort("mlx5_2", 1, null, null),
                new LauncherFacts.RdmaPort("mlx5_5", 1, null, null)));
        assertThat(LibraryVariables.of(map, 0, facts, "eth0", true, port -> null))
                .containsEntry("UCX_NET_DEVICES", "mlx5_2:1,mlx5_0:1,mlx5_5:1")
                .containsEntry("FI_VERBS_DEVICE_NAME", "mlx5_2")
                .containsEntry("NCCL_IB_HCA", "=mlx5_0:1,mlx5_2:1,mlx5_5:1");
    }

    @Test
    void devicesForSomethingElseThanJobsAreLeftOutAndEachPortIsADeviceOfItsOwn() {
        LauncherFacts facts = facts(List.of(
                new LauncherFacts.RdmaPort("mlx5_0", 1, null, null),
                new LauncherFacts.RdmaPort("mlx5_0", 2, null, null),
                new LauncherFacts.RdmaPort("mlx5_1", 1, null, null),
                new LauncherFacts.RdmaPort("rdmap0s6", 1, null, null)));
        JobDevice efa = used(
                device("rdmap0s6", List.of(new DeviceAttribute("pmix.fabdev.driver", PmixType.STRING, "efa"))),
                1,
                true);
        JobDevice storage = used(device("mlx5_0", List.of()), 1, false);
        assertThat(told(facts, storage, used(device("mlx5_0", List.of()), 2, true), efa))
                .containsEntry("UCX_NET_DEVICES", "mlx5_0:2")
                .containsEntry("NCCL_IB_HCA", "=mlx5_0:2")
                .containsEntry("FI_VERBS_DEVICE_NAME", "mlx5_0")
                .containsEntry("FI_EFA_IFACE", "rdmap0s6")
                .containsEntry("FI_CXI_DEVICE_NAME", "cxi0");
        assertThat(told(facts, storage, used(efa, 1, false), used(device("cxi0", List.of()), 0, false)))
                .as("nothing is left, and the choice is the libraries'")
                .doesNotContainKeys(
                        "UCX_NET_DEVICES", "NCCL_IB_HCA", "FI_VERBS_DEVICE_NAME", "FI_EFA_IFACE", "FI_CXI_DEVICE_NAME");
        assertThat(told(facts(List.of()))).containsEntry("UCX_NET_DEVICES", "eth0");
    }

    @Test
    void ringsOfNcclStayOnOneDeviceWhereRailsDoNotMeet() {
        LauncherFacts facts = facts(List.of(
                new LauncherFacts.RdmaPort("mlx5_0", 1, null, null),
                new LauncherFacts.RdmaPort("mlx5_1", 1, null, null)));
        List<JobDevice> rails = List.of(device("mlx5_0", 0, "0", 10), device("mlx5_1", 1, "1", 10));
        assertThat(told(facts, rails, new short[] {0, -1, -1, 0})).containsEntry("NCCL_CROSS_NIC", "0");
        assertThat(told(facts, rails, new short[] {0, 40, 40, 0})).doesNotContainKey("NCCL_CROSS_NIC");
        assertThat(told(facts, rails, null)).as("not known").doesNotContainKey("NCCL_CROSS_NIC");
        List<JobDevice> uncabled = List.of(device("mlx5_0", 0, null, 10), device("mlx5_1", 1, null, 10));
        assertThat(told(facts, uncabled, new short[] {0, -1, -1, 0}))
                .as("no map")
                .doesNotContainKey("NCCL_CROSS_NIC");
    }

    private static Map<String, String> told(LauncherFacts facts, List<JobDevice> devices, short @Nullable [] costs) {
        JobPod pod = new JobPod("a", "n1", 0, 0, 1, new byte[4], 1, "0-1", devices);
        JobFabric fabric =
                new JobFabric("f", null, "f", 0, 1, List.of(), List.of(), "", devices.size(), costs, Map.of());
        JobMap map = new JobMap("ns.j-0", 0, new byte[32], List.of(new JobApp(0, "j", 1)), List.of(pod), fabric);
        return LibraryVariables.of(map, 0, facts, "eth0", true, port -> null);
    }

    private static Map<String, String> told(LauncherFacts facts, JobDevice... devices) {
        JobPod pod = new JobPod("a", "n1", 0, 0, 1, new byte[4], 1, "0-1", List.of(devices));
        JobMap map = new JobMap("ns.j-0", 0, new byte[32], List.of(new JobApp(0, "j", 1)), List.of(pod), null);
        return LibraryVariables.of(map, 0, facts, "eth0", true, port -> null);
    }

    private static JobDevice used(JobDevice device, int port, boolean carriesJobs) {
        return new JobDevice(
                device.deviceId(),
                device.osName(),
                device.typeBits(),
                device.attributes(),
                device.fabric(),
                device.index(),
                device.plane(),
                device.switchId(),
                device.logical(),
                device.physical(),
                device.minimumDistance(),
                device.maximumDistance(),
                device.endpoint(),
                port,
                carriesJobs);
    }

    private static JobDevice device(String osName, int index, @Nullable String plane, int distance) {
        return new JobDevice(
                "fab://" + osName,
                osName,
                1,
                List.of(),
                index,
                plane,
                plane == null ? null : "leaf-" + plane,
                new int[0],
                new int[0],
                distance,
                distance,
                null);
    }

    @Test
    void ranksOfAnAttemptOverOmniPathShareAKeyThatNoOtherHas() {
        DeviceAttribute driver = new DeviceAttribute("pmix.fabdev.driver", PmixType.STRING, "hfi1");
        List<JobPod> pods = List.of(
                new JobPod("a", "n1", 0, 0, 1, new byte[4], 1, "0", List.of(device("hfi1_0", List.of()))),
                new JobPod("b", "n2", 0, 1, 1, new byte[4], 1, "0", List.of(device("opap5s0", List.of(driver)))),
                new JobPod("c", "n3", 0, 2, 1, new byte[4], 1, "0", List.of(device("mlx5_0", List.of()))));
        byte[] otherKey = new byte[32];
        otherKey[31] = 1;
        String first = transportKey(pods, new byte[32], 0);
        assertThat(first).as("what PSM2 of Open MPI reads").matches("[0-9a-f]{16}-[0-9a-f]{16}");
        assertThat(transportKey(pods, new byte[32], 1)).isEqualTo(first);
        assertThat(transportKey(pods, otherKey, 0))
                .matches("[0-9a-f]{16}-[0-9a-f]{16}")
                .isNotEqualTo(first);
        assertThat(transportKey(pods, new byte[32], 2)).isNull();
    }

    @Test
    void ranksOfAnAttemptHaveOneIdOfTheirJobForLibfabricThatNoOtherAttemptHas() {
        List<JobPod> pods = List.of(
                new JobPod("a", "n1", 0, 0, 1, new byte[4], 1, "0", List.of(device("mlx5_0", List.of()))),
                new JobPod("b", "n2", 0, 1, 1, new byte[4], 1, "0", List.of()));
        byte[] nextKey = new byte[32];
        nextKey[0] = 1;
        Map<String, String> first = variables(pods, new byte[32], 0);
        assertThat(first.get("FI_OPX_UUID")).as("at most 32 digits, no dashes").matches("[0-9a-f]{32}");
        assertThat(first.get("FI_PSM3_UUID"))
                .matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
                .isEqualTo(UUID.fromString(first.get("FI_PSM3_UUID")).toString());
        assertThat(variables(pods, new byte[32], 1))
                .containsEntry("FI_OPX_UUID", first.get("FI_OPX_UUID"))
                .containsEntry("FI_PSM3_UUID", first.get("FI_PSM3_UUID"));
        assertThat(variables(pods, nextKey, 0)).doesNotContainValue(first.get("FI_OPX_UUID"));
    }

    private static JobDevice device(String osName, List<DeviceAttribute> attributes) {
        return new JobDevice(
                "fab://" + osName, osName, 1, attributes, 0, null, null, new int[0], new int[0], 10, 10, null);
    }

    private static @Nullable String transportKey(List<JobPod> pods, byte[] key, int self) {
        return variables(pods, key, self).get("OMPI_MCA_orte_precondition_transports");
    }

    private static Map<String, String> variables(List<JobPod> pods, byte[] key, int self) {
        JobMap map = new JobMap("ns.j-0", 0, key, List.of(new JobApp(0, "j", pods.size())), pods, null);
        return LibraryVariables.of(map, self, facts(), "", false, port -> null);
    }
}
