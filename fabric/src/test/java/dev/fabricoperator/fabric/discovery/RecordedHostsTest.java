/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.fabric.device.Accelerator;
import dev.fabricoperator.fabric.device.AcceleratorPath;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.NumaDistance;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.ReadError;
import dev.fabricoperator.fabric.device.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every given host tree against its truth file, and what the fixtures' index says of it. */
class RecordedHostsTest {

    @TempDir
    Path directory;

    static Stream<Path> everyTree() {
        return Stream.concat(Recordings.archives("recorded").stream(), Recordings.archives("derived").stream());
    }

    @ParameterizedTest
    @MethodSource("everyTree")
    void findsWhatTheTruthFileNames(Path archive) throws IOException {
        DiscoveryResult result = discover(Recordings.tree(archive));
        String name = Recordings.name(archive);
        for (String truth : List.of(
                name + ".truth.json",
                name.replace(".fsroot", "") + ".truth.json",
                name.replaceAll("\\..*", "") + ".truth.json")) {
            Path file = archive.resolveSibling(truth);
            if (Files.exists(file)) {
                assertTruth(result, new ObjectMapper().readTree(file.toFile()));
            }
        }
        Path literal = archive.resolveSibling(name + ".sysfs-truth.json");
        if (Files.exists(literal)) {
            assertLiteralTruth(result, new ObjectMapper().readTree(literal.toFile()));
        }
        assertThat(result.errors()).isEmpty();
    }

    private static void assertTruth(DiscoveryResult result, JsonNode truth) {
        List<String> expected = new ArrayList<>();
        for (JsonNode rdma : truth.get("rdma")) {
            for (Map.Entry<String, JsonNode> port : rdma.get("ports").properties()) {
                expected.add(rdma.get("name").asText() + "/" + port.getKey());
                Device device = find(result, rdma.get("name").asText(), Integer.parseInt(port.getKey()));
                assertPci(device, rdma);
                assertThat(device.nodeGuid())
                        .isEqualTo(guid(rdma.get("node_guid").asText()));
                assertThat(device.systemImageGuid())
                        .isEqualTo(guid(rdma.get("sys_image_guid").asText()));
                assertThat(device.state())
                        .isEqualTo(state(port.getValue().get("state").asText()));
                int lid = Integer.decode(port.getValue().get("lid").asText());
                assertThat(device.lid()).isEqualTo(lid == 0 ? null : (Integer) lid);
                assertThat(device.gids()).isEqualTo(texts(port.getValue().get("gids")));
                assertDistances(device, truth);
                assertAccelerators(device, truth.get("gpus"));
            }
        }
        assertThat(result.devices().stream()
                        .filter(d -> d.type() == DeviceType.OpenFabrics)
                        .map(d -> d.osName() + "/" + d.port()))
                .containsExactlyInAnyOrderElementsOf(expected);
        for (JsonNode net : truth.get("net")) {
            List<Device> found = result.devices().stream()
                    .filter(d -> net.get("name").asText().equals(d.netdev()))
                    .toList();
            assertThat(found)
                    .as(net.get("name").asText())
                    .hasSize(net.get("pci").isNull() ? 0 : 1);
            for (Device device : found) {
                assertPci(device, net);
                String address = net.get("address").asText();
                assertThat(device.macAddress()).isEqualTo(address.length() == 17 ? address : null);
            }
        }
    }

