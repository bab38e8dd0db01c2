/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Hosts of the kinds that public reports tell of: archives in {@code sysfs/reported}, and their relatives laid out here. */
class ReportedHostsTest {

    private static final String CARD = "pci0000:00/0000:00:01.0/0000:08:00.0";
    private static final String CARD_1 = "pci0000:00/0000:00:01.0/0000:08:00.1";
    private static final String GUID = "0c42:a103:0065:0010";
    private static final String NO_GID = SysfsValues.ZERO_GID;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path root;

    @SuppressWarnings("NullAway.Init")
    private HostBuilder host;

    @BeforeEach
    void layOutHost() {
        host = new HostBuilder(root);
    }

    private static DiscoveryResult reported(String name) {
        DiscoveryResult result = HostDiscovery.discover(PathHostTree.of(Recordings.tree("reported", name)));
        assertThat(result.errors()).isEmpty();
        assertThat(result.errorFree()).isTrue();
        return result;
    }

    private List<Device> devices() {
        DiscoveryResult result = host.discover();
        assertThat(result.errorFree()).as(result.toString()).isTrue();
        return result.devices();
    }

    private static Device find(List<Device> devices, String osName) {
        return devices.stream()
                .filter(d -> d.osName().equals(osName))
                .reduce((a, b) -> {
                    throw new AssertionError(osName + " has several ports");
                })
                .orElseThrow(() -> new AssertionError(osName + " not found"));
    }

    // Several RDMA devices on one function

    @Test
    void anSmiDeviceIsThePlanesOfAnotherAndNoDevice() {
        Device device = find(reported("host-xdr-smi").devices(), "mlx5_0");
        assertThat(reported("host-xdr-smi").devices()).containsExactly(device);
        assertThat(device.port()).isEqualTo(1);
        assertThat(device.speedBitsPerSecond()).isEqualTo(800_000_000_000L);
        assertThat(device.netdev()).isEqualTo("ibs192");
        assertThat(device.function()).isEqualTo(Function.Physical);
    }

    private void card(String path, String name, String guid, String gid, int ports) {
        host.pci(path, "15b3", "1023", "0207", 0).rdma(path, name, guid, guid);
        for (int port = 1; port <= ports; port++) {
            host.port(path, name, port, "InfiniBand", gid);
        }
    }

    @Test
    void smiDevicesOfSeveralCardsMayHaveAnyNumbersAndPlanes() {
        String gid = "fe80:0000:0000:0000:7c8c:0900:00aa:0010";
        card(CARD, "ibp8s0f0", "7c8c:0900:00aa:0010", gid, 1);
        card(CARD_1, "ibp8s0f1", "7c8c:0900:00aa:0011", gid.replace("0010", "0011"), 1);
        host.rdma(CARD, "smi0", "7c8c:0900:00aa:0010", "7c8c:0900:00aa:0010")
                .port(CARD, "smi0", 1, "InfiniBand", gid)
                .port(CARD, "smi0", 2, "InfiniBand", gid)
                .rdma(CARD_1, "smi12", "0000:0000:0000:0000", "7c8c:0900:00aa:0010")
                .port(CARD_1, "smi12", 1, "InfiniBand", NO_GID);
        assertThat(devices()).extracting(Device::osName).containsExactly("ibp8s0f0", "ibp8s0f1");
    }

    @Test
    void anSmiDeviceOfAnotherNameIsTheOneWithoutVerbs() {
        String gid = "fe80:0000:0000:0000:7c8c:0900:00aa:0010";
        card(CARD, "mlx5_0", "7c8c:0900:00aa:0010", gid, 1);
        host.rdma(CARD, "a_planes", "7c8c:0900:00aa:0010", "7c8c:0900:00aa:0010")
                .port(CARD, "a_planes", 1, "InfiniBand", gid)
                .file("/sys/class/infiniband_verbs/abi_version", "6\n")
                .file("/sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0\n");
        assertThat(devices()).extracting(Device::osName).containsExactly("mlx5_0");
    }

    @Test
    void anSmiDeviceOfAnotherNameAndUnknownVerbsIsTheOneOfMorePorts() {
        String gid = "fe80:0000:0000:0000:7c8c:0900:00aa:0010";
        card(CARD, "planes", "7c8c:0900:00aa:0010", gid, 4);
        host.rdma(CARD, "rail_a", "7c8c:0900:00aa:0010", "7c8c:0900:00aa:0010")
                .port(CARD, "rail_a", 1, "InfiniBand", gid);
        assertThat(devices()).extracting(Device::osName).containsExactly("rail_a");
    }

