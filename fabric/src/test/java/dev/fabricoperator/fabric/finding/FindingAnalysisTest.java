/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.NodeType;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cost.Weights;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.model.ModelOptions;
import dev.fabricoperator.fabric.numbering.Numbering;
import dev.fabricoperator.fabric.testdata.Dump;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FindingAnalysisTest {
    private static List<Finding> of(Dump dump) {
        return OfflineFabrics.of(dump.cabling()).getFirst().model().findings();
    }

    private static Map<FindingType, Long> counts(Dump dump) {
        return of(dump).stream().collect(Collectors.groupingBy(Finding::type, Collectors.counting()));
    }

    /** 64 leaves with 16 uplinks and 64 switches above with 16 would be 2048 cables; the dump has 2039. Hosts of other names have one rail. */
    @Test
    void seleneLacksNineLinks() {
        assertThat(counts(Dump.SELENE)).containsExactlyEntriesOf(Map.of(FindingType.MissingUplink, 9L));
    }

    /** 31 leaves with two links to each of 9 spines would be 279 pairs; 10 have no link and 6 have one. */
    @Test
    void theNdrFabricLacksALeafWithARailOfTenHostsAndSixteenBundles() {
        List<Finding> found = of(Dump.NDR);
        assertThat(counts(Dump.NDR))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        FindingType.SwappedCable, 1L, FindingType.MissingSwitch, 1L, FindingType.MissingUplink, 16L));
        assertThat(found.get(1).hosts()).hasSize(10).allMatch(host -> host.startsWith("a05-p1-dgx-01-"));
        assertThat(found.stream().filter(f -> f.message().endsWith("1 of 2 links")))
                .hasSize(6);
        assertThat(found.stream().filter(f -> f.message().endsWith(": 0 of 2 links")))
                .hasSize(10);
    }

    @Test
    void rocketHasOneBundleOfThreeAmongBundlesOfFour() {
        assertThat(of(Dump.ROCKET))
                .singleElement()
                .satisfies(f -> assertThat(f.message()).endsWith(": 3 of 4 links"));
    }

    @Test
    void anIdThatLooksLikeAPortOfASwitchIsNone() {
        SwitchPort port = new SwitchPort(
                1, new PortPeer("sw1 port abc", 1), PortState.Active, null, null, null, null, null, NodeType.Switch);
        FabricModel model =
                FabricModel.of(List.of(new Switch("sw1", null, null, null, null, "test", List.of(port))), List.of());
        assertThat(model.findings())
                .filteredOn(found -> found.object().equals("sw1 port abc"))
                .singleElement()
                .satisfies(found -> assertThat(found.places()).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"ft2-128", "ft3-k18", "rail-32x8", "torus-6x6x6", "df-a4p2h2"})
    void aWholeFabricHasNoFindings(String name) {
        assertThat(of(Dump.simulated(name))).isEmpty();
    }

    @Test
    void aMissingSwitchIsOneFindingAndNotOneForEachOfItsCables() {
        assertThat(counts(Dump.simulated("ft3-k18").afterFault()))
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(FindingType.MissingSwitch, 1L, FindingType.MissingUplink, 4L));
    }

    @Test
    void missingDevicesAndBundlesOfRailsAreNamed() {
        List<Finding> found = of(Dump.simulated("rail-32x8").afterFault());
        assertThat(found)
                .extracting(Finding::type)
                .containsExactly(
                        FindingType.MissingUplink,
                        FindingType.MissingUplink,
                        FindingType.MissingRail,
                        FindingType.MissingRail);
        assertThat(found.getFirst().message()).endsWith(": 7 of 8 links");
        assertThat(found.get(1).message()).endsWith(": 6 of 8 links");
        assertThat(found.get(2).message()).startsWith("dgx-023 has 7 of 8 devices, none on plane ");
    }

    /** A spine that nothing is left of leaves no trace: only a comparison with earlier shows it. */
    @Test
    void theLinkThatABundleOfATwoLevelTreeLostIsFound() {
        assertThat(of(Dump.simulated("ft2-128").afterFault()))
                .singleElement()
                .satisfies(f -> assertThat(f.message()).isEqualTo("leaf-08 port 18 to spine-01 port 16: 1 of 2 links"))
                .satisfies(f -> assertThat(f.places())
                        .containsExactly(
                                new Finding.Place("fc6a1c0373ab4876", "leaf-08", 18),
                                new Finding.Place("fc6a1c038201e2bd", "spine-01", 16)));
    }

    /** Cables of a three-level tree are taken away one by one; each is found, and nothing else. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void eachCableThatIsTakenAwayIsFound(long seed) {
        Wiring wiring = Wiring.threeLevels(seed, 6, 5, 4, 3, 4, 2);
        List<Switch> switches = wiring.switches();
        Random random = new Random(seed);
        for (int i = 0; i < 3; i++) {
            Switch one = switches.get(random.nextInt(switches.size()));
            Set<String> ids = switches.stream().map(Switch::id).collect(Collectors.toSet());
            SwitchPort port = one.ports().stream()
                    .filter(p -> p.peer() != null && ids.contains(p.peer().id()))
                    .findFirst()
                    .orElseThrow();
            String far = port.peer() == null ? "" : port.peer().id();
            int farPort = port.peer() == null ? 0 : port.peer().port();
            List<Switch> cut = without(without(switches, one.id(), port.number()), far, farPort);
            assertThat(FabricModel.of(cut, wiring.vertices()).findings())
                    .singleElement()
                    .satisfies(f -> assertThat(f.type()).isEqualTo(FindingType.MissingUplink))
                    .satisfies(f -> assertThat(f.message()).contains("1 of 2", one.id(), far));
        }
    }

    private static List<Switch> without(List<Switch> switches, String id, int number) {
        return ports(switches, id, p -> p.number() == number ? null : p);
    }

    private static List<Switch> ports(
            List<Switch> switches, String id, Function<SwitchPort, @Nullable SwitchPort> change) {
        List<Switch> changed = new ArrayList<>();
        for (Switch node : switches) {
            List<SwitchPort> ports = new ArrayList<>();
            for (SwitchPort port : node.ports()) {
                SwitchPort now = node.id().equals(id) ? change.apply(port) : port;
                if (now != null) {
                    ports.add(now);
                }
            }
            changed.add(new Switch(
                    node.id(), node.name(), node.vendor(), node.model(), node.chassis(), node.source(), ports));
        }
        return changed;
    }

    @Test
    void cablesSwappedBetweenTwoHostsNameBoth() {
        Wiring wiring = new Wiring(1);
        int[] leaves = rails(wiring, 2, 3, 5, (unit, host, rail) -> {
            boolean swapped = rail == 0 && host == 2;
            return swapped ? 1 - unit : unit;
        });
        assertThat(leaves).hasSize(6);
        List<Finding> found =
                FabricModel.of(wiring.switches(), wiring.vertices()).findings();
        assertThat(found).singleElement().satisfies(f -> {
            assertThat(f.type()).isEqualTo(FindingType.SwappedCable);
            assertThat(f.message()).contains("u0h2/mlx5_0", "u1h2/mlx5_0");
        });
    }

    /** Sixteen hosts with two devices each, and others with one. */
    private static FabricModel modelWithOneDevice(String... others) {
        Wiring wiring = new Wiring(5);
        int[] leaves = rails(wiring, 1, 2, 16, (unit, host, rail) -> unit);
        for (int i = 0; i < others.length; i++) {
            wiring.device(leaves[i % 2], others[i], "mlx5_0");
        }
        return FabricModel.of(wiring.switches(), wiring.vertices());
    }

    private static List<Finding> withOneDevice(String... others) {
        return modelWithOneDevice(others).findings();
    }

    @Test
    void hostsOfAnotherNameThatHaveFewerDevicesLackNothing() {
        assertThat(withOneDevice("login1", "login2", "storage-mds")).isEmpty();
        assertThat(withOneDevice("u0h17")).singleElement().satisfies(f -> {
            assertThat(f.type()).isEqualTo(FindingType.MissingRail);
            assertThat(f.hosts()).containsExactly("u0h17");
        });
    }

    @Test
    void hostsThatLackTheSameAreOneFinding() {
        assertThat(withOneDevice("u0h17", "u0h19", "u0h18", "u0h21"))
                .satisfiesExactlyInAnyOrder(
                        f -> assertThat(f.object()).isEqualTo("u0h[17-18]"),
                        f -> assertThat(f.object()).isEqualTo("u0h[19,21]"));
    }

    @Test
    void hostsThatAreExemptLackNothingAndShowNoPattern() {
        FabricModel model = modelWithOneDevice("u0h17", "u0h18", "u0h21");
        ExemptHosts exempt = ExemptHosts.of(List.of("U0h[17-18]", "u0h2*"));
        assertThat(exempt.problems()).isEmpty();
        FabricModel without = model.exempting(exempt);
        assertThat(model.findings()).hasSize(2).allMatch(f -> f.type() == FindingType.MissingRail);
        assertThat(model.exemptHosts()).isNull();
        assertThat(without.findings()).isEmpty();
        assertThat(without.exemptHosts()).isEqualTo(4);
        assertThat(without.exempting(exempt)).isSameAs(without);
        assertThat(without.cost()).isSameAs(model.cost());
    }

    private interface UnitOf {
        int unit(int unit, int host, int rail);
    }

    private static int[] rails(Wiring wiring, int units, int rails, int hosts, UnitOf unitOf) {
        int[] spines = wiring.nodes(2);
        int[] leaves = wiring.nodes(units * rails);
        for (int leaf : leaves) {
            wiring.cable(leaf, spines[0], 2).cable(leaf, spines[1], 2);
        }
        for (int unit = 0; unit < units; unit++) {
            for (int host = 0; host < hosts; host++) {
                for (int rail = 0; rail < rails; rail++) {
                    int leaf = leaves[unitOf.unit(unit, host, rail) * rails + rail];
                    wiring.device(leaf, "u" + unit + "h" + host, "mlx5_" + rail);
                }
            }
        }
        return leaves;
    }

    @Test
    void aSlowLinkIsComparedWithItsBundleAndWithItsHost() {
        Wiring wiring = new Wiring(2);
        int[] leaves = wiring.nodes(2);
        wiring.cable(leaves[0], leaves[1], 3).cable(leaves[0], leaves[1], 1, Wiring.HDR / 2);
        for (int h = 0; h < 9; h++) {
            wiring.device(leaves[0], "h" + h, "mlx5_0");
            wiring.device(leaves[1], "h" + h, "mlx5_1", h == 4 ? Wiring.HDR / 2 : Wiring.HDR);
        }
        // A host of an older generation is as it should be.
        wiring.device(leaves[0], "old", "mlx5_0", Wiring.HDR / 4).device(leaves[1], "old", "mlx5_1", Wiring.HDR / 4);
        List<Finding> found =
                FabricModel.of(wiring.switches(), wiring.vertices()).findings();
        assertThat(found).hasSize(2).allSatisfy(f -> assertThat(f.type()).isEqualTo(FindingType.SlowLink));
        assertThat(found.toString())
                .contains("other links of the two at 200 Gbit/s")
                .contains("h4/mlx5_1");
    }

    @Test
    void partsDrainsAndPortsThatAreDownAreFindings() {
        Wiring wiring = Wiring.twoLevels(3, 3, 2, 2, 1);
        int alone = wiring.node();
        wiring.device(alone, "lost", "mlx5_0");
        List<Switch> switches = wiring.switches();
        Switch down =
                switches.stream().filter(s -> s.ports().size() > 2).findFirst().orElseThrow();
        int number = down.ports().getFirst().number();
        List<Switch> changed = ports(
                switches,
                down.id(),
                p -> p.number() == number
                        ? new SwitchPort(p.number(), p.peer(), PortState.Down, null, null, null, null, null)
                        : p);
        Weights weights = new Weights(Set.of(down.id()), Set.of(new PortPeer(down.id(), 77)), false, Map.of());
        List<Finding> found = FabricModel.of(changed, wiring.vertices(), new ModelOptions(Numbering.NONE, weights))
                .findings();
        assertThat(found)
                .extracting(Finding::type)
                .contains(FindingType.PortDown, FindingType.Partition, FindingType.Drained)
                .isSorted();
        assertThat(found).filteredOn(f -> f.type() == FindingType.Drained).hasSize(2);
        assertThat(found)
                .filteredOn(f -> f.type() == FindingType.Partition)
                .singleElement()
                .satisfies(f -> assertThat(f.message()).startsWith("1 device on 1 switch"));
    }

    @Test
    void aDeviceAtTwoPortsNamesBoth() {
        PortPeer twice = new PortPeer("a", 1);
        List<SwitchPort> ports = List.of(
                new SwitchPort(1, twice, PortState.Active, null, null, null, null, null),
                new SwitchPort(4, twice, PortState.Active, null, null, null, null, null));
        FabricModel model = FabricModel.of(
                List.of(new Switch("s", null, null, null, null, "test", ports)), List.of(new Vertex(0, "a", 1, "x")));
        assertThat(model.findings())
                .containsExactly(new Finding(
                        FindingType.DuplicateGuid,
                        "a port 1",
                        "two cables lead to device a port 1: from s port 1 and from s port 4"));
    }

    @Test
    void findingsDoNotDependOnTheOrderOfRecords() {
        Wiring wiring = Wiring.threeLevels(9, 5, 4, 4, 2, 3, 1).withoutCables(0.05);
        List<Switch> shuffled = new ArrayList<>(wiring.switches());
        Collections.shuffle(shuffled, new Random(1));
        assertThat(FabricModel.of(shuffled, wiring.vertices()).findings())
                .isEqualTo(FabricModel.of(wiring.switches(), wiring.vertices()).findings());
    }
}
