/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fabricoperator.fabric.device.Accelerator;
import dev.fabricoperator.fabric.device.AcceleratorPath;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.NumaDistance;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.ReadError;
import dev.fabricoperator.fabric.device.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Cases that the recordings do not hold, on laid out trees. */
class HostDiscoveryTest {

    private static final String SLOT = "pci0000:80/0000:80:01.0/0000:81:00.0";
    private static final String SLOT_1 = "pci0000:80/0000:80:01.0/0000:81:00.1";
    private static final String GID = "fe80:0000:0000:0000:506b:4b03:003c:eee9";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path root;

    @SuppressWarnings("NullAway.Init")
    private HostBuilder host;

    @BeforeEach
    void layOutHost() {
        host = new HostBuilder(root);
    }

    private Device only() {
        DiscoveryResult result = host.discover();
        assertThat(result.devices()).hasSize(1);
        return result.devices().getFirst();
    }

    private void infiniBand() {
        host.pci(SLOT, "15b3", "1021", "0207", 1)
                .rdma(SLOT, "mlx5_0", "506b:4b03:003c:eee8", "506b:4b03:003c:eee8")
                .port(SLOT, "mlx5_0", 1, "InfiniBand", GID);
    }

    @Test
    void aRootWithoutSysIsNoHost() throws IOException {
        DiscoveryResult result = HostDiscovery.discover(PathHostTree.of(Files.createDirectory(root.resolve("empty"))));
        assertThat(result.complete()).isFalse();
        assertThat(result.errors()).extracting(ReadError::file).containsExactly("/sys");
        assertThat(HostDiscovery.discover(PathHostTree.of(root.resolve("absent")))
                        .complete())
                .isFalse();
    }

    @Test
    void portsOfOneDeviceMeetTheirInterfacesByNumber() {
        infiniBand();
        host.port(SLOT, "mlx5_0", 2, "Ethernet", "fe80:0000:0000:0000:0e42:a1ff:fe11:2233")
                .net(SLOT, "ib0", "80:00:00:48:fe:80:00:00:00:00:00:00:50:6b:4b:03:00:3c:ee:e9")
                .net(SLOT, "ens1d1", "0c:42:a1:11:22:33")
                .file("/sys/devices/" + SLOT + "/net/ens1d1/dev_port", "1\n");
        List<Device> devices = host.discover().devices();
        assertThat(devices).extracting(Device::netdev).containsExactly("ib0", "ens1d1");
        assertThat(devices).extracting(Device::family).containsExactly(Family.InfiniBand, Family.RoCE);
        assertThat(devices)
                .extracting(Device::deviceId)
                .containsExactly(
                        "fab://506b:4b03:003c:eee8::506b:4b03:003c:eee8#1",
                        "fab://506b:4b03:003c:eee8::506b:4b03:003c:eee8#2");
        assertThat(devices).extracting(Device::portGuid).containsExactly("506b4b03003ceee9", null);
    }

    @Test
    void ipoibChildOfAnotherPartitionIsNotTheInterfaceOfThePort() {
        infiniBand();
        String address = "80:00:00:48:fe:80:00:00:00:00:00:00:50:6b:4b:03:00:3c:ee:e9";
        host.net(SLOT, "ib0", address).net(SLOT, "ib0.8001", address);
        host.file("/sys/devices/" + SLOT + "/net/ib0.8001/ifindex", "9\n")
                .file("/sys/devices/" + SLOT + "/net/ib0.8001/iflink", "3\n");
        assertThat(only().netdev()).isEqualTo("ib0");
    }

    @Test
    void representorsOfVirtualFunctionsAreNoDevices() {
        host.pci(SLOT, "15b3", "101d", "0200", 0)
                .net(SLOT, "ens1f0np0", "0c:42:a1:11:22:33")
                .net(SLOT, "ens1f0npf0vf0", "0c:42:a1:11:22:34")
                .file("/sys/devices/" + SLOT + "/net/ens1f0np0/phys_port_name", "p0\n")
                .file("/sys/devices/" + SLOT + "/net/ens1f0npf0vf0/phys_port_name", "pf0vf0\n");
        assertThat(only().osName()).isEqualTo("ens1f0np0");
    }

    @Test
    void virtualFunctionIsOnTheCardOfItsPhysicalFunction() {
        String virtual = "pci0000:80/0000:80:01.0/0000:81:08.2";
        host.pci(SLOT, "8086", "159b", "0200", 0).net(SLOT, "ens1f0", "0c:42:a1:11:22:33");
        host.pci(virtual, "8086", "9999", "0200", 0)
                .link("/sys/devices/" + virtual + "/physfn", "/sys/devices/" + SLOT)
                .net(virtual, "ens1f0v0", "0c:42:a1:11:22:34");
        List<Device> devices = host.discover().devices();
        assertThat(devices).extracting(Device::function).containsExactly(Function.Physical, Function.Virtual);
        assertThat(devices).extracting(Device::card).containsOnly("0000:81:00");
    }