    @Test
    void twoFunctionsOfOneSystemImageAreTwoDevices() {
        String gid = "fe80:0000:0000:0000:7c8c:0900:00aa:0010";
        card(CARD, "mlx5_0", "7c8c:0900:00aa:0010", gid, 1);
        host.pci(CARD_1, "15b3", "1023", "0207", 0)
                .rdma(CARD_1, "mlx5_1", "7c8c:0900:00aa:0010", "7c8c:0900:00aa:0010")
                .port(CARD_1, "mlx5_1", 1, "InfiniBand", gid);
        assertThat(devices()).extracting(Device::osName).containsExactly("mlx5_0", "mlx5_1");
    }

    // Switchdev

    @Test
    void inSwitchdevModeTheCardsOwnPortIsOneDeviceAndItsVirtualFunctionsAre() {
        assertThat(reported("host-switchdev").devices())
                .extracting(Device::osName, Device::port, Device::function, Device::netdev)
                .containsExactly(
                        tuple("mlx5_0", 1, Function.Physical, "enp8s0f0np0"),
                        tuple("mlx5_2", 1, Function.Virtual, "enp8s0f0v0"),
                        tuple("mlx5_3", 1, Function.Virtual, "enp8s0f0v1"));
        assertThat(reported("host-switchdev").devices().getFirst().deviceId())
                .isEqualTo("fab://0c42:a103:0065:0010::0c42:a103:0065:0010");
        assertThat(reported("host-switchdev").devices())
                .extracting(Device::card)
                .containsOnly("0c42a10300650010");
    }

    /** A function in switchdev mode with an RDMA device of so many ports, all of them down. */
    private void switchdev(int ports) {
        host.pci(CARD, "15b3", "101d", "0200", 0).rdma(CARD, "mlx5_0", GUID, GUID);
        for (int port = 1; port <= ports; port++) {
            host.port(CARD, "mlx5_0", port, "Ethernet", NO_GID)
                    .file("/sys/devices/" + CARD + "/infiniband/mlx5_0/ports/" + port + "/state", "1: DOWN\n");
        }
    }

    private void switchPort(String path, String netdev, String physicalName) {
        String directory = "/sys/devices/" + path + "/net/" + netdev;
        int last = host.path("/sys/class/net").toFile().list() instanceof String[] names ? names.length : 0;
        host.net(path, netdev, String.format("0c:42:a1:65:00:%02x", last))
                .file(directory + "/phys_port_name", physicalName + "\n")
                .file(directory + "/phys_switch_id", "1000650003a1420c\n");
    }

    private void gidOf(int port, String netdev) {
        host.file("/sys/devices/" + CARD + "/infiniband/mlx5_0/ports/" + port + "/gid_attrs/ndevs/0", netdev + "\n");
    }

    private void up(int port) {
        host.file("/sys/devices/" + CARD + "/infiniband/mlx5_0/ports/" + port + "/state", "4: ACTIVE\n");
    }

    @Test
    void withPortsForFunctionsThatAreNotThereTheUplinkIsTheLast() {
        switchdev(10);
        switchPort(CARD, "enp8s0f0np0", "p0");
        switchPort(CARD, "eth0", "pf0vf1");
        up(10);
        assertThat(devices())
                .extracting(Device::osName, Device::port, Device::netdev, Device::state)
                .containsExactly(tuple("mlx5_0", 10, "enp8s0f0np0", PortState.Active));
    }

    @Test
    void theUplinkBehindMoreThan254PortsIsADevice() {
        switchdev(300);
        switchPort(CARD, "enp8s0f0np0", "p0");
        up(300);
        assertThat(devices())
                .extracting(Device::osName, Device::port, Device::netdev, Device::state)
                .containsExactly(tuple("mlx5_0", 300, "enp8s0f0np0", PortState.Active));
    }

    @Test
    void aPortNumberBeyondTheBoundIsNamed() {
        switchdev(1);
        host.port(CARD, "mlx5_0", 65_536, "Ethernet", NO_GID);
        assertThat(host.discover().errors())
                .anySatisfy(error -> assertThat(error.reason()).isEqualTo("port 65536 is above 65535"));
    }

