/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.cost.Weights;
import dev.fabricoperator.fabric.numbering.Numbering;
import dev.fabricoperator.fabric.testdata.Allocation;
import dev.fabricoperator.fabric.testdata.Dragonflies;
import dev.fabricoperator.fabric.testdata.Dragonflies.Arrangement;
import dev.fabricoperator.fabric.testdata.Lattices;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

/** Labels in statuses that no model can have written: they cost no memory and stop no fabric. */
class DamagedStatusTest {
    private static final long MOST_BYTES = 100L << 20;

    private static final int[] LABELS = {
        Integer.MIN_VALUE, -1, 0, 1, 2, 3, 63, 64, 4096, 30_000, 60_000, 65_536, 1 << 20, Integer.MAX_VALUE
    };

    @Property(seed = "20261122", tries = 300, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void anyLabelsGiveAModelAndAreMendedByTheNext(
            @ForAll long seed, @ForAll @IntRange(max = 8) int shape, @ForAll @IntRange(max = 100) int damagedPercent) {
        Wiring wiring = switch (shape) {
            case 0 -> Wiring.threeLevels(seed, 3, 4, 4, 3, 4, 1);
            case 1 -> Wiring.twoLevels(seed, 9, 5, 4, 1);
            case 2 -> Wiring.rails(seed, 3, 4, 6, 4, 2);
            case 3 -> Dragonflies.plus(seed, 5, 4, 4, 5, 3, 1);
            case 4 -> Dragonflies.canonical(seed, 6, 5, 2, 2, 1, Arrangement.RELATIVE);
            case 5 -> Lattices.torus(seed, 2, 1, 5, 4);
            case 6 -> Lattices.mesh(seed, 2, 1, 5, 4);
            case 7 -> Lattices.hyperX(seed, 2, 1, 5, 4);
            default -> Wiring.random(seed, 20, 30, 60);
        };
        List<Switch> switches = wiring.switches();
        List<Vertex> vertices = wiring.vertices();
        Numbering whole = FabricModel.of(switches, vertices).numbering();
        Random random = new Random(seed);
        Numbering damaged = damaged(whole, random, damagedPercent);
        FabricModel model = FabricModel.of(switches, vertices, new ModelOptions(damaged, Weights.NONE));
        assertThat(Allocation.bytesOf(() ->
                        FabricModel.of(switches, vertices, model.options()).findings()))
                .isLessThan(MOST_BYTES);
        FabricModel mended = next(switches, vertices, model);
        assertThat(next(switches, vertices, mended).numbering()).isEqualTo(mended.numbering());
    }

    private static FabricModel next(List<Switch> switches, List<Vertex> vertices, FabricModel model) {
        return FabricModel.of(switches, vertices, new ModelOptions(model.numbering(), Weights.NONE));
    }

    private static Numbering damaged(Numbering whole, Random random, int percent) {
        Map<String, Numbering.OfSwitch> switches = new HashMap<>();
        whole.switches()
                .forEach((id, place) -> switches.put(
                        id,
                        random.nextInt(100) >= percent
                                ? place
                                : new Numbering.OfSwitch(group(random), axes(random, place.logical()))));
        Map<PortPeer, Numbering.OfDevice> devices = new HashMap<>();
        whole.devices()
                .forEach((end, place) -> devices.put(
                        end,
                        random.nextInt(100) >= percent
                                ? place
                                : new Numbering.OfDevice(
                                        Integer.toString(label(random)),
                                        group(random),
                                        axes(random, place.logical()))));
        FabricKind[] kinds = FabricKind.values();
        String kind = random.nextBoolean() ? whole.kind() : kinds[random.nextInt(kinds.length)].name();
        return new Numbering(kind, switches, devices);
    }

    private static int label(Random random) {
        return LABELS[random.nextInt(LABELS.length)];
    }

    private static @Nullable Integer group(Random random) {
        return random.nextInt(8) == 0 ? null : Integer.valueOf(label(random));
    }

    /** Mostly as many as there were. */
    private static List<Integer> axes(Random random, List<Integer> logical) {
        int count = random.nextInt(8) == 0 ? random.nextInt(70) : logical.size();
        List<Integer> axes = new ArrayList<>();
        for (int axis = 0; axis < count; axis++) {
            axes.add(label(random));
        }
        return axes;
    }
}