    @Test
    void whatIsOnNoPciDeviceIsNotPublishedAndABondOfPortsIs() {
        host.pci(SLOT, "8086", "159b", "0200", 0).net(SLOT, "ens1f0", "0c:42:a1:11:22:33");
        host.pci(SLOT_1, "8086", "159b", "0200", 1).net(SLOT_1, "ens1f1", "0c:42:a1:11:22:33");
        for (String name : List.of("lo", "veth1234", "br0", "bond0", "bond0.7", "tun0", "dummy0")) {
            host.virtualNet(name, "0c:42:a1:11:22:33");
        }
        host.file("/sys/devices/virtual/net/bond0/bonding/slaves", "ens1f0 ens1f1\n")
                .file("/sys/devices/virtual/net/br0/bridge/stp_state", "0\n")
                .file("/sys/class/net/bonding_masters", "bond0\n");
        host.file("/sys/devices/" + SLOT + "/net/ens1f0/bonding_slave/perm_hwaddr", "0c:42:a1:11:22:33\n");
        host.file("/sys/devices/" + SLOT_1 + "/net/ens1f1/bonding_slave/perm_hwaddr", "0c:42:a1:11:22:44\n");
        String usb = "pci0000:00/0000:00:14.0/usb1/1-4/1-4:1.0";
        host.pci("pci0000:00/0000:00:14.0", "8086", "a36d", "0c03", 0).net(usb, "enx001122334455", "00:11:22:33:44:55");
        List<Device> devices = host.discover().devices();
        assertThat(devices).extracting(Device::osName).containsExactly("bond0", "ens1f0", "ens1f1");
        assertThat(devices)
                .extracting(Device::function)
                .containsExactly(Function.Bond, Function.Physical, Function.Physical);
        assertThat(devices).extracting(Device::busType).containsExactly("virtual", "PCI", "PCI");
        assertThat(devices)
                .extracting(Device::deviceId)
                .containsExactly("bond0@node1", "ens1f0@node1", "ipv4://0c:42:a1:11:22:44");
        assertThat(devices.getFirst().distances())
                .containsExactly(new NumaDistance(0, 10, 21), new NumaDistance(1, 10, 21));
    }

    @Test
    void rdmaDeviceOfABondHasTheBondAsItsInterface() {
        host.pci(SLOT, "15b3", "1021", "0200", 0)
                .rdma(SLOT, "mlx5_bond_0", "506b:4b03:003c:eee8", "506b:4b03:003c:eee8")
                .port(SLOT, "mlx5_bond_0", 1, "Ethernet", "0000:0000:0000:0000:0000:ffff:0a00:0005")
                .file("/sys/devices/" + SLOT + "/infiniband/mlx5_bond_0/ports/1/gid_attrs/ndevs/0", "bond0\n")
                .net(SLOT, "ens1f0", "0c:42:a1:11:22:33")
                .virtualNet("bond0", "0c:42:a1:11:22:33")
                .file("/sys/devices/virtual/net/bond0/bonding/slaves", "ens1f0\n");
        List<Device> devices = host.discover().devices();
        assertThat(devices).extracting(Device::osName).containsExactly("ens1f0", "mlx5_bond_0");
        assertThat(devices.get(1).netdev()).isEqualTo("bond0");
        assertThat(devices.get(1).function()).isEqualTo(Function.Bond);
        assertThat(devices.get(1).pci()).isNotNull();
    }

    @Test
    void slingshotIsOneDeviceWithItsEthernetInterface() {
        host.pci(SLOT, "17db", "0501", "0200", 1)
                .net(SLOT, "hsn0", "02:00:00:00:0a:50")
                .file("/sys/devices/" + SLOT + "/cxi/cxi0/uevent", "")
                .link("/sys/devices/" + SLOT + "/cxi/cxi0/device", "/sys/devices/" + SLOT)
                .link("/sys/class/cxi/cxi0", "/sys/devices/" + SLOT + "/cxi/cxi0");
        Device device = only();
        assertThat(device.osName()).isEqualTo("cxi0");
        assertThat(device.netdev()).isEqualTo("hsn0");
        assertThat(device.family()).isEqualTo(Family.Slingshot);
        assertThat(device.deviceId()).isEqualTo("ipv4://02:00:00:00:0a:50");
        assertThat(device.vendor()).isEqualTo("HPE");
        assertThat(device.speedBitsPerSecond()).isEqualTo(100_000_000_000L);
        assertThat(device.role()).isEqualTo(Role.Fabric);
    }