    @Test
    void onADpuThePortOfItsHostAndOfSubFunctionsAreNoDevices() {
        switchdev(12);
        switchPort(CARD, "p0", "p0");
        switchPort(CARD, "pf0hpf", "pf0hpf");
        switchPort(CARD, "en3f0pf0sf0", "pf0sf0");
        switchPort(CARD, "en3f0c1pf0sf4", "c1pf0sf4");
        up(1);
        up(2);
        up(12);
        assertThat(devices())
                .extracting(Device::osName, Device::port, Device::netdev)
                .containsExactly(tuple("mlx5_0", 12, "p0"));
    }

    @Test
    void aMultiportSwitchHasAnUplinkForEachFunctionOfTheCard() {
        switchdev(12);
        for (int function = 0; function < 4; function++) {
            String path = CARD.substring(0, CARD.length() - 1) + function;
            if (function > 0) {
                host.pci(path, "15b3", "101d", "0200", 0);
            }
            switchPort(path, "eth_r0_p" + function, "p" + function);
            up(3 * (function + 1));
        }
        assertThat(devices())
                .filteredOn(d -> d.osName().equals("mlx5_0"))
                .extracting(Device::port, Device::netdev, Device::deviceId)
                .containsExactly(
                        tuple(3, "eth_r0_p0", "fab://" + GUID + "::" + GUID + "#3"),
                        tuple(6, "eth_r0_p1", "fab://" + GUID + "::" + GUID + "#6"),
                        tuple(9, "eth_r0_p2", "fab://" + GUID + "::" + GUID + "#9"),
                        tuple(12, "eth_r0_p3", "fab://" + GUID + "::" + GUID + "#12"));
        assertThat(devices()).hasSize(4);
    }

    @Test
    void whatTheGidsSayOfAPortComesBeforeItsNumber() {
        switchdev(4);
        switchPort(CARD, "enp8s0f0np0", "p0");
        switchPort(CARD, "eth1", "pf0vf0");
        switchPort(CARD, "eth2", "pf0vf1");
        gidOf(1, "eth1");
        gidOf(3, "enp8s0f0np0");
        up(1);
        up(3);
        assertThat(devices()).extracting(Device::port, Device::netdev).containsExactly(tuple(3, "enp8s0f0np0"));
    }

    @Test
    void bondedUplinksOfOneSwitchAreOnePort() {
        switchdev(5);
        host.pci(CARD_1, "15b3", "101d", "0200", 0);
        switchPort(CARD, "enp8s0f0np0", "p0");
        switchPort(CARD_1, "enp8s0f1np1", "p1");
        switchPort(CARD, "eth1", "pf0vf0");
        switchPort(CARD_1, "eth2", "pf1vf0");
        host.virtualNet("bond0", "0c:42:a1:65:00:10")
                .file("/sys/devices/virtual/net/bond0/bonding/slaves", "enp8s0f0np0 enp8s0f1np1\n");
        up(1);
        assertThat(devices())
                .extracting(Device::osName, Device::port, Device::function, Device::netdev)
                .containsExactly(
                        tuple("enp8s0f0np0", 0, Function.Physical, "enp8s0f0np0"),
                        tuple("enp8s0f1np1", 0, Function.Physical, "enp8s0f1np1"),
                        tuple("mlx5_0", 1, Function.Bond, "bond0"));
    }

    /** A port for each of a function's, the uplink last, then those of the other functions, whose uplinks have none. */
    @ParameterizedTest
    @CsvSource({"2, 7, 4", "4, 13, 4", "2, 8, 8"})
    void bondedUplinksAreTheLastPortOfTheFirstFunction(int functions, int ports, int uplink) {
        switchdev(ports);
        StringBuilder members = new StringBuilder();
        for (int function = 0; function < functions; function++) {
            String path = CARD.substring(0, CARD.length() - 1) + function;
            if (function > 0) {
                host.pci(path, "15b3", "101d", "0200", 0);
            }
            switchPort(path, "eth_p" + function, "p" + function);
            switchPort(path, "eth_v" + function, "pf" + function + "vf0");
            members.append("eth_p").append(function).append(' ');
        }
        host.virtualNet("bond0", "0c:42:a1:65:00:10")
                .file("/sys/devices/virtual/net/bond0/bonding/slaves", members + "\n");
        assertThat(devices())
                .filteredOn(d -> d.osName().equals("mlx5_0"))
                .extracting(Device::port, Device::netdev)
                .containsExactly(tuple(uplink, "bond0"));
        up(ports);
        assertThat(devices())
                .filteredOn(d -> d.osName().equals("mlx5_0"))
                .extracting(Device::port)
                .containsExactly(ports);
        up(uplink);
        assertThat(devices())
                .filteredOn(d -> d.osName().equals("mlx5_0"))
                .extracting(Device::port)
                .containsExactly(uplink);
    }

