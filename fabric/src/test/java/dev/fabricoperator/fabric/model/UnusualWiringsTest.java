/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cost.Weights;
import dev.fabricoperator.fabric.testdata.Allocation;
import dev.fabricoperator.fabric.testdata.Lattices;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Wirings that nobody plans and that a file can describe all the same: none costs more than its square. */
class UnusualWiringsTest {
    private static final int SMALL = 400;

    /** What is there anyway, such as classes that are loaded. */
    private static final long BYTES = 4 << 20;

    private enum Unusual {
        STAR(size -> {
            Wiring wiring = new Wiring(1);
            int[] nodes = wiring.nodes(size);
            for (int at = 1; at < size; at++) {
                wiring.cable(nodes[0], nodes[at], 1);
            }
            return withHosts(wiring, nodes);
        }),
        CHAIN(size -> Lattices.mesh(1, 1, 1, size)),
        RING(size -> Lattices.torus(1, 1, 1, size)),
        SWITCHES_WITHOUT_CABLES(size -> {
            Wiring wiring = new Wiring(1);
            return withHosts(wiring, wiring.nodes(size));
        }),
        PAIRS(size -> {
            Wiring wiring = new Wiring(1);
            int[] nodes = wiring.nodes(size);
            for (int at = 0; at + 1 < size; at += 2) {
                wiring.cable(nodes[at], nodes[at + 1], 2);
            }
            return withHosts(wiring, nodes);
        }),
        ONE_HOST_ON_ALL_SWITCHES(size -> {
            Wiring wiring = new Wiring(1);
            int[] nodes = wiring.nodes(size);
            for (int at = 0; at < size; at++) {
                wiring.device(nodes[at], "host" + at % 4, "mlx5_" + at);
                wiring.cable(nodes[at], nodes[at / 2], at == 0 ? 0 : 1);
            }
            return wiring;
        }),
        EACH_CABLE_OF_ITS_OWN_SPEED(size -> {
            Wiring wiring = new Wiring(1);
            int[] nodes = wiring.nodes(3);
            for (int cable = 0; cable < 20 * size; cable++) {
                wiring.cable(nodes[0], nodes[1 + cable % 2], 1, 1_000_000_000L + cable);
            }
            return withHosts(wiring, nodes);
        }),
        ONE_BUNDLE(size -> {
            Wiring wiring = new Wiring(1);
            int[] nodes = wiring.nodes(2);
            wiring.cable(nodes[0], nodes[1], 20 * size);
            return withHosts(wiring, nodes);
        });

        private final IntFunction<Wiring> maker;

        Unusual(IntFunction<Wiring> maker) {
            this.maker = maker;
        }

        private static Wiring withHosts(Wiring wiring, int[] nodes) {
            for (int at = 0; at < nodes.length; at++) {
                wiring.device(nodes[at], "h" + at, "mlx5_0");
            }
            return wiring;
        }
    }

    @ParameterizedTest
    @EnumSource(Unusual.class)
    void aWiringTwiceAsLargeAllocatesAtMostFourTimesAsMuch(Unusual unusual) {
        allocated(unusual, SMALL);
        long small = allocated(unusual, SMALL);
        assertThat(allocated(unusual, 2 * SMALL)).isLessThan(4 * small + BYTES);
    }

    /** Of a model, of its findings, and of the model of the next generation, which keeps all numbers. */
    private static long allocated(Unusual unusual, int size) {
        Wiring wiring = unusual.maker.apply(size);
        List<Switch> switches = wiring.switches();
        List<Vertex> vertices = wiring.vertices();
        return Allocation.bytesOf(() -> {
            FabricModel model = FabricModel.of(switches, vertices);
            model.findings();
            FabricModel next = FabricModel.of(switches, vertices, new ModelOptions(model.numbering(), Weights.NONE));
            assertThat(next.numbering()).isEqualTo(model.numbering());
        });
    }
}
