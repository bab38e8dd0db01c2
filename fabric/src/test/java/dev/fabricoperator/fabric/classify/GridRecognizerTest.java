/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.coordinate.CoordinateContract;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.testdata.Dump;
import dev.fabricoperator.fabric.testdata.Lattices;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GridRecognizerTest {
    @Provide
    Arbitrary<List<Integer>> anySides() {
        return sides(1, 6, 2, 7, 300);
    }

    /** Of a ladder two lost cables can hide an end. */
    @Provide
    Arbitrary<List<Integer>> noLadders() {
        return Arbitraries.oneOf(sides(2, 4, 2, 7, 300), sides(2, 2, 7, 16, 256), sides(3, 5, 3, 6, 600))
                .filter(sides -> size(sides) >= 8 && (sides.size() > 2 || !sides.contains(2)))
                .filter(sides -> sides.stream().anyMatch(side -> side > 2));
    }

    private static Arbitrary<List<Integer>> sides(int minDims, int maxDims, int minSide, int maxSide, int maxSize) {
        return Arbitraries.integers()
                .between(minSide, maxSide)
                .list()
                .ofMinSize(minDims)
                .ofMaxSize(maxDims)
                .filter(sides -> size(sides) <= maxSize);
    }

    private static int size(List<Integer> sides) {
        return sides.stream().reduce(1, (one, other) -> one * other);
    }

    @Property(seed = "20261121", tries = 120, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void toriAreRecognisedAndDistancesAreCyclic(
            @ForAll long seed,
            @ForAll("anySides") List<Integer> sides,
            @ForAll @IntRange(min = 1, max = 3) int hosts,
            @ForAll @IntRange(min = 1, max = 3) int parallel) {
        Assume.that(size(sides) >= 5 && (sides.size() > 1 || sides.getFirst() >= 5));
        Topology topology = Lattices.torus(seed, hosts, parallel, ints(sides)).topology();
        Classification found = assertIs(FabricKind.Torus, topology, ringsOfFour(sides));
        EdgeHops hops = EdgeHops.of(topology);
        int[] dims = dims(found);
        for (int one = 0; one < hops.size(); one++) {
            for (int other = 0; other < one; other++) {
                int cyclic = 0;
                for (int axis = 0; axis < dims.length; axis++) {
                    int difference = Math.abs(found.axes()[axis][one] - found.axes()[axis][other]);
                    cyclic += Math.min(difference, dims[axis] - difference);
                }
                if (cyclic != hops.hops(one, other)) {
                    throw new AssertionError(sides + ": " + cyclic + " is not " + hops.hops(one, other));
                }
            }
        }
    }

    @Property(seed = "20261121", tries = 120, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void toriThatLostCablesAreStillRecognised(
            @ForAll long seed,
            @ForAll("noLadders") List<Integer> sides,
            @ForAll @IntRange(max = 10) int percentMissing) {
        Topology topology = Lattices.torus(seed, 1, 1, ints(sides))
                .withoutCables(percentMissing / 100.0)
                .topology();
        assertIs(FabricKind.Torus, topology, ringsOfFour(sides));
    }

    @Property(seed = "20261121", tries = 120, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void meshesAreRecognised(
            @ForAll long seed,
            @ForAll("anySides") List<Integer> sides,
            @ForAll @IntRange(min = 1, max = 3) int parallel) {
        Assume.that(size(sides) >= 4 && sides.stream().anyMatch(side -> side != 2));
        assertIs(FabricKind.Mesh, Lattices.mesh(seed, 2, parallel, ints(sides)).topology(), descending(sides));
    }

    @Property(seed = "20261121", tries = 120, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void meshesThatLostCablesAreStillRecognised(
            @ForAll long seed,
            @ForAll("noLadders") List<Integer> sides,
            @ForAll @IntRange(max = 10) int percentMissing) {
        Topology topology = Lattices.mesh(seed, 1, 1, ints(sides))
                .withoutCables(percentMissing / 100.0)
                .topology();
        assertIs(FabricKind.Mesh, topology, descending(sides));
    }

    @Property(seed = "20261121", tries = 120, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void hyperXAreRecognisedAlsoWhenTheyLostCables(
            @ForAll long seed,
            @ForAll("anySides") List<Integer> sides,
            @ForAll @IntRange(min = 1, max = 2) int hosts,
            @ForAll @IntRange(max = 10) int percentMissing) {
        List<Integer> expected = descending(sides);
        Assume.that(expected.getFirst() >= 4);
        boolean narrow = expected.size() == 2 && expected.get(1) < 3;
        Topology topology = Lattices.hyperX(seed, hosts, 1, ints(sides))
                .withoutCables(narrow ? 0 : percentMissing / 100.0)
                .topology();
        assertIs(FabricKind.HyperX, topology, expected);
    }

    @Property(seed = "20261121", tries = 60, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void randomGraphsAreNoGrids(
            @ForAll long seed,
            @ForAll @IntRange(min = 20, max = 200) int switches,
            @ForAll @IntRange(min = 2, max = 5) int rings) {
        Topology topology = Lattices.regular(seed, switches, 2 * rings, 2).topology();
        assertThat(Classifier.classify(topology).kind()).isEqualTo(FabricKind.Irregular);
    }

    @Property(seed = "20261121", tries = 60, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void randomTreesAreNoGrids(@ForAll long seed, @ForAll @IntRange(min = 12, max = 100) int switches) {
        Topology topology = Lattices.tree(seed, switches, 2).topology();
        assertThat(Classifier.classify(topology).kind()).isIn(FabricKind.Irregular, FabricKind.FatTree);
    }

    @Test
    void theSimulatedTorusStandsAsItWasMadeBeforeAndAfterItsFault() {
        Map<String, List<Integer>> truth = new HashMap<>();
        Dump.json("sim/torus-6x6x6/coords.truth.json.gz")
                .path("switches")
                .properties()
                .forEach(
                        entry -> truth.put(entry.getKey(), ints(entry.getValue().path("coord"))));
        for (Dump dump : List.of(
                Dump.simulated("torus-6x6x6"), Dump.simulated("torus-6x6x6").afterFault())) {
            FabricModel model = OfflineFabrics.of(dump.cabling()).getFirst().model();
            assertThat(model.kind()).isEqualTo(FabricKind.Torus);
            assertThat(model.defaultShape().string()).isEqualTo("6x6x6x2");
            assertThat(model.groups()).isEqualTo(6);
            List<String> ids = new ArrayList<>();
            for (int s = 0; s < model.topology().switches(); s++) {
                ids.add(model.topology().switchId(s));
            }
            for (String one : ids) {
                for (String other : ids) {
                    int expected =
                            cyclic(Objects.requireNonNull(truth.get(one)), Objects.requireNonNull(truth.get(other)));
                    assertThatIs(expected, cyclic(address(model, one), address(model, other)));
                }
            }
        }
    }

    private static void assertThatIs(int expected, int found) {
        if (expected != found) {
            throw new AssertionError(found + " is not " + expected);
        }
    }

    private static List<Integer> address(FabricModel model, String id) {
        return Objects.requireNonNull(model.switchPosition(id))
                .coordinates()
                .getFirst()
                .values();
    }

    private static int cyclic(List<Integer> one, List<Integer> other) {
        int sum = 0;
        for (int axis = 0; axis < one.size(); axis++) {
            int difference = Math.abs(one.get(axis) - other.get(axis));
            sum += Math.min(difference, 6 - difference);
        }
        return sum;
    }

    private static List<Integer> ints(JsonNode array) {
        List<Integer> values = new ArrayList<>();
        array.forEach(value -> values.add(value.asInt()));
        return values;
    }

    /** What could be several kinds is one of them, always the same. */
    @ParameterizedTest
    @CsvSource({
        "4,       Torus, 4",
        "2x2x2,   Torus, 4x2",
        "4x4x4,   Torus, 4x4x4",
        "3x3,     Torus, 3x3",
        "3x2,     Torus, 3x2",
        "3x3x3x2, Torus, 3x3x3x2",
    })
    void ringsThatAreFullyConnectedMakeATorus(String sides, FabricKind kind, String dims) {
        Topology topology = Lattices.torus(1, 1, 1, ints(parse(sides))).topology();
        assertIs(kind, topology, parse(dims));
    }

    @Test
    void twoCablesBetweenTwoSwitchesAreARingOfTwo() {
        assertIs(FabricKind.Torus, Wiring.torus(1, 2, 2, 5, 1).topology(), List.of(5, 2, 2));
        assertIs(FabricKind.Torus, Lattices.torus(1, 1, 2, 2, 2, 5).topology(), List.of(5, 4));
    }

    @Test
    void aFullMeshIsAHyperXOfOneAxisAndTwoSwitchesAreNoGrid() {
        assertIs(FabricKind.HyperX, Lattices.hyperX(1, 2, 1, 3).topology(), List.of(3));
        assertIs(
                FabricKind.HyperX,
                Lattices.hyperX(2, 2, 1, 64).withoutCables(0.1).topology(),
                List.of(64));
        assertThat(Classifier.classify(Lattices.hyperX(3, 2, 1, 2).topology()).kind())
                .isIn(FabricKind.FatTree, FabricKind.Irregular);
    }

    @Test
    void whatWrapsAlongSomeAxesOnlyIsAMesh() {
        Topology topology = Lattices.lattice(1, 1, 1, new int[] {6, 5, 7}, new boolean[] {true, false, true})
                .topology();
        assertIs(FabricKind.Mesh, topology, List.of(7, 6, 5));
    }

    @Test
    void serviceTreesAndUnconnectedPartsDoNotSpoilATorus() {
        Wiring wiring = Lattices.torus(5, 2, 1, 5, 6, 7);
        int service = wiring.node();
        int below = wiring.node();
        int other = wiring.node();
        int alone = wiring.node();
        wiring.cable(service, 17, 2).cable(below, service, 1).cable(other, 17, 1);
        wiring.device(service, "s1", null).device(below, "s2", null).device(other, "s3", null);
        wiring.device(alone, "s4", null);
        Classification found = assertContract(wiring.topology());
        assertThat(found.kind()).isEqualTo(FabricKind.Torus);
        // Behind the last axis: three next to the switch that holds them, and one in the first row.
        assertThat(dims(found)).startsWith(7, 6);
        assertThat(dims(found)[2]).isBetween(8, 8 + 2);
    }

    @Test
    void switchesWithoutHostsTakeTheirPlaces() {
        Wiring wiring = Lattices.torus(6, 0, 1, 6, 6, 5);
        for (int node = 0; node < 180; node++) {
            if (node % 3 != 0) {
                wiring.device(node, "h" + node, null);
            }
        }
        assertIs(FabricKind.Torus, wiring.topology(), List.of(6, 6, 5));
    }

    @Test
    void aTorusOfThousandsOfSwitchesIsRecognised() {
        assertIs(FabricKind.Torus, Lattices.torus(7, 1, 1, 16, 16, 16).topology(), List.of(16, 16, 16));
    }

    private static Classification assertIs(FabricKind kind, Topology topology, List<Integer> sides) {
        Classification found = assertContract(topology);
        assertThat(found.kind()).as("%s", sides).isEqualTo(kind);
        assertThat(dims(found)).containsExactly(ints(sides));
        return found;
    }

    private static Classification assertContract(Topology topology) {
        Classification found = Classifier.classify(topology);
        ClassificationContract.assertHolds(topology, found);
        CoordinateContract.assertHolds(topology, found);
        return found;
    }

    private static int[] dims(Classification found) {
        return Arrays.stream(found.axes())
                .mapToInt(axis -> Arrays.stream(axis).max().orElse(-1) + 1)
                .toArray();
    }

    private static List<Integer> ringsOfFour(List<Integer> sides) {
        List<Integer> expected = new ArrayList<>();
        int pairs = 0;
        for (int side : sides) {
            if (side == 2 || side == 4) {
                pairs += side / 2;
            } else {
                expected.add(side);
            }
        }
        for (; pairs > 1; pairs -= 2) {
            expected.add(4);
        }
        if (pairs == 1) {
            expected.add(2);
        }
        return descending(expected);
    }

    private static List<Integer> descending(List<Integer> sides) {
        return sides.stream().sorted(Comparator.reverseOrder()).toList();
    }

    private static List<Integer> parse(String sides) {
        return Arrays.stream(sides.split("x")).map(Integer::valueOf).toList();
    }

    private static int[] ints(List<Integer> values) {
        return values.stream().mapToInt(value -> value).toArray();
    }
}
