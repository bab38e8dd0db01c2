/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.CablingLoss;
import dev.fabricoperator.fabric.cabling.NodeType;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.testdata.Dump;
import dev.fabricoperator.fabric.testdata.Wiring;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TopologyTest {
    static List<Dump> dumps() {
        return Dump.all();
    }

    @ParameterizedTest
    @MethodSource("dumps")
    void isTheSameWhateverTheOrderOfRecords(Dump dump) {
        OfflineFabric fabric = OfflineFabrics.of(dump.cabling()).getFirst();
        List<Vertex> vertices = new ArrayList<>();
        fabric.devices().forEach(d -> vertices.add(new Vertex(vertices.size(), d.endId(), d.port(), d.hostname())));
        Topology topology = Topology.of(fabric.switches(), vertices);

        Random random = new Random(1);
        List<Switch> shuffled = new ArrayList<>();
        List<Switch> renamed = new ArrayList<>();
        for (Switch node : fabric.switches()) {
            List<SwitchPort> ports = new ArrayList<>(node.ports());
            Collections.shuffle(ports, random);
            shuffled.add(new Switch(node.id(), node.name(), null, null, null, "test", ports));
            renamed.add(new Switch(node.id(), "sw" + random.nextInt(), null, null, null, "test", ports));
        }
        Collections.shuffle(shuffled, random);
        Collections.shuffle(vertices, random);
        Topology again = Topology.of(shuffled, vertices);
        assertThat(describe(again)).isEqualTo(describe(topology));
        assertThat(messages(again)).isEqualTo(messages(topology));
        // Names of switches are for people, who read them in messages: nothing else may depend on them.
        assertThat(describe(Topology.of(renamed, vertices))).isEqualTo(describe(topology));
    }

    /** All but the words of problems. */
    private static String describe(Topology topology) {
        StringBuilder text = new StringBuilder();
        for (int s = 0; s < topology.switches(); s++) {
            text.append(topology.switchId(s));
            for (int n = topology.firstNeighbor(s); n < topology.firstNeighbor(s + 1); n++) {
                text.append(' ').append(topology.neighbor(n)).append('*').append(topology.neighborCables(n));
                text.append('@').append(topology.neighborSpeed(n));
            }
            text.append('\n');
        }
        for (int end = 0; end < topology.ends(); end++) {
            text.append(topology.endId(end))
                    .append('[')
                    .append(topology.endPort(end))
                    .append("] ");
            text.append(topology.endSwitch(end))
                    .append(' ')
                    .append(topology.endSwitchPort(end))
                    .append('\n');
        }
        topology.problems()
                .forEach(problem -> text.append(problem.kind())
                        .append(' ')
                        .append(problem.object())
                        .append('\n'));
        return text.append(topology.links()).toString();
    }

    @Test
    void parallelCablesAreKeptAndTheFastestCounts() {
        Topology topology = Topology.of(
                List.of(
                        node("a", port(1, "b", 1, 100), port(2, "b", 2, 200), port(3, "b", 3, 200)),
                        node("b", port(1, "a", 1, 50), port(2, "a", 2, 200), port(3, "a", 3, 200))),
                List.of());
        assertThat(topology.links()).isEqualTo(3);
        assertThat(topology.neighborCables(0)).isEqualTo(3);
        assertThat(topology.neighborSpeed(0)).isEqualTo(200);
        assertThat(topology.problems()).isEmpty();
    }

    @Test
    void aCableSeenFromOneEndIsUsedAndAProblem() {
        Topology topology = Topology.of(List.of(node("a", port(1, "b", 1, 1)), node("b")), List.of());
        assertThat(topology.links()).isEqualTo(1);
        assertThat(messages(topology)).singleElement().asString().contains("not seen from its far end");
    }

    @Test
    void whatBothEndsSayWinsOverWhatContradictsIt() {
        Topology topology = Topology.of(
                List.of(node("a", port(1, "c", 1, 1)), node("b", port(1, "c", 1, 1)), node("c", port(1, "b", 1, 1))),
                List.of());
        assertThat(topology.links()).isEqualTo(1);
        assertThat(topology.neighbor(topology.firstNeighbor(topology.switchIndex("c"))))
                .isEqualTo(topology.switchIndex("b"));
        assertThat(messages(topology)).singleElement().asString().contains("contradicts");
    }

    @Test
    void aCableOfASwitchToItselfCountsAndLeadsNowhere() {
        Topology topology = Topology.of(List.of(node("a", port(1, "a", 2, 1), port(2, "a", 1, 1))), List.of());
        assertThat(topology.links()).isEqualTo(1);
        assertThat(topology.firstNeighbor(1)).isZero();
        assertThat(messages(topology)).singleElement().asString().contains("leads back");
    }

    @Test
    void devicesThatOnlyCablesNameAreUnmanaged() {
        Topology topology = Topology.of(
                List.of(node("a", port(1, "x", 1, 1), port(2, "y", 1, 1), port(3, "y", 2, 1))),
                List.of(new Vertex(4, "y", 2, "host")));
        assertThat(topology.ends()).isEqualTo(3);
        assertThat(topology.managedEnds()).isEqualTo(1);
        assertThat(topology.slots()).isEqualTo(5);
        assertThat(topology.endSwitchPort(topology.endOfSlot(4))).isEqualTo(3);
        assertThat(topology.links()).isEqualTo(3);
        // The second port of an adapter whose first one is managed sits in the same host.
        assertThat(topology.endHost(2)).isEqualTo("host");
    }

    @Test
    void cablesToASwitchThatNoSourceDescribesLeadNowhereAndEndAtNoDevice() {
        Topology topology = Topology.of(
                List.of(node("a", to(1, "x", 1, NodeType.Switch), to(2, "x", 2, NodeType.Switch))), List.of());
        assertThat(topology.ends()).isZero();
        assertThat(topology.links()).isZero();
        assertThat(messages(topology)).containsExactly("2 cables lead to switch x, which no source describes");
    }

    @Test
    void aDeviceIsOneWhateverTheNumbersOfItsPorts() {
        SwitchPort[] ports = IntStream.rangeClosed(1, 12)
                .mapToObj(number -> to(number, "x", 60 + number, number % 2 == 0 ? null : NodeType.Device))
                .toArray(SwitchPort[]::new);
        Topology topology = Topology.of(List.of(node("a", ports)), List.of());
        assertThat(topology.ends()).isEqualTo(12);
        assertThat(topology.problems()).isEmpty();
    }

    @Test
    void aSwitchThatNoSourceDescribesIsNoDeviceOfAComponent() {
        List<Switch> switches = List.of(node("a", to(1, "x", 1, NodeType.Switch), to(2, "y", 1, NodeType.Device)));
        assertThat(Components.parts(switches).getFirst().ends()).containsExactly(new PortPeer("y", 1));
        CablingLoss loss = CablingLoss.between(switches, List.of(node("a")));
        assertThat(loss.devicesLost()).containsExactly("y");
    }

    /** A far port's number comes from a file as it is; the others of its switch are fewer. */
    @ParameterizedTest
    @ValueSource(ints = {3, 65_535, Integer.MAX_VALUE - 1, Integer.MAX_VALUE})
    void aFarPortOfAnyNumberIsOneThatItsSwitchDoesNotMention(int farPort) {
        Topology topology = Topology.of(
                List.of(
                        node("a", port(1, "c", farPort, 1), port(2, "x", 1, 1), port(3, "y", 1, 1)),
                        node("b", port(1, "z", 1, 1)),
                        node("c", port(1, "w", 1, 1))),
                List.of());
        assertThat(topology.links()).isEqualTo(5);
        assertThat(messages(topology)).singleElement().asString().contains("not seen from its far end");
    }

    @Test
    void portsThatAreDownCarryNoCable() {
        SwitchPort down = new SwitchPort(1, new PortPeer("b", 1), PortState.Down, 1L, 4, null, null, null);
        Topology topology = Topology.of(List.of(node("a", down), node("b")), List.of());
        assertThat(topology.links()).isZero();
        assertThat(topology.problems())
                .extracting(TopologyProblem::kind, TopologyProblem::object)
                .containsExactly(org.assertj.core.api.Assertions.tuple(TopologyProblem.Kind.PORT_DOWN, "a port 1"));
    }

    @Test
    void aLinkThatIsDownAtBothEndsIsSaidOnce() {
        Topology topology = Topology.of(
                List.of(node("a", down(1, "b", 7), down(2, "b", 8)), node("b", down(7, "a", 1), down(8, "c", 1))),
                List.of());
        assertThat(messages(topology))
                .containsExactly(
                        "a port 1 is down; its cable leads to b port 7",
                        "a port 2 is down; its cable leads to b port 8",
                        "b port 8 is down; its cable leads to c port 1");
    }

    @Test
    void aNameThatLooksLikeAFormatStaysAsItIs() {
        Switch far = new Switch("b", "spine-%s-%d", null, null, null, "test", List.of());
        Topology topology = Topology.of(List.of(node("a", down(1, "b", 7)), far), List.of());
        assertThat(messages(topology)).containsExactly("a port 1 is down; its cable leads to spine-%s-%d port 7");
    }

    private static SwitchPort down(int number, String peer, int peerPort) {
        return new SwitchPort(number, new PortPeer(peer, peerPort), PortState.Down, 1L, 4, null, null, null);
    }

    @Test
    void sourcesWithoutFarPortNumbersAreMerged() {
        Topology topology = Topology.of(
                List.of(
                        node("a", port(1, "b", 0, 1), port(2, "b", 0, 1)),
                        node("b", port(7, "a", 0, 1), port(8, "a", 2, 1))),
                List.of());
        assertThat(topology.links()).isEqualTo(2);
        assertThat(topology.problems()).isEmpty();
    }

    @Test
    void twoVerticesCannotShareASlot() {
        List<Vertex> vertices = List.of(new Vertex(1, "a", 1, null), new Vertex(1, "b", 1, null));
        assertThatThrownBy(() -> Topology.of(List.of(), vertices)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void componentsAreLargestFirstAndDevicesJoinNothing() {
        List<Switch> switches = List.of(
                node("c", port(1, "x", 2, 1)),
                node("a", port(1, "b", 1, 1), port(2, "x", 1, 1)),
                node("b", port(1, "a", 1, 1), port(2, "y", 1, 1)));
        assertThat(Components.parts(switches))
                .containsExactly(
                        new Components.Part(
                                new TreeSet<>(Set.of("a", "b")), List.of(new PortPeer("x", 1), new PortPeer("y", 1))),
                        new Components.Part(new TreeSet<>(Set.of("c")), List.of(new PortPeer("x", 2))));
    }

    @Test
    void anyWiringHasAsManyLinksAsCables() {
        Wiring wiring = Wiring.twoLevels(3, 5, 3, 4, 2);
        assertThat(wiring.topology().links()).isEqualTo(5 * 3 * 2 + 5 * 4);
    }

    private static List<String> messages(Topology topology) {
        return topology.problems().stream().map(TopologyProblem::message).toList();
    }

    private static Switch node(String id, SwitchPort... ports) {
        return new Switch(id, null, null, null, null, "test", List.of(ports));
    }

    private static SwitchPort port(int number, String peer, int peerPort, long speed) {
        return new SwitchPort(number, new PortPeer(peer, peerPort), PortState.Active, speed, 4, null, null, null);
    }

    private static SwitchPort to(int number, String peer, int peerPort, @Nullable NodeType type) {
        return new SwitchPort(number, new PortPeer(peer, peerPort), PortState.Active, 1L, 4, null, null, null, type);
    }
}