    private static void assertLiteralTruth(DiscoveryResult result, JsonNode truth) {
        for (Map.Entry<String, JsonNode> rdma : truth.get("rdma").properties()) {
            JsonNode files = rdma.getValue();
            for (Map.Entry<String, JsonNode> port : files.get("ports").properties()) {
                Device device = find(result, rdma.getKey(), Integer.parseInt(port.getKey()));
                assertThat(device.model()).isEqualTo(text(files, "hca_type"));
                assertThat(device.board()).isEqualTo(text(files, "board_id"));
                assertThat(device.firmware()).isEqualTo(text(files, "fw_ver"));
                assertThat(device.linkLayer()).isEqualTo(text(port.getValue(), "link_layer"));
                String rate = Objects.requireNonNull(text(port.getValue(), "rate"));
                assertThat(device.speedBitsPerSecond())
                        .isEqualTo(Long.parseLong(rate.substring(0, rate.indexOf(' '))) * 1_000_000_000L);
                assertThat(device.width()).isEqualTo(rate.charAt(rate.indexOf('(') + 1) - '0');
                assertThat(device.state())
                        .isEqualTo(state(port.getValue().get("state").asText().substring(0, 1)));
            }
        }
        for (Map.Entry<String, JsonNode> net : truth.get("net").properties()) {
            if (!net.getValue().get("pci").isNull()) {
                Device device = result.devices().stream()
                        .filter(d -> net.getKey().equals(d.netdev()))
                        .findFirst()
                        .orElseThrow();
                assertThat(device.mtuBytes())
                        .isEqualTo(net.getValue().get("mtu").asLong());
                assertThat(Objects.requireNonNull(device.pci()).address())
                        .isEqualTo(net.getValue().get("pci").asText());
            }
        }
        assertThat(result.devices().stream().map(Device::osName)).doesNotContain("br0", "eth0.1015", "lo", "mic0");
    }

    @Test
    void stampedeIsReadAsRecordedAndItsDanglingDeviceIsSkipped() throws IOException {
        DiscoveryResult result = discover(Recordings.tree("recorded", "stampede"));
        assertThat(result.complete()).isTrue();
        assertThat(result.devices()).extracting(Device::osName).containsExactly("eth0", "eth1", "mlx4_0");
        Device mlx4 = find(result, "mlx4_0", 1);
        assertThat(mlx4.deviceId()).isEqualTo("fab://0002:c903:00f9:bfa0::0002:c903:00f9:bfa3");
        assertThat(mlx4.family()).isEqualTo(Family.InfiniBand);
        assertThat(mlx4.role()).isEqualTo(Role.Fabric);
        assertThat(mlx4.vendor()).isEqualTo("Mellanox");
        assertThat(mlx4.driver()).isEqualTo("mlx4_core");
        assertThat(mlx4.netdev()).isEqualTo("ib0");
        assertThat(mlx4.mtuBytes()).isEqualTo(2044);
        assertThat(mlx4.lid()).isEqualTo(0x3a4);
        assertThat(mlx4.gids()).containsExactly("fe80:0000:0000:0000:0002:c903:00f9:bfa1");
        assertThat(mlx4.portGuid()).isEqualTo("0002c90300f9bfa1");
        assertThat(mlx4.physicalState()).isEqualTo("LinkUp");
        assertThat(mlx4.numaNode()).isEqualTo(1);
        assertThat(mlx4.distances()).containsExactly(new NumaDistance(0, 21, 21), new NumaDistance(1, 10, 10));
        assertThat(mlx4.card()).isEqualTo("0002c90300f9bfa3");
        assertThat(mlx4.readErrors()).isEmpty();
        Device eth0 = find(result, "eth0", 0);
        assertThat(eth0.deviceId()).isEqualTo("ipv4://84:8f:69:fe:cc:40");
        assertThat(eth0.type()).isEqualTo(DeviceType.Network);
        assertThat(eth0.family()).isEqualTo(Family.Ethernet);
        assertThat(eth0.speedBitsPerSecond()).isEqualTo(1_000_000_000L);
        assertThat(eth0.state()).isEqualTo(PortState.Active);
        assertThat(eth0.card()).isEqualTo(find(result, "eth1", 0).card());
        assertThat(find(result, "eth1", 0).state()).isEqualTo(PortState.Down);
        assertThat(find(result, "eth1", 0).speedBitsPerSecond()).isNull();
    }

    @Test
    void physicalStateThatContradictsItsNumberIsAReadErrorOfThatDeviceOnly() throws IOException {
        DiscoveryResult result = discover(Recordings.tree("recorded", "procfs"));
        Device mlx5 = find(result, "mlx5_0", 1);
        assertThat(mlx5.physicalState()).isNull();
        assertThat(mlx5.readErrors())
                .extracting(ReadError::file)
                .singleElement()
                .asString()
                .endsWith("ports/1/phys_state");
        assertThat(mlx5.nodeGuid()).isEqualTo("0a7fbc1245efd23b");
        assertThat(mlx5.deviceId()).startsWith("mlx5_0@");
        assertThat(find(result, "mlx4_0", 2).readErrors()).isEmpty();
        assertThat(find(result, "mlx4_0", 2).deviceId()).endsWith("#2");
        assertThat(find(result, "hfi1_0", 1).family()).isEqualTo(Family.OmniPath);
    }

