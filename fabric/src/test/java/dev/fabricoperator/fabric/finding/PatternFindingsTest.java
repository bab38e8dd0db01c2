/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.SwitchPortBuilder;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.testdata.Allocation;
import dev.fabricoperator.fabric.testdata.Dragonflies;
import dev.fabricoperator.fabric.testdata.Dragonflies.Arrangement;
import dev.fabricoperator.fabric.testdata.Dump;
import dev.fabricoperator.fabric.testdata.Lattices;
import dev.fabricoperator.fabric.testdata.Wiring;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What findings a wiring of each kind has when nothing, and when one thing, is wrong with it. */
class PatternFindingsTest {
    /** Fabrics of which one thing is taken away or changed at a time. */
    private enum Sample {
        TORUS(FabricKind.Torus, Lattices.torus(1, 1, 1, 5, 4, 3)),
        MESH(FabricKind.Mesh, Lattices.mesh(2, 2, 2, 5, 4)),
        HYPERX(FabricKind.HyperX, Lattices.hyperX(3, 2, 1, 5, 4)),
        DRAGONFLY(FabricKind.Dragonfly, Dragonflies.canonical(4, 9, 8, 4, 2, 1, Arrangement.RELATIVE)),
        FAT_TREE(FabricKind.FatTree, Wiring.threeLevels(5, 5, 4, 4, 2, 4, 1)),
        RAILS(FabricKind.RailOptimized, Wiring.rails(6, 3, 4, 6, 4, 2));

        final FabricKind kind;
        final List<Switch> switches;
        final Wiring wiring;

        Sample(FabricKind kind, Wiring wiring) {
            this.kind = kind;
            this.wiring = wiring;
            switches = List.copyOf(wiring.switches());
        }

        FabricModel with(Collection<Switch> changed) {
            FabricModel model = FabricModel.of(changed, wiring.vertices());
            assertThat(model.kind()).isEqualTo(kind);
            return model;
        }
    }

    /** Rings along one axis and chains along the other: neither a torus nor a plain mesh. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void theLostCableThatClosedARingOfAMeshIsFound(int row) {
        Wiring wiring = Lattices.lattice(7, 2, 1, new int[] {6, 5}, new boolean[] {true, false});
        FabricModel whole = FabricModel.of(wiring.switches(), wiring.vertices());
        assertThat(whole.kind()).isEqualTo(FabricKind.Mesh);
        assertThat(whole.findings()).isEmpty();
        int[][] axes = whole.classification().axes();
        String first = switchAt(whole, axes, 0, row);
        String last = switchAt(whole, axes, 5, row);
        FabricModel cut = FabricModel.of(withoutCables(wiring.switches(), first, last), wiring.vertices());
        assertThat(cut.findings()).singleElement().satisfies(finding -> {
            assertThat(finding.type()).isEqualTo(FindingType.MissingUplink);
            assertThat(finding.message()).contains(first, last);
        });
    }

    private static String switchAt(FabricModel model, int[][] axes, int x, int y) {
        for (int at = 0; at < model.topology().switches(); at++) {
            if (axes[0][at] == x && axes[1][at] == y) {
                return model.topology().switchId(at);
            }
        }
        throw new AssertionError("no switch at " + x + "," + y);
    }

    private static List<Switch> withoutCables(List<Switch> switches, String one, String other) {
        Set<String> both = Set.of(one, other);
        return switches.stream()
                .map(node -> !both.contains(node.id())
                        ? node
                        : SwitchBuilder.from(node)
                                .withPorts(node.ports().stream()
                                        .filter(port -> port.peer() == null
                                                || !both.contains(port.peer().id()))
                                        .toList()))
                .toList();
    }

    /** The square of its devices would be 400 million. */
    @Test
    void hostsThatClaimThousandsOfDevicesCostNoMoreThanTheirDevices() {
        Wiring wiring = new Wiring(3);
        int[] nodes = wiring.nodes(2);
        wiring.cable(nodes[0], nodes[1], 4);
        for (String host : List.of("a", "b", "c", "d")) {
            for (int device = 0; device < 20_000; device++) {
                wiring.device(nodes[device % 2], host, "mlx5_" + device);
            }
        }
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
        assertThat(Allocation.bytesOf(model::findings)).isLessThan(200L << 20);
        assertThat(model.findings()).isEmpty();
    }

