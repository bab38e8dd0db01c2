/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.cost.Weights;
import dev.fabricoperator.fabric.numbering.Numbering;
import dev.fabricoperator.fabric.testdata.Dump;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** What did not change keeps its labels, whatever happens to the rest and whoever computes them. */
class StabilityTest {
    @Property(seed = "20261121", tries = 150, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void survivorsOfFaultsInTreesOfTwoLevelsStay(
            @ForAll long seed,
            @ForAll @IntRange(min = 4, max = 16) int leaves,
            @ForAll @IntRange(min = 1, max = 9) int hosts) {
        assertSurvivorsStay(Wiring.twoLevels(seed, leaves, 4, hosts, 2), new Random(seed), FabricKind.FatTree);
    }

    @Property(seed = "20261121", tries = 150, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void survivorsOfFaultsInTreesOfThreeLevelsStay(
            @ForAll long seed,
            @ForAll @IntRange(min = 3, max = 6) int pods,
            @ForAll @IntRange(min = 3, max = 6) int leaves) {
        Wiring wiring = Wiring.threeLevels(seed, pods, leaves, 4, 2, 3, 1);
        assertSurvivorsStay(wiring, new Random(seed), FabricKind.FatTree);
    }

    @Property(seed = "20261121", tries = 150, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void survivorsOfFaultsInRailsStay(
            @ForAll long seed,
            @ForAll @IntRange(min = 3, max = 6) int units,
            @ForAll @IntRange(min = 4, max = 8) int rails,
            @ForAll @IntRange(min = 6, max = 12) int hosts) {
        Wiring wiring = Wiring.rails(seed, units, rails, hosts, 4, 2);
        assertSurvivorsStay(wiring, new Random(seed), FabricKind.RailOptimized);
    }

    @Test
    void whatHasNoMemoryOfItsOwnTakesTheLowestFreeNumber() {
        Wiring wiring = Wiring.twoLevels(9, 5, 3, 4, 1);
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
        Switch leaf = leafAt(wiring.switches(), model, 2);
        List<Switch> without = new ArrayList<>(wiring.switches());
        without.remove(leaf);
        withoutPortsTo(without, Set.of(leaf.id()));
        FabricModel damaged = next(without, wiring.vertices(), model.numbering());
        assertThat(damaged.defaultShape().string()).isEqualTo("5x4");
        assertThat(damaged.groups()).isEqualTo(4);

        // The object of the switch is gone, and with it what was known of it.
        FabricModel again = next(wiring.switches(), wiring.vertices(), damaged.numbering());
        assertThat(again.switchPosition(leaf.id())).isEqualTo(model.switchPosition(leaf.id()));
        assertThat(again.groups()).isEqualTo(5);
    }

    @Test
    void aReplacedLeafIsKnownByItsHosts() {
        Wiring wiring = Wiring.twoLevels(10, 5, 3, 4, 1);
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
        Switch old = leafAt(wiring.switches(), model, 3);
        List<Switch> replaced = wiring.switches().stream()
                .map(s -> renamed(s, old.id(), "0000000000000001"))
                .toList();
        FabricModel after = next(replaced, wiring.vertices(), model.numbering());
        for (int slot = 0; slot < model.devices(); slot++) {
            assertThat(Objects.requireNonNull(after.device(slot)).coordinates().getFirst())
                    .isEqualTo(Objects.requireNonNull(model.device(slot))
                            .coordinates()
                            .getFirst());
        }
    }

    @Test
    void aDeviceWhoseCableIsPulledStaysInItsPlane() {
        Wiring wiring = Wiring.rails(11, 2, 4, 6, 3, 1);
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
        Vertex pulled = wiring.vertices().stream()
                .filter(v -> "mlx5_3".equals(v.osName()))
                .findFirst()
                .orElseThrow();
        List<Switch> switches = new ArrayList<>(wiring.switches());
        withoutPortsTo(switches, Set.of(pulled.id()));
        FabricModel after = next(switches, wiring.vertices(), model.numbering());
        DevicePosition place = Objects.requireNonNull(after.device(pulled.index()));
        assertThat(place.switchId()).isNull();
        assertThat(place.plane()).isEqualTo("3");
        assertThat(after.planes()).isEqualTo(model.planes());
        assertSame(next(switches, wiring.vertices(), after.numbering()), after);
    }

    @Test
    void aRecordedFabricComesBackAsItWas() {
        for (Dump dump : List.of(Dump.NDR, Dump.SELENE, Dump.ROCKET, Dump.PSMN)) {
            List<Switch> switches = dump.cabling().switches();
            FabricModel model = FabricModel.of(switches, managed(switches));
            assertSame(next(switches, managed(switches), model.numbering()), model);
        }
    }

    @Test
    void damagedMemoryNeverBreaksTheModel() {
        Wiring wiring = Wiring.twoLevels(12, 5, 3, 4, 1);
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
        Map<String, Numbering.OfSwitch> switches = new HashMap<>();
        model.numbering()
                .switches()
                .forEach((id, place) -> switches.put(id, new Numbering.OfSwitch(-7, List.of(Integer.MAX_VALUE))));
        Map<PortPeer, Numbering.OfDevice> devices = new HashMap<>();
        model.numbering()
                .devices()
                .forEach((end, place) ->
                        devices.put(end, new Numbering.OfDevice("a person's", 3, List.of(-1, Integer.MAX_VALUE))));
        FabricModel after = next(wiring.switches(), wiring.vertices(), new Numbering("FatTree", switches, devices));
        assertThat(after.defaultShape().string()).isEqualTo("5x4");
        assertThat(after.groups()).isEqualTo(5);
    }

    private static void assertSurvivorsStay(Wiring wiring, Random random, FabricKind kind) {
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
        assertThat(model.kind()).isEqualTo(kind);
        assertSame(next(wiring.switches(), wiring.vertices(), model.numbering()), model);

        List<Switch> switches = new ArrayList<>(wiring.switches());
        List<Vertex> vertices = new ArrayList<>(wiring.vertices());
        FabricModel before = model;
        for (int fault = 0; fault < 4; fault++) {
            damage(switches, vertices, random, before);
            FabricModel after = next(switches, vertices, before.numbering());
            assertThat(after.kind()).isEqualTo(kind);
            assertSurvivors(before, after);
            assertSame(next(switches, vertices, after.numbering()), after);
            before = after;
        }
        FabricModel repaired = next(wiring.switches(), wiring.vertices(), before.numbering());
        assertSurvivors(before, repaired);
        assertUnique(repaired);
    }

    /** A leaf, a host or a cable less. */
    private static void damage(List<Switch> switches, List<Vertex> vertices, Random random, FabricModel model) {
        int what = random.nextInt(3);
        if (what == 0) {
            List<Switch> leaves = switches.stream()
                    .filter(s -> !Objects.requireNonNull(model.switchPosition(s.id()))
                            .coordinates()
                            .isEmpty())
                    .toList();
            if (leaves.size() > 3) {
                Switch gone = leaves.get(random.nextInt(leaves.size()));
                switches.remove(gone);
                withoutPortsTo(switches, Set.of(gone.id()));
            }
        } else if (what == 1 && vertices.size() > 4) {
            Vertex gone = vertices.get(random.nextInt(vertices.size()));
            Set<String> ids = new HashSet<>();
            vertices.removeIf(v -> Objects.equals(v.host(), gone.host()) && ids.add(v.id()));
            withoutPortsTo(switches, ids);
        } else {
            int at = random.nextInt(switches.size());
            Switch one = switches.get(at);
            List<SwitchPort> ports = new ArrayList<>(one.ports());
            ports.remove(random.nextInt(ports.size()));
            switches.set(at, new Switch(one.id(), one.name(), null, null, null, one.source(), ports));
        }
    }

    private static void withoutPortsTo(List<Switch> switches, Set<String> ids) {
        switches.replaceAll(s -> new Switch(
                s.id(),
                s.name(),
                null,
                null,
                null,
                s.source(),
                s.ports().stream()
                        .filter(p -> p.peer() == null || !ids.contains(p.peer().id()))
                        .toList()));
    }

    private static void assertSurvivors(FabricModel before, FabricModel after) {
        assertUnique(after);
        int slots = Math.min(before.topology().slots(), after.topology().slots());
        for (int slot = 0; slot < slots; slot++) {
            DevicePosition was = before.device(slot);
            DevicePosition is = after.device(slot);
            if (was != null
                    && is != null
                    && !was.coordinates().isEmpty()
                    && !is.coordinates().isEmpty()) {
                assertThat(is).isEqualTo(was);
            }
        }
        for (int s = 0; s < before.topology().switches(); s++) {
            String id = before.topology().switchId(s);
            SwitchPosition was = Objects.requireNonNull(before.switchPosition(id));
            SwitchPosition is = after.switchPosition(id);
            if (is != null && !was.coordinates().isEmpty() && !is.coordinates().isEmpty()) {
                assertThat(is.coordinates()).isEqualTo(was.coordinates());
                assertThat(is.group()).isEqualTo(was.group());
            }
        }
    }

    private static void assertUnique(FabricModel model) {
        Set<Object> seen = new HashSet<>();
        for (int slot = 0; slot < model.topology().slots(); slot++) {
            DevicePosition place = model.device(slot);
            if (place != null && !place.coordinates().isEmpty()) {
                assertThat(seen.add(List.of(place.plane(), place.coordinates().getFirst())))
                        .isTrue();
            }
        }
    }

    private static void assertSame(FabricModel again, FabricModel model) {
        assertThat(again.numbering()).isEqualTo(model.numbering());
        assertThat(again.shapes()).isEqualTo(model.shapes());
        assertThat(again.planes()).isEqualTo(model.planes());
        assertThat(again.groups()).isEqualTo(model.groups());
        assertThat(again.classification().groupOfEnd())
                .isEqualTo(model.classification().groupOfEnd());
    }

    private static FabricModel next(Collection<Switch> switches, Collection<Vertex> vertices, Numbering previous) {
        return FabricModel.of(switches, vertices, new ModelOptions(previous, Weights.NONE));
    }

    private static Switch leafAt(List<Switch> switches, FabricModel model, int number) {
        return switches.stream()
                .filter(s -> Objects.equals(
                        Objects.requireNonNull(model.switchPosition(s.id())).group(), number))
                .findFirst()
                .orElseThrow();
    }

    private static Switch renamed(Switch one, String from, String to) {
        List<SwitchPort> ports = new ArrayList<>();
        for (SwitchPort port : one.ports()) {
            PortPeer peer = port.peer();
            ports.add(peer != null && peer.id().equals(from) ? port(port, new PortPeer(to, peer.port())) : port);
        }
        return new Switch(one.id().equals(from) ? to : one.id(), one.name(), null, null, null, one.source(), ports);
    }

    private static SwitchPort port(SwitchPort port, PortPeer peer) {
        return new SwitchPort(
                port.number(), peer, port.state(), port.speedBitsPerSecond(), port.width(), port.lid(), null, null);
    }

    /** Every second device end as a managed device. */
    private static List<Vertex> managed(List<Switch> switches) {
        Set<String> ids = new HashSet<>();
        switches.forEach(s -> ids.add(s.id()));
        List<Vertex> vertices = new ArrayList<>();
        for (Switch one : switches) {
            for (SwitchPort port : one.ports()) {
                PortPeer peer = port.peer();
                if (peer != null && !ids.contains(peer.id()) && port.number() % 2 == 0) {
                    vertices.add(
                            new Vertex(vertices.size(), peer.id(), peer.port(), port.peerHost(), port.peerOsName()));
                }
            }
        }
        return vertices;
    }
}
