/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.topology.HostEnds.HostDevice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HostEndsTest {
    private static final String GUID = "b83fd2030000000";

    private static HostDevice device(String host, String osName, @Nullable String netdev, Family family, String digit) {
        return new HostDevice(
                new PortPeer(GUID + digit, 1),
                host,
                "k8s-" + host,
                osName,
                netdev,
                "02:00:00:00:00:0" + digit,
                family,
                true);
    }

    private static Switch leaf(String id, String... peers) {
        List<SwitchPort> ports = new ArrayList<>();
        for (int i = 0; i < peers.length; i++) {
            ports.add(new SwitchPort(i + 1, new PortPeer(peers[i], 0), PortState.Active, null, null, null, null, null));
        }
        return new Switch(id, null, null, null, null, "test", ports);
    }

    private static SortedMap<String, Switch> map(Switch... switches) {
        TreeMap<String, Switch> byId = new TreeMap<>();
        Arrays.stream(switches).forEach(s -> byId.put(s.id(), s));
        return byId;
    }

    private static List<String> cables(SortedMap<String, Switch> switches) {
        return switches.values().stream()
                .flatMap(s -> s.ports().stream()
                        .map(p -> s.id() + ":" + p.number() + " "
                                + (p.peer() == null
                                        ? "-"
                                        : p.peer().id() + ":" + p.peer().port())))
                .toList();
    }

    @Test
    void anInterfaceOfAHostIsTheDeviceThatHasIt() {
        List<HostDevice> devices = List.of(
                device("n1", "mlx5_0", "eth0", Family.RoCE, "1"),
                device("n1", "mlx5_1", "eth1", Family.RoCE, "2"),
                device("n2", "mlx5_0", "eth0", Family.RoCE, "3"));
        assertThat(cables(HostEnds.found(
                        map(leaf("s1", "n1/eth0", "N1.example.org/eth1", "k8s-n2/eth0", "n1/eth7", "n9/eth0")),
                        devices)))
                .containsExactly(
                        "s1:1 " + GUID + "1:1",
                        "s1:2 " + GUID + "2:1",
                        "s1:3 " + GUID + "3:1",
                        "s1:4 n1/eth7:0",
                        "s1:5 n9/eth0:0");
    }

    @Test
    void aMacIsTheDeviceThatHasIt() {
        List<HostDevice> devices = List.of(device("n1", "mlx5_0", "eth0", Family.RoCE, "1"));
        assertThat(cables(HostEnds.found(map(leaf("s1", "02:00:00:00:00:01", "02:00:00:00:00:09")), devices)))
                .containsExactly("s1:1 " + GUID + "1:1", "s1:2 02:00:00:00:00:09:0");
    }

    @Test
    void aHostIsAllOfItsDevicesOfTheFamilyThatIsMadeForIt() {
        List<HostDevice> devices = List.of(
                device("n1", "mlx5_0", "ib0", Family.InfiniBand, "1"),
                device("n1", "mlx5_1", "ib1", Family.InfiniBand, "2"),
                device("n1", "eth0", "eth0", Family.Ethernet, "3"),
                device("n2", "mlx5_0", "ib0", Family.InfiniBand, "4"));
        assertThat(cables(HostEnds.found(map(leaf("s1", "n1/", "n2/", "n3/")), devices)))
                .containsExactly("s1:1 " + GUID + "1:1", "s1:2 " + GUID + "4:1", "s1:3 n3/:0", "s1:4 " + GUID + "2:1");
    }

    @Test
    void aHostIsItsDevicesOfAllFamiliesWhereTheSourceSaysSoButNotItsAccelerators() {
        List<HostDevice> devices = List.of(
                device("n1", "eth0", "eth0", Family.Ethernet, "3"),
                device("n1", "mlx5_0", "ib0", Family.InfiniBand, "1"),
                device("n1", "nvidia0", null, Family.NVLink, "5"),
                device("n2", "nvidia0", null, Family.NVLink, "6"));
        assertThat(cables(HostEnds.found(map(leaf("s1", "n1/*", "n2/*")), devices)))
                .containsExactly("s1:1 " + GUID + "1:1", "s1:2 -", "s1:3 " + GUID + "3:1");
        assertThat(HostEnds.hostOf("n1/*")).isEqualTo("n1");
    }

    @Test
    void aDeviceThatAnotherCableLeadsToStaysWhereItIs() {
        List<HostDevice> devices = List.of(
                device("n1", "mlx5_0", "ib0", Family.InfiniBand, "1"),
                device("n1", "mlx5_1", "ib1", Family.InfiniBand, "2"),
                device("n2", "mlx5_0", "ib0", Family.InfiniBand, "3"));
        Switch better = new Switch(
                "guid",
                null,
                null,
                null,
                null,
                "ibnetdiscover",
                List.of(
                        new SwitchPort(7, new PortPeer(GUID + "2", 1), PortState.Active, null, null, null, null, null),
                        new SwitchPort(
                                8, new PortPeer(GUID + "3", 1), PortState.Active, null, null, null, null, null)));
        assertThat(cables(HostEnds.found(map(leaf("s1", "n1/", "n2/"), better), devices)))
                .containsExactly("guid:7 " + GUID + "2:1", "guid:8 " + GUID + "3:1", "s1:1 " + GUID + "1:1", "s1:2 -");
    }

    @Test
    void aShortNameThatTwoHostsShareIsNeither() {
        List<HostDevice> devices = List.of(
                device("n1.east", "mlx5_0", "eth0", Family.RoCE, "1"),
                device("n1.west", "mlx5_0", "eth0", Family.RoCE, "2"));
        assertThat(cables(HostEnds.found(map(leaf("s1", "n1/eth0", "n1.west/eth0")), devices)))
                .containsExactly("s1:1 n1/eth0:0", "s1:2 " + GUID + "2:1");
    }

    @Test
    void aCliqueHasTheAcceleratorsOfItsHostsAndATreeOfHostsNeverDoes() {
        List<HostDevice> devices = List.of(
                device("n1", "0000:1b:00.0", "", Family.NVLink, "1"),
                device("n1", "0000:1c:00.0", "", Family.NVLink, "2"),
                device("n1", "mlx5_0", "ib0", Family.InfiniBand, "3"),
                device("n2", "mlx5_0", "ib0", Family.InfiniBand, "4"));
        assertThat(cables(HostEnds.found(
                        map(leaf("clique.0", "n1/nvlink", "n2/nvlink"), leaf("leaf", "n1/", "n2/")), devices)))
                .containsExactly(
                        "clique.0:1 " + GUID + "1:1",
                        "clique.0:2 n2/nvlink:0",
                        "clique.0:3 " + GUID + "2:1",
                        "leaf:1 " + GUID + "3:1",
                        "leaf:2 " + GUID + "4:1");
    }
}