    @Test
    void slingshotInterfaceWithoutItsClassIsToldByPciId() {
        host.pci(SLOT, "1590", "0371", "0200", 1).net(SLOT, "hsi0", "02:00:00:00:0a:50");
        assertThat(only().family()).isEqualTo(Family.Slingshot);
        assertThat(only().osName()).isEqualTo("hsi0");
    }

    @Test
    void elasticFabricAdapterHasNoInterfaceAndNoLinkLayerOfItsOwn() {
        host.pci(SLOT, "1d0f", "efa2", "0200", 0)
                .rdma(SLOT, "rdmap16s27", "0000:0000:0000:0000", "0000:0000:0000:0000")
                .port(SLOT, "rdmap16s27", 1, "Unspecified", "fe80:0000:0000:0000:0811:f1ff:fe95:6d7f");
        Device device = only();
        assertThat(device.family()).isEqualTo(Family.EFA);
        assertThat(device.linkLayer()).isEqualTo("Unspecified");
        assertThat(device.vendor()).isEqualTo("Amazon");
        assertThat(device.deviceId()).isEqualTo("rdmap16s27@node1");
        assertThat(device.role()).isEqualTo(Role.Fabric);
    }

    @Test
    void tornFilesAreNamedAndTheRestIsRead() {
        infiniBand();
        String port = "/sys/devices/" + SLOT + "/infiniband/mlx5_0/ports/1";
        host.file(port + "/rate", "400 Gb/se")
                .file(port + "/state", "")
                .file(port + "/lid", "\0\1\2\3binary")
                .file(port + "/phys_state", "5: LinkUp\n".repeat(2000));
        DiscoveryResult result = host.discover();
        assertThat(result.complete()).isTrue();
        assertThat(result.errorFree()).isFalse();
        Device device = result.devices().getFirst();
        assertThat(device.readErrors())
                .extracting(ReadError::file)
                .containsExactly(port + "/lid", port + "/phys_state", port + "/rate", port + "/state");
        assertThat(device.speedBitsPerSecond()).isNull();
        assertThat(device.width()).isNull();
        assertThat(device.lid()).isNull();
        assertThat(device.state()).isEqualTo(PortState.Unknown);
        assertThat(device.nodeGuid()).isEqualTo("506b4b03003ceee8");
    }

    @Test
    void aDirectoryInPlaceOfAFileAndALinkOutOfTheRootAreNotFollowed() throws IOException {
        infiniBand();
        String device = "/sys/devices/" + SLOT + "/infiniband/mlx5_0";
        Files.createDirectory(host.path(device + "/board_id"));
        Files.createSymbolicLink(host.path(device + "/fw_ver"), Path.of("/etc/passwd"));
        assertThat(only().readErrors())
                .extracting(ReadError::file)
                .containsExactly(device + "/board_id", device + "/fw_ver");
    }

    @Test
    void atMostEightReadErrorsAreKept() {
        infiniBand();
        for (int i = 1; i < 20; i++) {
            host.file("/sys/devices/" + SLOT + "/infiniband/mlx5_0/ports/1/gids/" + i, "torn");
        }
        assertThat(only().readErrors()).hasSize(8).isSorted();
    }

    @Test
    void cpusOfAnotherNodeContradictTheNodeWhichStays() {
        infiniBand();
        host.file("/sys/devices/" + SLOT + "/local_cpulist", "0-7\n");
        DiscoveryResult result = host.discover();
        Device device = result.devices().getFirst();
        assertThat(device.numaNode()).isEqualTo(1);
        assertThat(device.distances()).containsExactly(new NumaDistance(0, 21, 21), new NumaDistance(1, 10, 10));
        assertThat(device.readErrors())
                .extracting(ReadError::file)
                .singleElement()
                .asString()
                .endsWith("local_cpulist");
        assertThat(result.errorFree()).isTrue();
    }

    @Test
    void withoutANodeTheDistanceIsBetweenNearestAndFarthest() {
        infiniBand();
        host.file("/sys/devices/" + SLOT + "/numa_node", "-1\n");
        assertThat(only().numaNode()).isNull();
        assertThat(only().distances()).containsExactly(new NumaDistance(0, 10, 21), new NumaDistance(1, 10, 21));
        host.file("/sys/devices/" + SLOT + "/local_cpulist", "8-15\n");
        assertThat(only().distances()).containsExactly(new NumaDistance(0, 21, 21), new NumaDistance(1, 10, 10));
    }