    @Test
    void anUplinkInAnotherNamespaceLeavesThePortOfTheCard() {
        switchdev(3);
        switchPort(CARD, "eth1", "pf0vf0");
        switchPort(CARD, "eth2", "pf0vf1");
        assertThat(devices()).extracting(Device::port, Device::netdev).containsExactly(tuple(1, null));
    }

    @Test
    void representorsThatAreRdmaDevicesOfTheirOwnAreNoDevices() {
        for (String name : List.of("mlx5_2", "mlx5_10", "mlx5_11")) {
            host.rdma(CARD, name, GUID, GUID).port(CARD, name, 1, "Ethernet", NO_GID);
        }
        host.pci(CARD, "15b3", "1017", "0200", 0);
        switchPort(CARD, "enp8s0f0", "p0");
        switchPort(CARD, "eth1", "pf0vf0");
        switchPort(CARD, "eth2", "pf0vf1");
        assertThat(devices()).extracting(Device::osName, Device::netdev).containsExactly(tuple("mlx5_2", "enp8s0f0"));
    }

    @Test
    void portsOfACardThatIsNoSwitchAreAllItsOwn() {
        host.pci(CARD, "15b3", "1003", "0200", 0)
                .rdma(CARD, "mlx4_0", GUID, GUID)
                .port(CARD, "mlx4_0", 1, "Ethernet", NO_GID)
                .port(CARD, "mlx4_0", 2, "Ethernet", NO_GID)
                .net(CARD, "ens1", "0c:42:a1:65:00:10");
        assertThat(devices()).extracting(Device::port).containsExactly(1, 2);
    }

    // Sub-functions

    @Test
    void aSubFunctionIsVirtualAndOnItsCard() {
        List<Device> devices = reported("host-sf").devices();
        Device part = find(devices, "rocep193s0f0S88");
        Device whole = find(devices, "rocep193s0f0");
        assertThat(devices).containsExactly(whole, part);
        assertThat(part.function()).isEqualTo(Function.Virtual);
        assertThat(part.netdev()).isEqualTo("enp193s0f0S88");
        assertThat(part.card()).isEqualTo(whole.card()).isNotNull();
        assertThat(part.pci()).isEqualTo(whole.pci());
        assertThat(part.numaNode()).isZero();
        assertThat(whole.function()).isEqualTo(Function.Physical);
    }

    @Test
    void aSubFunctionWithoutRdmaOrOfAnotherDriverIsVirtualToo() {
        host.pci(CARD, "15b3", "a2dc", "0200", 0).net(CARD, "p0", "0c:42:a1:65:00:10");
        host.net(CARD + "/mlx5_core.sf.4", "enp8s0f0s4", "02:00:00:00:00:04");
        host.file("/sys/devices/" + CARD + "/other.part.7/sfnum", "7\n")
                .net(CARD + "/other.part.7", "enp8s0f0s7", "02:00:00:00:00:07");
        assertThat(devices())
                .extracting(Device::osName, Device::function, Device::card)
                .containsExactly(
                        tuple("enp8s0f0s4", Function.Virtual, "0000:08:00"),
                        tuple("enp8s0f0s7", Function.Virtual, "0000:08:00"),
                        tuple("p0", Function.Physical, "0000:08:00"));
    }