    @Property(seed = "20261121", tries = 150, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void aHealthyFabricHasNoFindings(
            @ForAll long seed,
            @ForAll @IntRange(max = 8) int kind,
            @ForAll @IntRange(min = 2, max = 6) int one,
            @ForAll @IntRange(min = 2, max = 6) int other,
            @ForAll @IntRange(min = 1, max = 3) int parallel) {
        Wiring wiring = switch (kind) {
            case 0 -> Wiring.twoLevels(seed, one + 2, other, 5, parallel);
            case 1 -> Wiring.threeLevels(seed, one, other, 4, 2, 3, parallel);
            case 2 -> Wiring.rails(seed, one, other, 6, 3, parallel);
            case 3 -> Lattices.torus(seed, 2, parallel, one, other, 5);
            case 4 -> Lattices.mesh(seed, 2, parallel, one, other, 3);
            case 5 -> Lattices.hyperX(seed, 1, parallel, one + 2, other);
            case 6 -> Dragonflies.canonical(seed, one + 3, other + 3, 2, 2, parallel, Arrangement.RANDOM);
            case 7 -> Dragonflies.unequal(seed, new int[] {16, 16, 8 * parallel, 16}, 3, 2, 1, Arrangement.RANDOM);
            default -> Dragonflies.plus(seed, one + 1, other + 2, 4, one + 1, 3, parallel);
        };
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
        // Where one group of several is smaller by a switch, that may be one that is missing.
        assertThat(model.findings()).as("%s", model.kind()).isEmpty();
    }

    @Test
    void aServiceSwitchBesideAFullGridIsNoLayerOfIt() {
        Wiring wiring = Lattices.hyperX(9, 2, 1, 6, 5);
        int service = wiring.node();
        wiring.cable(service, 7, 1).device(service, "service", "mlx5_0");
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
        assertThat(model.kind()).isEqualTo(FabricKind.HyperX);
        assertThat(model.findings()).isEmpty();
    }

    @Test
    void aRecordedTorusLacksASwitchAndThreeLinks() {
        List<Finding> found = afterFault("torus-6x6x6");
        assertThat(found)
                .extracting(Finding::type)
                .containsExactly(
                        FindingType.MissingSwitch,
                        FindingType.MissingUplink,
                        FindingType.MissingUplink,
                        FindingType.MissingUplink);
        assertThat(found.getFirst().message())
                .matches("no switch at \\d,\\d,\\d of a Torus of 6,6,6; beside it are sw[-0-9a-z, ]+");
        assertThat(found.getFirst().places()).hasSize(6);
        Set<Set<String>> lost = linksLost("torus-6x6x6");
        for (Finding finding : found.subList(1, 4)) {
            assertThat(lost).contains(Set.of(finding.object().split(" to ")));
        }
    }

    @Test
    void aRecordedDragonflyLacksTheLinksOfTwoPairsOfGroups() {
        assertThat(afterFault("df-a4p2h2"))
                .hasSize(2)
                .allSatisfy(f -> assertThat(f.type()).isEqualTo(FindingType.MissingUplink))
                .allSatisfy(f -> assertThat(f.message()).matches("group g\\d+ to group g\\d+: 0 of 1 link"));
    }

    private static List<Finding> afterFault(String name) {
        return OfflineFabrics.of(Dump.simulated(name).afterFault().cabling())
                .getFirst()
                .model()
                .findings();
    }

    /** Ends of cables between switches that are there before the fault, and not after it. */
    private static Set<Set<String>> linksLost(String name) {
        Set<Set<String>> lost = pairs(Dump.simulated(name).cabling().switches());
        lost.removeAll(pairs(Dump.simulated(name).afterFault().cabling().switches()));
        return lost;
    }

    private static Set<Set<String>> pairs(Collection<Switch> switches) {
        return switches.stream()
                .flatMap(s -> s.ports().stream()
                        .filter(p -> p.peer() != null && !p.peer().id().equals(s.id()))
                        .map(p ->
                                Set.of(s.id(), Objects.requireNonNull(p.peer()).id())))
                .collect(Collectors.toSet());
    }

    @ParameterizedTest
    @EnumSource
    void eachLinkThatIsTakenAwayIsFoundAndNothingElse(Sample sample) {
        Random random = new Random(7);
        for (int i = 0; i < 6; i++) {
            PortPeer here = anyCable(sample, random);
            PortPeer there = peer(sample.switches, here);
            List<Switch> cut =
                    changed(sample.switches, (id, p) -> isOne(id, p, here) || isOne(id, p, there) ? null : p);
            List<Finding> found = sample.with(cut).findings();
            assertThat(found).singleElement().satisfies(f -> {
                assertThat(f.type()).isEqualTo(FindingType.MissingUplink);
                boolean betweenGroups = f.object().startsWith("group ");
                assertThat(betweenGroups
                                || f.object().contains(here.id()) && f.object().contains(there.id()))
                        .as("%s", f)
                        .isTrue();
            });
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TORUS", "MESH", "HYPERX", "DRAGONFLY"})
    void aSwitchThatIsTakenAwayIsOneFinding(Sample sample) {
        for (Switch lost : sample.switches.subList(0, 6)) {
            List<Switch> left = new ArrayList<>(sample.switches);
            left.remove(lost);
            List<Switch> cut = changed(left, (id, p) -> isAt(p, lost.id()) ? null : p);
            List<Finding> found = sample.with(cut).findings().stream()
                    .filter(f -> f.type() != FindingType.Uncabled)
                    .toList();
            // A router of a dragonfly takes its four global links along.
            long global = sample == Sample.DRAGONFLY ? 4 : 0;
            assertThat(found)
                    .filteredOn(f -> f.type() == FindingType.MissingSwitch)
                    .hasSize(1);
            assertThat(found)
                    .filteredOn(f -> f.type() == FindingType.MissingUplink)
                    .hasSize((int) global);
            assertThat(found).hasSize((int) global + 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void oneWaySlowAndDoubtfulCablesAreNamedInEachKind(Sample sample) {
        PortPeer here = anyCable(sample, new Random(8));
        PortPeer there = peer(sample.switches, here);
        List<Switch> oneWay = changed(sample.switches, (id, p) -> isOne(id, p, here) ? null : p);
        assertThat(sample.with(oneWay).findings())
                .singleElement()
                .satisfies(f -> assertThat(f.type()).isEqualTo(FindingType.OneWayCable))
                .satisfies(f -> assertThat(f.toString()).contains(there.id()));

        List<Switch> slow = changed(
                sample.switches,
                (id, p) -> isOne(id, p, here) || isOne(id, p, there)
                        ? SwitchPortBuilder.from(p).withSpeedBitsPerSecond(Wiring.HDR / 2)
                        : p);
        assertThat(sample.with(slow).findings())
                .singleElement()
                .satisfies(f -> assertThat(f.type()).isEqualTo(FindingType.SlowLink))
                .satisfies(f -> assertThat(f.message()).contains("runs at 100 Gbit/s"));

        Switch first = sample.switches.getFirst();
        String device = sample.wiring.vertices().getFirst().id();
        int free = first.ports().stream().mapToInt(SwitchPort::number).max().orElse(0) + 7;
        List<Switch> twice = new ArrayList<>(sample.switches);
        List<SwitchPort> ports = new ArrayList<>(first.ports());
        ports.add(new SwitchPort(free, new PortPeer(device, 1), PortState.Active, Wiring.HDR, 4, null, null, null));
        twice.set(0, new Switch(first.id(), null, null, null, null, "test", ports));
        assertThat(sample.with(twice).findings())
                .extracting(Finding::type)
                .contains(FindingType.DuplicateGuid)
                .doesNotContain(FindingType.MissingUplink, FindingType.MissingSwitch, FindingType.SlowLink);
    }

    private static PortPeer anyCable(Sample sample, Random random) {
        Set<String> ids = sample.switches.stream().map(Switch::id).collect(Collectors.toSet());
        while (true) {
            Switch one = sample.switches.get(random.nextInt(sample.switches.size()));
            SwitchPort port = one.ports().get(random.nextInt(one.ports().size()));
            if (ids.contains(Objects.requireNonNull(port.peer()).id())) {
                return new PortPeer(one.id(), port.number());
            }
        }
    }

    private static PortPeer peer(Collection<Switch> switches, PortPeer here) {
        return switches.stream()
                .filter(s -> s.id().equals(here.id()))
                .flatMap(s -> s.ports().stream())
                .filter(p -> p.number() == here.port())
                .map(p -> Objects.requireNonNull(p.peer()))
                .findFirst()
                .orElseThrow();
    }

    private static boolean isOne(String id, SwitchPort port, PortPeer end) {
        return id.equals(end.id()) && port.number() == end.port();
    }

    private static boolean isAt(SwitchPort port, String id) {
        return port.peer() != null && port.peer().id().equals(id);
    }

    private static List<Switch> changed(
            Collection<Switch> switches, BiFunction<String, SwitchPort, @Nullable SwitchPort> change) {
        List<Switch> all = new ArrayList<>();
        for (Switch node : switches) {
            List<SwitchPort> ports = new ArrayList<>();
            for (SwitchPort port : node.ports()) {
                SwitchPort now = change.apply(node.id(), port);
                if (now != null) {
                    ports.add(now);
                }
            }
            all.add(new Switch(node.id(), null, null, null, null, "test", ports));
        }
        return all;
    }
}