    @Test
    void distanceRowThatDoesNotFitTheOnlineNodesIsAnErrorOfTheHost() {
        infiniBand();
        host.numaNode(1, "8-15", "21 10 80");
        assertThat(host.discover().errors())
                .extracting(ReadError::file)
                .containsExactly("/sys/devices/system/node/node1/distance");
        assertThat(only().distances()).isEmpty();
    }

    @Test
    void acceleratorsAreOrderedByTheWayToThem() {
        String bridge = "pci0000:80/0000:80:01.0/0000:81:00.0/0000:82:00.0";
        host.pci(bridge + "/0000:83:00.0", "15b3", "1021", "0207", 1)
                .rdma(bridge + "/0000:83:00.0", "mlx5_0", "506b:4b03:003c:eee8", "506b:4b03:003c:eee8")
                .port(bridge + "/0000:83:00.0", "mlx5_0", 1, "InfiniBand", GID);
        String root = "pci0000:80/0000:80:01.0/0000:81:00.0";
        host.pci(root + "/0000:82:01.0/0000:84:00.0", "10de", "2330", "0302", 1)
                .pci(root + "/0000:82:02.0/0000:85:00.0/0000:86:00.0/0000:87:00.0", "10de", "2330", "0302", 1)
                .pci("pci0000:80/0000:80:03.0/0000:88:00.0", "1002", "74a1", "1200", 1)
                .pci("pci0000:a0/0000:a0:01.0/0000:a1:00.0", "8086", "0bd5", "0380", 1)
                .pci("pci0000:00/0000:00:01.0/0000:01:00.0", "10de", "2330", "0302", 0)
                .pci("pci0000:00/0000:00:02.0/0000:02:00.0", "1a03", "2000", "0300", 0);
        assertThat(only().accelerators())
                .extracting(Accelerator::path)
                .containsExactly(
                        AcceleratorPath.PIX,
                        AcceleratorPath.PXB,
                        AcceleratorPath.PHB,
                        AcceleratorPath.NODE,
                        AcceleratorPath.SYS);
    }

    @Test
    void acceleratorsThatNvlinkJoinsAreDevicesWhereTheCallerKnowsIt() {
        host.pci("pci0000:a0/0000:a0:01.0/0000:a1:00.0", "10de", "2330", "0302", 1)
                .file("/sys/devices/pci0000:a0/0000:a0:01.0/0000:a1:00.0/subsystem_vendor", "0x10de\n")
                .file("/sys/devices/pci0000:a0/0000:a0:01.0/0000:a1:00.0/subsystem_device", "0x16c1\n")
                .pci("pci0000:00/0000:00:01.0/0000:01:00.0", "10de", "2330", "0302", 0)
                .pci("pci0000:80/0000:80:03.0/0000:88:00.0", "1002", "74a1", "1200", 1);
        assertThat(HostDiscovery.discover(host.tree()).devices()).isEmpty();
        DiscoveryResult found = HostDiscovery.discover(host.tree(), new DiscoveryOptions("n1", Set.of(), null, true));
        assertThat(found.complete()).isTrue();
        assertThat(found.devices())
                .extracting(Device::osName, Device::family, Device::vendor, Device::numaNode, Device::board)
                .containsExactly(
                        tuple("0000:01:00.0", Family.NVLink, "NVIDIA", 0, null),
                        tuple("0000:a1:00.0", Family.NVLink, "NVIDIA", 1, "10de:16c1"));
        Device second = found.devices().getLast();
        assertThat(second.deviceId()).isEqualTo("0000:a1:00.0@" + second.hostname());
        assertThat(second.role()).isEqualTo(Role.Fabric);
        assertThat(second.accelerators())
                .extracting(Accelerator::pciAddress)
                .containsExactly("0000:88:00.0", "0000:01:00.0");
    }

    @Test
    void vlanOnABondMakesItsPortsManagement() {
        host.pci(SLOT, "8086", "159b", "0200", 0).net(SLOT, "ens1f0", "0c:42:a1:11:22:33");
        host.pci(SLOT_1, "8086", "159b", "0200", 1).net(SLOT_1, "ens1f1", "0c:42:a1:11:22:44");
        host.virtualNet("bond0", "0c:42:a1:11:22:33")
                .file("/sys/devices/virtual/net/bond0/bonding/slaves", "ens1f0\n")
                .virtualNet("bond0.7", "0c:42:a1:11:22:33")
                .file("/sys/devices/virtual/net/bond0.7/lower_bond0/ifindex", "5\n")
                .file("/proc/1/net/route", "bond0.7\t00000000\t0100000A\t0003\t0\t0\t0\t00000000\t0\t0\t0\n");
        assertThat(host.discover().devices())
                .extracting(Device::role)
                .containsExactly(Role.Management, Role.Management, Role.Unknown);
    }