    @Test
    void aSubFunctionOfAVirtualFunctionIsOnTheSameCard() {
        String function = "pci0000:00/0000:00:01.0/0000:08:00.4";
        String part = function + "/mlx5_core.sf.3";
        host.pci(CARD, "15b3", "101d", "0200", 0)
                .rdma(CARD, "rocep8s0f0", GUID, GUID)
                .port(CARD, "rocep8s0f0", 1, "Ethernet", NO_GID)
                .net(CARD, "enp8s0f0np0", "0c:42:a1:65:00:10")
                .pci(function, "15b3", "101e", "0200", 0)
                .link("/sys/devices/" + function + "/physfn", "/sys/devices/" + CARD)
                .file("/sys/devices/" + part + "/sfnum", "99\n")
                .rdma(part, "rocep8s0f0v0S99", "0000:0000:0000:0063", GUID)
                .port(part, "rocep8s0f0v0S99", 1, "Ethernet", NO_GID)
                .net(part, "enp8s0f0v0S99", "02:00:00:00:00:63");
        assertThat(devices())
                .extracting(Device::osName, Device::function, Device::netdev, Device::card)
                .containsExactly(
                        tuple("rocep8s0f0", Function.Physical, "enp8s0f0np0", "0c42a10300650010"),
                        tuple("rocep8s0f0v0S99", Function.Virtual, "enp8s0f0v0S99", "0c42a10300650010"));
    }

    // Switch managers

    private static final String COMPUTE = "pci0000:20/0000:20:01.0/0000:21:00.0";

    /** As of an HGX board: four functions that manage its switches, a GPU and its card. */
    private void board(String gpuId) {
        for (int i = 0; i < 4; i++) {
            String path = CARD.substring(0, CARD.length() - 1) + i;
            String guid = "cc40:f303:0027:f62" + i;
            host.pci(path, "15b3", "1021", "0207", 0)
                    .rdma(path, "mlx5_" + i, guid, "cc40:f303:0027:f620")
                    .port(path, "mlx5_" + i, 1, "InfiniBand", "fe80:0000:0000:0000:" + guid)
                    .vitalProductData(path, "Nvidia ConnectX-7 mezz", "PN692-9X760", "V2SW_MNG", "SNMT2431");
        }
        host.pci(COMPUTE, "15b3", "1021", "0207", 0)
                .rdma(COMPUTE, "mlx5_4", "58a2:e103:002a:09b8", "58a2:e103:002a:09b8")
                .port(COMPUTE, "mlx5_4", 1, "InfiniBand", "fe80:0000:0000:0000:58a2:e103:002a:09b8")
                .vitalProductData(COMPUTE, "NVIDIA ConnectX-7 HHHL", "PNMCX75310AAS-NEAT", "V0PCIeGen5 x16")
                .pci("pci0000:20/0000:20:02.0/0000:22:00.0", "10de", gpuId, "0302", 0);
    }

    @Test
    void functionsThatManageSwitchesOfTheirHostAreForManagement() {
        board("2901");
        assertThat(devices())
                .extracting(Device::osName, Device::role)
                .containsExactly(
                        tuple("mlx5_0", Role.Management),
                        tuple("mlx5_1", Role.Management),
                        tuple("mlx5_2", Role.Management),
                        tuple("mlx5_3", Role.Management),
                        tuple("mlx5_4", Role.Fabric));
    }

