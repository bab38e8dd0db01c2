/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.coordinate.CoordinateContract;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.testdata.Dragonflies;
import dev.fabricoperator.fabric.testdata.Dragonflies.Arrangement;
import dev.fabricoperator.fabric.testdata.Dump;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Topology;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.jqwik.api.Assume;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class DragonflyRecognizerTest {
    @Property(seed = "20261121", tries = 150, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void canonicalDragonfliesAreRecognised(
            @ForAll long seed,
            @ForAll @IntRange(min = 4, max = 10) int routers,
            @ForAll @IntRange(min = 1, max = 5) int perRouter,
            @ForAll @IntRange(min = 2, max = 20) int groups,
            @ForAll Arrangement arrangement,
            @ForAll @IntRange(max = 10) int percentMissing) {
        // Balanced dragonflies have two routers in a group for each global link of a router.
        int global = Math.min(perRouter, (routers + 1) / 2);
        int count = Math.max(global + 3, Math.min(groups, routers * global + 1));
        Assume.that(count <= routers * global + 1);
        // Of so few routers, three lost cables can cut one off.
        double missing = routers < 5 ? 0.05 : percentMissing / 100.0;
        Wiring wiring = Dragonflies.canonical(seed, count, routers, global, 2, 1, arrangement);
        Classification found = assertContract(wiring.withoutCables(missing).topology());
        assertThat(found.kind())
                .as("a %d h %d g %d %s", routers, global, count, arrangement)
                .isEqualTo(FabricKind.Dragonfly);
        assertThat(found.groups()).isEqualTo(count);
    }

    @Property(seed = "20261121", tries = 20, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void groupsOfRowsAndColumnsAreRecognised(
            @ForAll long seed,
            @ForAll @IntRange(min = 2, max = 6) int rows,
            @ForAll @IntRange(min = 8, max = 16) int columns,
            @ForAll @IntRange(min = 3, max = 6) int groups,
            @ForAll @IntRange(max = 10) int percentMissing) {
        Wiring wiring = Dragonflies.rowsAndColumns(seed, groups, rows, columns, 1, 1);
        Classification found =
                assertContract(wiring.withoutCables(percentMissing / 100.0).topology());
        assertThat(found.kind()).isEqualTo(FabricKind.Dragonfly);
        assertThat(found.groups()).isEqualTo(groups);
    }

    @Property(seed = "20261121", tries = 100, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void dragonfliesPlusAreRecognised(
            @ForAll long seed,
            @ForAll @IntRange(min = 2, max = 12) int groups,
            @ForAll @IntRange(min = 4, max = 10) int leaves,
            @ForAll @IntRange(min = 4, max = 8) int spines,
            @ForAll @IntRange(max = 10) int percentMissing) {
        int global = (2 * groups + spines - 1) / spines;
        Wiring wiring = Dragonflies.plus(seed, groups, leaves, spines, global, 3, 1);
        Classification found =
                assertContract(wiring.withoutCables(percentMissing / 100.0).topology());
        assertThat(found.kind()).isEqualTo(FabricKind.DragonflyPlus);
        assertThat(found.groups()).isEqualTo(groups);
        assertThat(Arrays.stream(found.axes()[1]).max()).hasValue(leaves - 1);
    }

    @Test
    void groupsOfUnequalSizeAreRecognised() {
        Wiring wiring = Dragonflies.unequal(3, new int[] {16, 32, 32, 16, 24}, 8, 2, 1, Arrangement.RANDOM);
        Classification found = assertContract(wiring.withoutCables(0.05).topology());
        assertThat(found.kind()).isEqualTo(FabricKind.Dragonfly);
        assertThat(found.groups()).isEqualTo(5);
    }

    @Test
    void serviceSwitchesBelongToTheGroupThatTheyHangOff() {
        Wiring wiring = Dragonflies.canonical(4, 9, 8, 2, 2, 1, Arrangement.RANDOM);
        int service = wiring.node();
        wiring.cable(service, 10, 2).device(service, "s", null);
        Topology topology = wiring.topology();
        Classification found = assertContract(topology);
        assertThat(found.kind()).isEqualTo(FabricKind.Dragonfly);
        assertThat(found.groups()).isEqualTo(9);
        assertThat(Arrays.stream(found.axes()[1]).max()).hasValue(8);
    }

    @Test
    void theSimulatedDragonflyHasItsGroupsBeforeAndAfterItsFault() {
        Map<String, Integer> truth = new HashMap<>();
        Dump.json("sim/df-a4p2h2/coords.truth.json.gz")
                .path("switches")
                .properties()
                .forEach(entry ->
                        truth.put(entry.getKey(), entry.getValue().path("group").asInt()));
        for (Dump dump :
                List.of(Dump.simulated("df-a4p2h2"), Dump.simulated("df-a4p2h2").afterFault())) {
            FabricModel model = OfflineFabrics.of(dump.cabling()).getFirst().model();
            assertThat(model.kind()).isEqualTo(FabricKind.Dragonfly);
            assertThat(model.groups()).isEqualTo(9);
            Map<Integer, Integer> groupOf = new HashMap<>();
            for (int s = 0; s < model.topology().switches(); s++) {
                int group = model.classification().groupOfSwitch()[s];
                int expected = Objects.requireNonNull(truth.get(model.topology().switchId(s)));
                assertThat(groupOf.computeIfAbsent(expected, g -> group)).isEqualTo(group);
            }
            assertThat(new HashSet<>(groupOf.values())).hasSize(9);
        }
    }

    @Test
    void thetaIsNineGroupsOfNinetySixRouters() {
        for (double missing : new double[] {0, 0.1}) {
            Wiring wiring = new Wiring(9);
            Map<String, Integer> routers = new HashMap<>();
            for (String[] row : csv("routers.csv.gz")) {
                int node = wiring.node();
                routers.put(row[0], node);
                for (int host = 0; host < 4; host++) {
                    wiring.device(node, row[0] + "n" + host, null);
                }
            }
            for (String[] row : csv("links.csv.gz")) {
                wiring.cable(
                        Objects.requireNonNull(routers.get(row[0])), Objects.requireNonNull(routers.get(row[2])), 1);
            }
            Classification found = assertContract(wiring.withoutCables(missing).topology());
            assertThat(found.kind()).isEqualTo(FabricKind.Dragonfly);
            assertThat(found.groups()).isEqualTo(9);
            int[] sizes = new int[9];
            Arrays.stream(found.groupOfSwitch()).forEach(group -> sizes[group]++);
            assertThat(sizes).containsOnly(96);
        }
    }

    private static List<String[]> csv(String file) {
        byte[] bytes = Dump.bytes("fabric/dragonfly-cray-theta/" + file);
        return new String(bytes, StandardCharsets.UTF_8)
                .lines()
                .skip(1)
                .map(line -> line.split(",", -1))
                .toList();
    }

    private static Classification assertContract(Topology topology) {
        Classification found = Classifier.classify(topology);
        ClassificationContract.assertHolds(topology, found);
        CoordinateContract.assertHolds(topology, found);
        return found;
    }
}