    @Test
    void addressesAreThoseOfTheConnectedNetworkUnlessTwoInterfacesShareIt() {
        host.pci(SLOT, "8086", "159b", "0200", 0).net(SLOT, "ens1f0", "0c:42:a1:11:22:33");
        host.pci(SLOT_1, "8086", "159b", "0200", 1).net(SLOT_1, "ens1f1", "0c:42:a1:11:22:44");
        host.file("/proc/1/net/route", """
                Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
                ens1f0\t00000000\t0100000A\t0003\t0\t0\t0\t00000000\t0\t0\t0
                ens1f0\t0000000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
                ens1f1\t0001A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
                """).file("/proc/1/net/fib_trie", """
                Main:
                  +-- 0.0.0.0/0 3 0 5
                     |-- 10.0.0.5
                        /32 host LOCAL
                     |-- 10.0.0.255
                        /32 link BROADCAST
                     |-- 127.0.0.1
                        /32 host LOCAL
                     |-- 192.168.1.9
                        /32 host LOCAL
                """).file("/proc/1/net/if_inet6", """
                fd000000000000000000000000000005 02 40 00 80   ens1f0
                fe800000000000000e42a1fffe112233 02 40 20 80   ens1f0
                """);
        List<Device> devices = host.discover().devices();
        assertThat(devices.get(0).ipAddresses()).containsExactly("10.0.0.5", "fd00::5");
        assertThat(devices.get(1).ipAddresses()).containsExactly("192.168.1.9");
        assertThat(devices.get(0).role()).isEqualTo(Role.Management);
        DiscoveryResult byAddress = HostDiscovery.discover(
                host.tree(),
                new DiscoveryOptions(null, Set.of("10.1.1.1"), Map.of("ens1f1", List.of("10.1.1.1")), false));
        assertThat(byAddress.devices().get(1).role()).isEqualTo(Role.Management);
        assertThat(byAddress.devices().get(1).ipAddresses()).containsExactly("10.1.1.1");
    }

    @Test
    void unreadableFilesAreErrorsAndUnreadableClassesMakeTheResultIncomplete() {
        infiniBand();
        String fwVer = "/sys/devices/" + SLOT + "/infiniband/mlx5_0/fw_ver";
        Device device = HostDiscovery.discover(new Denying(host.tree(), fwVer))
                .devices()
                .getFirst();
        assertThat(device.readErrors()).containsExactly(new ReadError(fwVer, "permission denied"));
        DiscoveryResult result = HostDiscovery.discover(new Denying(host.tree(), "/sys/class/infiniband"));
        assertThat(result.complete()).isFalse();
        assertThat(result.errors()).containsExactly(new ReadError("/sys/class/infiniband", "permission denied"));
    }

    @Test
    void hostnameComesFromTheKernelThenTheConfigurationThenTheCaller() {
        infiniBand();
        assertThat(host.discover().hostname()).isEqualTo("node1");
        host.path("/proc/sys/kernel/hostname").toFile().delete();
        DiscoveryOptions options = new DiscoveryOptions("caller", Set.of(), null, false);
        assertThat(HostDiscovery.discover(host.tree(), options).hostname()).isEqualTo("caller");
        host.file("/etc/hostname", "configured\n");
        assertThat(HostDiscovery.discover(host.tree(), options)
                        .devices()
                        .getFirst()
                        .hostname())
                .isEqualTo("configured");
    }

    /** A tree in which one path is unreadable. Tests may run as root, whom no permission stops. */
    private record Denying(HostTree tree, String denied) implements HostTree {
        @Override
        public Content read(String path, int maximumBytes) {
            return path.equals(denied) ? new Unreadable("permission denied") : tree.read(path, maximumBytes);
        }

        @Override
        public Content readBinary(String path, int maximumBytes) {
            return path.equals(denied) ? new Unreadable("permission denied") : tree.readBinary(path, maximumBytes);
        }

        @Override
        public Listing list(String path) {
            return path.equals(denied) ? new Unreadable("permission denied") : tree.list(path);
        }

        @Override
        public @Nullable String realPath(String path) {
            return tree.realPath(path);
        }

        @Override
        public @Nullable String linkTarget(String path) {
            return tree.linkTarget(path);
        }
    }
}