    @ParameterizedTest
    @CsvSource({"2901,Unknown", "3182,Unknown", "2330,Fabric"})
    void whereTheProductDataIsRootsTheRoleIsUnknownOnlyBesideGpusWhoseSwitchesMayBeManaged(String gpu, Role role) {
        board(gpu);
        Predicate<String> denied = path -> path.endsWith("/vpd");
        DiscoveryResult result = HostDiscovery.discover(new WatchedTree(host.tree(), denied));
        assertThat(result.errorFree()).as("what only root may read is no fault").isTrue();
        assertThat(result.devices()).hasSize(5).extracting(Device::role).containsOnly(role);
        assertThat(result.devices()).allSatisfy(d -> assertThat(d.readErrors()).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\0\0\0", "SW_M", "\u0082\uffff\uffff\uffff"})
    void damagedProductDataSaysNothing(String data) {
        board("2901");
        host.file("/sys/devices/" + CARD + "/vpd", data);
        assertThat(find(devices(), "mlx5_0").role()).isEqualTo(Role.Fabric);
    }

    // Cards

    @ParameterizedTest
    @CsvSource({"8086,24f0,hfi1_,hfi1", "434e,0001,hfi1_,hfi1", "1077,7322,qib,ib_qib"})
    void oneSystemImageGuidForAllAdaptersOfAHostIsNotOneCard(String vendor, String id, String prefix, String driver) {
        for (int i = 0; i < 3; i++) {
            String path = "pci0000:00/0000:00:0" + (i + 1) + ".0/0000:0" + (i + 5) + ":00.0";
            String guid = "0011:7501:0163:569" + i;
            host.pci(path, vendor, id, "0208", 0)
                    .rdma(path, prefix + i, guid, "0011:7501:0163:5690")
                    .port(path, prefix + i, 1, "InfiniBand", "fe80:0000:0000:0000:" + guid)
                    .file("/sys/bus/pci/drivers/" + driver + "/bind", "")
                    .link("/sys/devices/" + path + "/driver", "/sys/bus/pci/drivers/" + driver);
        }
        assertThat(devices()).extracting(Device::card).containsExactly("0000:05:00", "0000:06:00", "0000:07:00");
    }

    @Test
    void aSystemImageGuidForEachFunctionIsOneCardBySlotAndItsVirtualFunctionIsOnIt() {
        String virtual = "pci0000:00/0000:00:01.0/0000:08:02.0";
        for (String path : List.of(CARD, CARD_1, virtual)) {
            String name = "bnxt_re" + path.charAt(path.length() - 1) + path.charAt(path.length() - 3);
            String guid = "be97:e1ff:fe60:a2" + path.charAt(path.length() - 3) + path.charAt(path.length() - 1);
            host.pci(path, "14e4", "1750", "0200", 0)
                    .rdma(path, name, guid, guid)
                    .port(path, name, 1, "Ethernet", NO_GID);
        }
        host.link("/sys/devices/" + virtual + "/physfn", "/sys/devices/" + CARD);
        assertThat(devices()).hasSize(3).extracting(Device::card).containsOnly("be97e1fffe60a200");
    }

    @Test
    void oneCardInTwoSlotsWithTwoFunctionsInEachIsOne() {
        String other = "pci0000:80/0000:80:01.0/0000:81:00.";
        int number = 0;
        for (String path : List.of(CARD, CARD_1, other + "0", other + "1")) {
            String image = number % 2 == 0 ? "506b:4b03:003c:eee8" : "506b:4b03:003c:eee" + number;
            host.pci(path, "15b3", "1019", "0207", 0)
                    .rdma(path, "mlx5_" + number, "506b:4b03:003c:ee0" + number, image)
                    .port(path, "mlx5_" + number, 1, "InfiniBand", "fe80:0000:0000:0000:506b:4b03:003c:ee0" + number);
            number++;
        }
        assertThat(devices()).hasSize(4).extracting(Device::card).containsOnly("506b4b03003ceee1");
    }

    // Empty ports

    @Test
    void theRateOfAnEmptyPortIsUnknownAndNoFault() {
        Device empty = find(reported("host-zero-rate").devices(), "mlx5_1");
        assertThat(empty.state()).isEqualTo(PortState.Down);
        assertThat(empty.speedBitsPerSecond()).isNull();
        assertThat(empty.width()).isNull();
        assertThat(empty.readErrors()).isEmpty();
        assertThat(find(reported("host-zero-rate").devices(), "mlx5_0").speedBitsPerSecond())
                .isEqualTo(100_000_000_000L);
    }

    // Software

    @Test
    void softwareIsNoHardwareAndItsInterfaceStaysADevice() {
        List<Device> devices = reported("host-soft").devices();
        assertThat(devices)
                .extracting(Device::osName, Device::function)
                .containsExactly(tuple("eth0", Function.Physical), tuple("rxe0", Function.Software));
        Device rxe = find(devices, "rxe0");
        assertThat(rxe.netdev()).isEqualTo("eth0");
        assertThat(rxe.role()).isEqualTo(Role.Unknown);
        assertThat(rxe.family()).isEqualTo(Family.RoCE);
        assertThat(rxe.card()).isNull();
        assertThat(rxe.pci()).isNull();
    }

    /** A software device on no bus, as since Linux 6.5. */
    private void software(String directory, String name, String nodeType, String guid) {
        String path = "/sys/devices/" + directory + "/infiniband/" + name;
        host.file(path + "/node_type", nodeType + "\n")
                .file(path + "/node_guid", guid + "\n")
                .file(path + "/sys_image_guid", guid + "\n")
                .file(path + "/fw_ver", "\n")
                .file(path + "/ports/1/state", "4: ACTIVE\n")
                .file(path + "/ports/1/phys_state", "5: LinkUp\n")
                .file(path + "/ports/1/rate", "2.5 Gb/sec (1X)\n")
                .file(path + "/ports/1/lid", "0x0\n")
                .file(path + "/ports/1/link_layer", "Ethernet\n")
                .file(path + "/ports/1/gids/0", NO_GID + "\n")
                .link("/sys/class/infiniband/" + name, path);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bond0", "bond0.7", "veth0", "br0", "dummy0"})
    void softwareMayBeOverAnyInterface(String netdev) {
        host.virtualNet(netdev, "0c:42:a1:65:00:10");
        if (netdev.equals("bond0")) {
            host.file("/sys/devices/virtual/net/bond0/bonding/slaves", "\n");
        }
        software("virtual", "rxe_" + netdev, "1: CA", "0e42:a1ff:fe65:0010");
        host.file("/sys/devices/virtual/infiniband/rxe_" + netdev + "/parent", netdev + "\n");
        software("virtual", "siw_" + netdev, "4: RNIC", "0e42:a1ff:fe65:0010");
        assertThat(devices())
                .extracting(Device::osName, Device::function, Device::netdev, Device::family)
                .containsExactly(
                        tuple("rxe_" + netdev, Function.Software, netdev, Family.RoCE),
                        tuple("siw_" + netdev, Function.Software, netdev, Family.iWARP));
    }

    @Test
    void softwareOverTheLoopbackIsNotPublishedHoweverTheKernelShowsIt() {
        host.virtualNet("lo", "00:00:00:00:00:00").file("/sys/devices/virtual/net/lo/type", "772\n");
        software("virtual", "siw_now", "4: RNIC", "0200:00ff:fe00:0000");
        software("virtual/net/lo", "siw_before", "4: RNIC", "5e1f:a3ff:fe00:1234");
        software("virtual", "rxe_lo", "1: CA", "0200:00ff:fe00:0000");
        host.file("/sys/devices/virtual/infiniband/rxe_lo/parent", "lo\n");
        assertThat(devices()).isEmpty();
    }

    @Test
    void softwareThatIsShownOnTheAdapterOfItsInterfaceIsNoHardware() {
        host.pci(CARD, "8086", "159b", "0200", 0).net(CARD, "ens1f0", "0c:42:a1:65:00:10");
        software(CARD, "siw0", "4: RNIC", "0e42:a1ff:fe65:0010");
        host.link("/sys/devices/" + CARD + "/infiniband/siw0/device", "/sys/devices/" + CARD);
        software(CARD, "rxe0", "1: CA", "0e42:a1ff:fe65:0010");
        host.link("/sys/devices/" + CARD + "/infiniband/rxe0/device", "/sys/devices/" + CARD)
                .file("/sys/devices/" + CARD + "/infiniband/rxe0/parent", "ens1f0\n");
        assertThat(devices())
                .extracting(Device::osName, Device::function, Device::netdev)
                .containsExactly(
                        tuple("ens1f0", Function.Physical, "ens1f0"),
                        tuple("rxe0", Function.Software, "ens1f0"),
                        tuple("siw0", Function.Software, "ens1f0"));
    }

    /** Alibaba's eRDMA: no model, a blank firmware, and its interface is a virtio device of another PCI function. */
    @Test
    void anIwarpAdapterThatTellsNothingIsHardwareWithTheInterfaceWhoseAddressItsGuidIsMadeOf() {
        String interfaces = "pci0000:00/0000:00:06.0";
        host.pci(CARD, "1ded", "107f", "0200", 0)
                .link("/sys/devices/" + CARD + "/driver", "/sys/bus/pci/drivers/erdma")
                .pci(interfaces, "1af4", "1041", "0200", 0)
                .net(interfaces, "eth1", "0c:42:a1:65:00:10");
        software(CARD, "erdma_0", "4: RNIC", "0e42:a1ff:fe65:0010");
        host.link("/sys/devices/" + CARD + "/infiniband/erdma_0/device", "/sys/devices/" + CARD);
        assertThat(devices())
                .singleElement()
                .returns("erdma_0", Device::osName)
                .returns(Function.Physical, Device::function)
                .returns(Family.iWARP, Device::family)
                .returns("eth1", Device::netdev)
                .satisfies(device -> assertThat(
                                Objects.requireNonNull(device.pci()).address())
                        .isEqualTo("0000:08:00.0"));
    }

    /** The rate of mlx5_bond_0 is that of one port of the card. */
    @Test
    void aBondIsAsFastAsItsMembersTogether() {
        host.pci(CARD, "15b3", "101d", "0200", 0)
                .rdma(CARD, "mlx5_bond_0", "506b:4b03:003c:eee8", "506b:4b03:003c:eee8")
                .port(CARD, "mlx5_bond_0", 1, "Ethernet", "0000:0000:0000:0000:0000:ffff:0a00:0005")
                .file("/sys/devices/" + CARD + "/infiniband/mlx5_bond_0/ports/1/rate", "200 Gb/sec (4X HDR)\n")
                .file("/sys/devices/" + CARD + "/infiniband/mlx5_bond_0/ports/1/gid_attrs/ndevs/0", "bond0\n")
                .net(CARD, "ens1f0", "0c:42:a1:65:00:10")
                .virtualNet("bond0", "0c:42:a1:65:00:10")
                .file("/sys/devices/virtual/net/bond0/bonding/slaves", "ens1f0\n")
                .file("/sys/devices/virtual/net/bond0/speed", "400000\n");
        assertThat(find(devices(), "mlx5_bond_0").speedBitsPerSecond()).isEqualTo(400_000_000_000L);
        host.file("/sys/devices/virtual/net/bond0/speed", "-1\n");
        assertThat(find(devices(), "mlx5_bond_0").speedBitsPerSecond()).isEqualTo(200_000_000_000L);
    }

    @Test
    void aMediatedDeviceIsAVirtualPartOfItsCard() {
        String mediated = CARD + "/fa529c84-c7a7-474f-af17-c99e04876d6f";
        host.pci(CARD, "15b3", "101b", "0207", 0)
                .rdma(CARD, "mlx5_0", "506b:4b03:003c:eee8", "506b:4b03:003c:eee8")
                .port(CARD, "mlx5_0", 1, "InfiniBand", "fe80:0000:0000:0000:506b:4b03:003c:eee8")
                .rdma(mediated, "mlx5_2", "0c42:a103:0065:0012", "506b:4b03:003c:eee8")
                .port(mediated, "mlx5_2", 1, "InfiniBand", "fe80:0000:0000:0000:0c42:a103:0065:0012");
        assertThat(devices())
                .extracting(Device::osName, Device::function)
                .containsExactly(tuple("mlx5_0", Function.Physical), tuple("mlx5_2", Function.Virtual));
    }

    @Test
    void anIwarpAdapterWithFirmwareIsHardware() {
        host.pci(CARD, "8086", "159b", "0200", 0).net(CARD, "ens1f0", "0c:42:a1:65:00:10");
        software(CARD, "iwp8s0f0", "4: RNIC", "0e42:a1ff:fe65:0010");
        host.link("/sys/devices/" + CARD + "/infiniband/iwp8s0f0/device", "/sys/devices/" + CARD)
                .file("/sys/devices/" + CARD + "/infiniband/iwp8s0f0/fw_ver", "1.71\n");
        Device device = find(devices(), "iwp8s0f0");
        assertThat(devices()).containsExactly(device);
        assertThat(device.function()).isEqualTo(Function.Physical);
        assertThat(device.family()).isEqualTo(Family.iWARP);
        assertThat(Objects.requireNonNull(device.pci()).address()).isEqualTo("0000:08:00.0");
    }

    @Test
    void softwareOverTheInterfaceOfTheDefaultRouteIsForManagement() {
        host.pci(CARD, "1af4", "1041", "0200", 0).net(CARD + "/virtio2", "eth0", "0c:42:a1:65:00:10");
        software("virtual", "rxe0", "1: CA", "0e42:a1ff:fe65:0010");
        host.file("/sys/devices/virtual/infiniband/rxe0/parent", "eth0\n")
                .file("/proc/1/net/route", "eth0\t00000000\t0100000A\t0003\t0\t0\t0\t00000000\t0\t0\t0\n");
        assertThat(devices()).extracting(Device::role).containsExactly(Role.Management, Role.Management);
    }
}