    @Test
    void widthIsKnownWhereTheRateNamesNoGeneration() throws IOException {
        DiscoveryResult result = discover(Recordings.tree("recorded", "node_exporter"));
        assertThat(find(result, "i40iw0", 1).family()).isEqualTo(Family.iWARP);
        assertThat(find(result, "i40iw0", 1).width()).isEqualTo(4);
        Device bond = find(result, "dmz", 0);
        assertThat(bond.function()).isEqualTo(Function.Bond);
        assertThat(result.devices()).extracting(Device::osName).doesNotContain("bond0");
        assertThat(result.devices()).extracting(Device::deviceId).doesNotHaveDuplicates();
    }

    @Test
    void socketDirectIsOneCard() throws IOException {
        DiscoveryResult result = discover(Recordings.tree("derived", "lassen28"));
        List<Device> ports = result.devices().stream()
                .filter(d -> d.type() == DeviceType.OpenFabrics)
                .toList();
        assertThat(ports).hasSize(4);
        assertThat(ports).extracting(Device::card).containsOnly("506b4b03003ceee8");
        assertThat(ports).extracting(Device::netdev).containsExactly("hsi0", "hsi1", "hsi2", "hsi3");
        assertThat(ports).extracting(Device::family).containsOnly(Family.InfiniBand);
        assertThat(ports).allSatisfy(d -> {
            assertThat(d.linkLayer()).isNull();
            assertThat(d.speedBitsPerSecond()).isNull();
            assertThat(d.physicalState()).isNull();
        });
        assertThat(find(result, "mlx5_2", 1).distances())
                .containsExactly(new NumaDistance(0, 40, 40), new NumaDistance(8, 10, 10));
    }

    @Test
    void acceleratedEthernetIsAVirtualFunctionAndNotTheFabric() throws IOException {
        DiscoveryResult result = discover(Recordings.tree("derived", "azure"));
        assertThat(result.devices()).extracting(Device::osName).containsExactly("mlx5_an0", "mlx5_ib0");
        Device ethernet = find(result, "mlx5_an0", 1);
        assertThat(ethernet.family()).isEqualTo(Family.RoCE);
        assertThat(ethernet.function()).isEqualTo(Function.Virtual);
        assertThat(ethernet.role()).isEqualTo(Role.Unknown);
        assertThat(ethernet.netdev()).isEqualTo("eth1");
        Device infiniBand = find(result, "mlx5_ib0", 1);
        assertThat(infiniBand.family()).isEqualTo(Family.InfiniBand);
        assertThat(infiniBand.role()).isEqualTo(Role.Fabric);
        assertThat(infiniBand.portGuid()).isEqualTo("00155dfffd33ff0d");
    }

    @Test
    void theDefaultRouteOfASyntheticInterfaceIsCarriedByThePortWithItsAddress() throws IOException {
        Path root = Recordings.unpack("derived", "azure", directory);
        Files.createDirectories(root.resolve("proc/net"));
        Files.writeString(root.resolve("proc/net/route"), """
                Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
                eth0\t00000000\t0100000A\t0003\t0\t0\t100\t00000000\t0\t0\t0
                """);
        DiscoveryResult result = discover(root);
        assertThat(find(result, "mlx5_an0", 1).role()).isEqualTo(Role.Management);
        assertThat(find(result, "mlx5_ib0", 1).role()).isEqualTo(Role.Fabric);
    }

    @Test
    void omniPathInterfaceOfTheSameNameAsSlingshotsIsPartOfItsDevice() throws IOException {
        DiscoveryResult result = discover(Recordings.tree("derived", "quartz386"));
        Device hfi = find(result, "hfi1_0", 1);
        assertThat(hfi.family()).isEqualTo(Family.OmniPath);
        assertThat(hfi.netdev()).isEqualTo("hsi0");
        assertThat(result.devices()).extracting(Device::osName).doesNotContain("hsi0");
    }

