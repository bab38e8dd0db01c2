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
import dev.fabricoperator.fabric.finding.Finding;
import dev.fabricoperator.fabric.finding.FindingType;
import dev.fabricoperator.fabric.numbering.Numbering;
import dev.fabricoperator.fabric.testdata.Dragonflies;
import dev.fabricoperator.fabric.testdata.Dragonflies.Arrangement;
import dev.fabricoperator.fabric.testdata.Lattices;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A fabric that was known keeps its kind and its places while what is wired is a part of it; re-cabling changes them. */
class KeptKindTest {
    @Provide
    Arbitrary<List<Integer>> narrowSides() {
        return Arbitraries.integers()
                .between(2, 7)
                .list()
                .ofMinSize(2)
                .ofMaxSize(4)
                .filter(sides ->
                        size(sides) >= 6 && size(sides) <= 200 && sides.stream().anyMatch(side -> side > 2));
    }

    private static int size(List<Integer> sides) {
        return sides.stream().reduce(1, (one, other) -> one * other);
    }

    @Property(seed = "20261121", tries = 100, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void gridsOfAnyWidthKeepTheirPlacesWhenCablesAreLost(
            @ForAll long seed,
            @ForAll("narrowSides") List<Integer> sides,
            @ForAll @IntRange(max = 2) int kind,
            @ForAll @IntRange(min = 1, max = 10) int percent) {
        int[] all = sides.stream().mapToInt(side -> side).toArray();
        assertStays(
                switch (kind) {
                    case 0 -> Lattices.torus(seed, 1, 1, all);
                    case 1 -> Lattices.mesh(seed, 1, 1, all);
                    default -> Lattices.hyperX(seed, 1, 1, all);
                },
                percent / 100.0,
                new Random(seed));
    }

    @Property(seed = "20261121", tries = 100, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void dragonfliesOfSmallGroupsKeepThemWhenCablesAreLost(
            @ForAll long seed,
            @ForAll @IntRange(min = 4, max = 6) int routers,
            @ForAll @IntRange(min = 4, max = 9) int groups,
            @ForAll Arrangement arrangement,
            @ForAll @IntRange(min = 1, max = 10) int percent) {
        Wiring wiring = Dragonflies.canonical(seed, groups, routers, 2, 2, 1, arrangement);
        assertStays(wiring, percent / 100.0, new Random(seed));
    }

    @Property(seed = "20261121", tries = 50, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void treesKeepTheirLevelsWhateverTheyLose(
            @ForAll long seed,
            @ForAll @IntRange(min = 2, max = 4) int pods,
            @ForAll @IntRange(min = 3, max = 6) int leaves,
            @ForAll @IntRange(max = 80) int percent) {
        assertStays(Wiring.threeLevels(seed, pods, leaves, 4, 3, 4, 1), percent / 100.0, new Random(seed));
        assertStays(Wiring.twoLevels(seed, 3 * leaves, 8, 4, 1), percent / 100.0, new Random(seed));
        assertStays(Wiring.rails(seed, pods, 4, 6, 4, 2), percent / 100.0, new Random(seed));
        assertStays(Wiring.railPlanes(seed, 2, pods, 4, 6, 4, seed % 2 == 0), percent / 100.0, new Random(seed));
        assertStays(Dragonflies.plus(seed, pods + 1, leaves, 4, pods + 1, 3, 1), percent / 200.0, new Random(seed));
    }

    /**
     * Groups and subtrees with the low numbers left long ago: what stayed has labels above the number of its switches, and
     * loses cables.
     */
    @Property(seed = "20261122", tries = 60, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void labelsOfAFabricThatWasLargerStay(
            @ForAll long seed,
            @ForAll @IntRange(max = 4) int kind,
            @ForAll @IntRange(min = 1, max = 60_000) int removed,
            @ForAll @IntRange(max = 60) int percent) {
        Wiring wiring = switch (kind) {
            case 0 -> Wiring.threeLevels(seed, 3, 4, 4, 3, 4, 1);
            case 1 -> Wiring.twoLevels(seed, 12, 8, 4, 1);
            case 2 -> Wiring.rails(seed, 3, 4, 6, 4, 2);
            case 3 -> Dragonflies.plus(seed, 5, 4, 4, 5, 3, 1);
            default -> Dragonflies.canonical(seed, 6, 5, 2, 2, 1, Arrangement.RELATIVE);
        };
        FabricModel small = FabricModel.of(wiring.switches(), wiring.vertices());
        Numbering larger = raised(small.numbering(), removed);
        int share = kind < 3 ? percent : percent / 6;
        List<PortPeer> ports = new ArrayList<>(cables(wiring.switches()).keySet());
        Collections.sort(ports, (one, other) -> (one.id() + one.port()).compareTo(other.id() + other.port()));
        Collections.shuffle(ports, new Random(seed));
        List<Switch> left = without(wiring.switches(), new HashSet<>(ports.subList(0, ports.size() * share / 100)));
        FabricModel now = next(left, wiring.vertices(), larger);
        assertThat(now.kind()).isEqualTo(small.kind());
        assertThat(now.numbering().switches())
                .isEqualTo(
                        raised(next(left, wiring.vertices(), small.numbering()).numbering(), removed)
                                .switches());
        now.findings();
    }

    private static Numbering raised(Numbering previous, int by) {
        Map<String, Numbering.OfSwitch> switches = new HashMap<>();
        previous.switches()
                .forEach((id, place) -> switches.put(
                        id, new Numbering.OfSwitch(raised(place.group(), by), raised(place.logical(), by))));
        Map<PortPeer, Numbering.OfDevice> devices = new HashMap<>();
        previous.devices()
                .forEach((end, place) -> devices.put(
                        end,
                        new Numbering.OfDevice(place.plane(), raised(place.group(), by), raised(place.logical(), by))));
        return new Numbering(previous.kind(), switches, devices);
    }

    private static @Nullable Integer raised(@Nullable Integer group, int by) {
        return group == null ? null : Integer.valueOf(group + by);
    }

    /** The first number is that of the largest part. */
    private static List<Integer> raised(List<Integer> logical, int by) {
        List<Integer> raised = new ArrayList<>(logical);
        if (!raised.isEmpty()) {
            raised.set(0, raised.getFirst() + by);
        }
        return raised;
    }

    /** Loses cables in several steps, each of which remembers the one before only. */
    private static void assertStays(Wiring wiring, double share, Random random) {
        List<Switch> switches = wiring.switches();
        FabricModel before = FabricModel.of(switches, wiring.vertices());
        List<PortPeer> ports = new ArrayList<>(cables(switches).keySet());
        Collections.sort(ports, (one, other) -> (one.id() + one.port()).compareTo(other.id() + other.port()));
        Collections.shuffle(ports, random);
        int gone = (int) (share * ports.size());
        FabricModel now = before;
        List<Switch> left = switches;
        for (int lost = 0; lost <= gone; lost += Math.max(1, gone / 3)) {
            left = without(switches, new HashSet<>(ports.subList(0, lost)));
            now = next(left, wiring.vertices(), now.numbering());
        }
        assertThat(now.kind()).isEqualTo(before.kind());
        assertThat(now.groups()).isEqualTo(before.groups());
        // A spine that is left with one leaf looks like one of that leaf's plane.
        assertThat(now.planes())
                .extracting(Plane::devices)
                .isEqualTo(before.planes().stream().map(Plane::devices).toList());
        assertThat(now.shapes()).isEqualTo(before.shapes());
        for (Switch node : switches) {
            SwitchPosition was = Objects.requireNonNull(before.switchPosition(node.id()));
            SwitchPosition is = Objects.requireNonNull(now.switchPosition(node.id()));
            assertThat(is.coordinates()).isEqualTo(was.coordinates());
            if (!is.coordinates().isEmpty()) {
                assertThat(is.group()).as(node.id()).isEqualTo(was.group());
            }
        }
        FabricModel again = next(left, wiring.vertices(), now.numbering());
        assertThat(again.numbering()).isEqualTo(now.numbering());
    }

    private static FabricModel next(List<Switch> switches, List<Vertex> vertices, Numbering previous) {
        return FabricModel.of(switches, vertices, new ModelOptions(previous, Weights.NONE));
    }

    /** One end of each cable between switches, and the other one. */
    private static Map<PortPeer, PortPeer> cables(List<Switch> switches) {
        Set<String> ids = switches.stream().map(Switch::id).collect(Collectors.toSet());
        Map<PortPeer, PortPeer> cables = new HashMap<>();
        for (Switch node : switches) {
            for (SwitchPort port : node.ports()) {
                PortPeer here = new PortPeer(node.id(), port.number());
                PortPeer peer = Objects.requireNonNull(port.peer());
                if (ids.contains(peer.id()) && !cables.containsKey(peer)) {
                    cables.put(here, peer);
                }
            }
        }
        return cables;
    }

    private static List<Switch> without(List<Switch> switches, Set<PortPeer> lost) {
        return filtered(switches, (here, peer) -> !lost.contains(here) && !lost.contains(peer));
    }

    private static List<Switch> filtered(List<Switch> switches, BiPredicate<PortPeer, PortPeer> stays) {
        List<Switch> left = new ArrayList<>();
        for (Switch node : switches) {
            List<SwitchPort> ports = node.ports().stream()
                    .filter(p -> stays.test(new PortPeer(node.id(), p.number()), Objects.requireNonNull(p.peer())))
                    .toList();
            left.add(new Switch(node.id(), null, null, null, null, "test", ports));
        }
        return left;
    }

    @Test
    void aRingThatLostACableIsARingWithAFinding() {
        Wiring wiring = Lattices.torus(1, 2, 1, 8);
        FabricModel ring = FabricModel.of(wiring.switches(), wiring.vertices());
        PortPeer lost = cables(wiring.switches()).keySet().iterator().next();
        List<Switch> cut = without(wiring.switches(), Set.of(lost));
        FabricModel now = next(cut, wiring.vertices(), ring.numbering());
        assertThat(now.kind()).isEqualTo(FabricKind.Torus);
        assertThat(now.findings()).extracting(Finding::type).containsExactly(FindingType.MissingUplink);
        // Who never saw the ring sees a chain.
        assertThat(FabricModel.of(cut, wiring.vertices()).kind()).isEqualTo(FabricKind.Mesh);
    }

    @Test
    void aTorusThatLostASwitchHasAnEmptyPlace() {
        Wiring wiring = Lattices.torus(2, 1, 1, 4, 3);
        FabricModel torus = FabricModel.of(wiring.switches(), wiring.vertices());
        for (Switch lost : wiring.switches()) {
            List<Switch> left = new ArrayList<>(wiring.switches());
            left.remove(lost);
            FabricModel now = next(
                    filtered(left, (here, peer) -> !peer.id().equals(lost.id())), wiring.vertices(), torus.numbering());
            assertThat(now.kind()).isEqualTo(FabricKind.Torus);
            assertThat(now.defaultShape().string()).isEqualTo("4x3x1");
            assertThat(now.findings())
                    .filteredOn(f -> f.type() != FindingType.Uncabled)
                    .extracting(Finding::type)
                    .containsExactly(FindingType.MissingSwitch);
        }
    }

    @Test
    void aTorusWhoseRingsAreAllOpenedIsAMesh() {
        Wiring wiring = Lattices.torus(3, 1, 1, 6, 5);
        FabricModel torus = FabricModel.of(wiring.switches(), wiring.vertices());
        List<Switch> opened = filtered(wiring.switches(), (here, peer) -> {
            SwitchPosition one = torus.switchPosition(here.id());
            SwitchPosition other = torus.switchPosition(peer.id());
            return one == null || other == null || steps(one, other) == 1;
        });
        assertThat(next(opened, wiring.vertices(), torus.numbering()).kind()).isEqualTo(FabricKind.Mesh);
        FabricModel mesh = FabricModel.of(opened, wiring.vertices());
        assertThat(next(wiring.switches(), wiring.vertices(), mesh.numbering()).kind())
                .isEqualTo(FabricKind.Torus);
    }

    private static int steps(SwitchPosition one, SwitchPosition other) {
        List<Integer> here = one.coordinates().getFirst().values();
        List<Integer> there = other.coordinates().getFirst().values();
        int steps = 0;
        for (int axis = 0; axis < here.size(); axis++) {
            steps += Math.abs(here.get(axis) - there.get(axis));
        }
        return steps;
    }

    @Test
    void twoSwitchesThatChangePlacesAreFoundInTheirNewOnes() {
        List<Wiring> wirings = List.of(
                Lattices.torus(12, 1, 1, 8, 6, 6),
                Lattices.hyperX(13, 1, 1, 8, 8),
                Dragonflies.canonical(14, 12, 8, 4, 1, 1, Arrangement.RANDOM),
                Wiring.threeLevels(15, 8, 8, 4, 2, 3, 1));
        for (Wiring wiring : wirings) {
            FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
            List<String> ids = new ArrayList<>();
            wiring.switches().forEach(s -> {
                if (!Objects.requireNonNull(model.switchPosition(s.id()))
                        .coordinates()
                        .isEmpty()) {
                    ids.add(s.id());
                }
            });
            String one = ids.getFirst();
            String other = ids.stream()
                    .filter(id -> !groupOf(model, id).equals(groupOf(model, one)))
                    .findFirst()
                    .orElseThrow();
            List<Switch> exchanged = renamed(wiring.switches(), Map.of(one, other, other, one));
            FabricModel now = next(exchanged, wiring.vertices(), model.numbering());
            assertThat(now.kind()).isEqualTo(model.kind());
            assertThat(now.shapes()).isEqualTo(model.shapes());
            assertThat(groupOf(now, one)).as("%s", model.kind()).isEqualTo(groupOf(model, other));
            assertThat(groupOf(now, other)).isEqualTo(groupOf(model, one));
            assertThat(now.findings()).isEmpty();
        }
    }

    private static Integer groupOf(FabricModel model, String id) {
        return Objects.requireNonNull(
                Objects.requireNonNull(model.switchPosition(id)).group());
    }

    /** The same switches, each cabled as another one of the other wiring. */
    @Test
    void reCabledSwitchesAreWhatTheyAreNow() {
        List<Wiring> wirings = List.of(
                Lattices.torus(4, 2, 1, 6, 6),
                Lattices.mesh(5, 2, 1, 9, 4),
                Lattices.hyperX(6, 2, 1, 6, 6),
                Lattices.torus(7, 2, 1, 9, 4),
                Dragonflies.canonical(8, 9, 4, 2, 2, 1, Arrangement.RELATIVE),
                Wiring.threeLevels(9, 4, 4, 4, 1, 3, 1),
                Wiring.twoLevels(10, 24, 12, 4, 1),
                Wiring.rails(11, 4, 8, 6, 4, 2));
        for (Wiring old : wirings) {
            Numbering previous = FabricModel.of(old.switches(), old.vertices()).numbering();
            for (Wiring current : wirings) {
                if (current != old) {
                    FabricModel fresh = FabricModel.of(renamed(current, old), current.vertices());
                    FabricModel now = next(renamed(current, old), current.vertices(), previous);
                    assertThat(now.kind()).isEqualTo(fresh.kind());
                    assertThat(now.groups()).isEqualTo(fresh.groups());
                }
            }
        }
    }

    private static List<Switch> renamed(Wiring wiring, Wiring names) {
        Map<String, String> name = new HashMap<>();
        for (int i = 0; i < Math.min(wiring.switches().size(), names.switches().size()); i++) {
            name.put(wiring.switches().get(i).id(), names.switches().get(i).id());
        }
        return renamed(wiring.switches(), name);
    }

    private static List<Switch> renamed(List<Switch> switches, Map<String, String> name) {
        return switches.stream()
                .map(s -> new Switch(
                        name.getOrDefault(s.id(), s.id()),
                        null,
                        null,
                        null,
                        null,
                        "test",
                        s.ports().stream()
                                .map(p -> new SwitchPort(
                                        p.number(),
                                        renamed(Objects.requireNonNull(p.peer()), name),
                                        p.state(),
                                        p.speedBitsPerSecond(),
                                        p.width(),
                                        null,
                                        null,
                                        null))
                                .toList()))
                .toList();
    }

    private static PortPeer renamed(PortPeer peer, Map<String, String> name) {
        return new PortPeer(name.getOrDefault(peer.id(), peer.id()), peer.port());
    }
}