    @Test
    void portsWithoutGuidsAreNamedByHostAndTheirFamilyComesFromTheInterface() throws IOException {
        DiscoveryResult result = discover(Recordings.tree("derived", "ulna32"));
        Device ethernet = find(result, "mlx5_1", 1);
        assertThat(ethernet.deviceId()).startsWith("mlx5_1@");
        assertThat(ethernet.family()).isEqualTo(Family.RoCE);
        assertThat(ethernet.nodeGuid()).isNull();
        assertThat(ethernet.card()).isEqualTo(find(result, "mlx5_2", 1).card());
        assertThat(find(result, "mlx5_0", 1).card())
                .isEqualTo(find(result, "mlx5_3", 1).card());
    }

    @Test
    void sparseNodesWithoutFabricDevicesGiveACompleteEmptyResult() throws IOException {
        DiscoveryResult result = discover(Recordings.tree("recorded", "p9"));
        assertThat(result.devices()).isEmpty();
        assertThat(result.complete()).isTrue();
    }

    @Test
    void pciDomainsBeyond16BitsParse() throws IOException {
        DiscoveryResult result = discover(Recordings.tree("recorded", "vm-32bit"));
        assertThat(result.complete()).isTrue();
        assertThat(result.devices()).extracting(Device::type).doesNotContain(DeviceType.OpenFabrics);
        assertThat(PciBus.functionOf("/sys/devices/pci10000:00/10000:00:04.0/x"))
                .isEqualTo("/sys/devices/pci10000:00/10000:00:04.0");
    }

    private static DiscoveryResult discover(Path root) {
        return HostDiscovery.discover(PathHostTree.of(root));
    }

    private static Device find(DiscoveryResult result, String osName, int port) {
        return result.devices().stream()
                .filter(d -> d.osName().equals(osName) && d.port() == port)
                .findFirst()
                .orElseThrow(() -> new AssertionError(osName + "/" + port + " not found"));
    }

    private static void assertPci(Device device, JsonNode truth) {
        var pci = Objects.requireNonNull(device.pci());
        assertThat(pci.address()).isEqualTo(truth.get("pci").asText());
        assertThat(pci.vendorId() + ":" + pci.deviceId())
                .isEqualTo(truth.get("id").asText());
        assertThat(pci.classCode()).isEqualTo(truth.get("pci_class").asText());
        assertThat(device.numaNode()).isEqualTo(truth.get("numa").asInt());
    }

    private static void assertDistances(Device device, JsonNode truth) {
        Integer node = device.numaNode();
        if (node == null) {
            assertThat(device.distances()).isEmpty();
            return;
        }
        if (truth.get("dist").isNull()) {
            // hwloc did not record them.
            return;
        }
        List<NumaDistance> expected = new ArrayList<>();
        JsonNode row = truth.get("dist").get(node.toString());
        for (int i = 0; i < row.size(); i++) {
            int distance = row.get(i).asInt();
            expected.add(new NumaDistance(truth.get("numa_nodes").get(i).asInt(), distance, distance));
        }
        assertThat(device.distances()).isEqualTo(expected);
    }

    private static void assertAccelerators(Device device, JsonNode gpus) {
        Map<String, Accelerator> found =
                device.accelerators().stream().collect(Collectors.toMap(Accelerator::pciAddress, a -> a));
        assertThat(found).hasSize(gpus.size());
        for (JsonNode gpu : gpus) {
            Accelerator accelerator =
                    Objects.requireNonNull(found.get(gpu.get("pci").asText()));
            assertThat(accelerator.vendorId() + ":" + accelerator.deviceId())
                    .isEqualTo(gpu.get("id").asText());
            boolean sameNode = Objects.equals(device.numaNode(), gpu.get("numa").asInt());
            assertThat(accelerator.path() == AcceleratorPath.SYS).isEqualTo(!sameNode);
        }
    }

    private static @Nullable String guid(String text) {
        return text.equals("0000:0000:0000:0000") ? null : text.replace(":", "");
    }

    private static @Nullable String text(JsonNode node, String field) {
        return node.has(field) ? node.get(field).asText() : null;
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(n -> texts.add(n.asText()));
        return texts;
    }

    private static PortState state(String number) {
        return switch (number) {
            case "1" -> PortState.Down;
            case "2" -> PortState.Init;
            case "3" -> PortState.Armed;
            case "4" -> PortState.Active;
            default -> PortState.Unknown;
        };
    }
}
