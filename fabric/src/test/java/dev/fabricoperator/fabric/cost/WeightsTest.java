/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.model.ModelOptions;
import dev.fabricoperator.fabric.numbering.Numbering;
import dev.fabricoperator.fabric.query.FabricQuery;
import dev.fabricoperator.fabric.query.Path;
import dev.fabricoperator.fabric.testdata.WeightedCosts;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;

/** Drains, parallel links and load, against the model written down a second time. */
class WeightsTest {
    @Property(tries = 400, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void costsAreThoseOfThePlainModel(@ForAll long seed) {
        assertPlain(SomeFabric.of(seed), seed);
    }

    /** What 16 bit cannot say is cut, is said to be cut, and never wraps round. */
    @Property(tries = 400, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void extremeSpeedsNeverOverflow(@ForAll long seed) {
        assertPlain(SomeFabric.of(seed).withExtremeSpeeds(seed), seed);
    }

    private static void assertPlain(SomeFabric fabric, long seed) {
        WeightedCosts plain = new WeightedCosts(fabric.switches(), fabric.vertices(), fabric.weights());
        CostMatrix cost = CostModel.of(Topology.of(fabric.switches(), fabric.vertices()), fabric.weights());
        int[] used = fabric.vertices().stream().mapToInt(Vertex::index).sorted().toArray();
        long maximum = 0;
        boolean symmetric = true;
        short[] row = new short[cost.vertices()];
        for (int from : used) {
            Map<Integer, Long> expected = plain.row(from);
            cost.row(from, row);
            for (int to : used) {
                Long whole = to == from ? Long.valueOf(0) : expected.get(to);
                long cut = whole == null ? CostMatrix.UNREACHABLE : Math.min(whole, CostMatrix.HIGHEST);
                assertThat(cost.cost(from, to))
                        .as("seed %d, from %d to %d", seed, from, to)
                        .isEqualTo((int) cut);
                assertThat(Short.toUnsignedInt(row[to])).isEqualTo((int) cut);
                maximum = whole == null ? maximum : Math.max(maximum, whole);
                symmetric &= cost.cost(from, to) == cost.cost(to, from);
            }
        }
        assertThat(cost.maximum()).as("seed %d", seed).isEqualTo((int) Math.min(maximum, CostMatrix.HIGHEST));
        assertThat(cost.saturated()).as("seed %d", seed).isEqualTo(maximum > CostMatrix.HIGHEST);
        if (cost.symmetric()) {
            assertThat(symmetric).isTrue();
        }
        assertBlock(cost, new Random(seed), used.length);
    }

    /** Some slots in any order, a few columns as well as many. */
    private static void assertBlock(CostMatrix cost, Random random, int most) {
        int[] from = IntStream.range(0, 1 + random.nextInt(3))
                .map(i -> random.nextInt(cost.vertices()))
                .toArray();
        int[] to = IntStream.range(0, 1 + random.nextInt(2 * most))
                .map(i -> random.nextInt(cost.vertices()))
                .toArray();
        short[] block = new short[from.length * to.length];
        cost.block(from, to, block);
        for (int i = 0; i < block.length; i++) {
            assertThat(Short.toUnsignedInt(block[i])).isEqualTo(cost.cost(from[i / to.length], to[i % to.length]));
        }
    }

    /** A path has the matrix's cost, is as dear as its links, and uses nothing that is drained. */
    @Property(tries = 200, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void aPathKeepsOffWhatIsDrainedAndCostsWhatTheMatrixSays(@ForAll long seed) {
        SomeFabric fabric = SomeFabric.of(seed);
        Weights weights = fabric.weights();
        WeightedCosts plain = new WeightedCosts(fabric.switches(), fabric.vertices(), weights);
        FabricModel model =
                FabricModel.of(fabric.switches(), fabric.vertices(), new ModelOptions(Numbering.NONE, weights));
        FabricQuery query = new FabricQuery(model);
        for (Vertex from : fabric.vertices()) {
            for (Vertex to : fabric.vertices()) {
                Path path = Objects.requireNonNull(query.path(from.index(), to.index()));
                assertThat(path.cost()).isEqualTo(model.cost().cost(from.index(), to.index()));
                if (path.steps().isEmpty()) {
                    boolean none = path.cost() == CostMatrix.UNREACHABLE;
                    assertThat(none || from.equals(to) || fabric.switches().isEmpty())
                            .isTrue();
                    continue;
                }
                long links = (long) model.cost().deviceCost(from.index())
                        + model.cost().deviceCost(to.index());
                for (int i = 0; i < path.steps().size(); i++) {
                    Path.Step step = path.steps().get(i);
                    assertThat(weights.drainedSwitches()).doesNotContain(step.switchId());
                    assertThat(weights.drainedPorts())
                            .doesNotContain(
                                    new PortPeer(step.switchId(), step.inPort()),
                                    new PortPeer(step.switchId(), step.outPort()));
                    if (i > 0) {
                        String before = path.steps().get(i - 1).switchId();
                        links += Objects.requireNonNull(plain.link(before, step.switchId()));
                    }
                }
                assertThat(links).as("seed %d", seed).isEqualTo(path.cost());
            }
        }
    }

    @Test
    void loadInOneDirectionMakesCostsAsymmetric() {
        Wiring wiring = new Wiring(1);
        int[] nodes = wiring.nodes(2);
        wiring.cable(nodes[0], nodes[1], 1).device(nodes[0], "a", "x").device(nodes[1], "b", "x");
        Topology topology = wiring.topology();
        int busy = 0;
        PortPeer sends = new PortPeer(topology.switchId(busy), topology.cablePort(topology.firstCable(busy)));
        CostMatrix cost = CostModel.of(topology, new Weights(Set.of(), Set.of(), false, Map.of(sends, 0.5)));
        int from = cost.edgeSwitchOf(0) == busy ? 0 : 1;

        assertThat(cost.cost(from, 1 - from)).isEqualTo(35);
        assertThat(cost.cost(1 - from, from)).isEqualTo(30);
        assertThat(cost.symmetric()).isFalse();
    }

    @Test
    void parallelLinksAreCheaperOnlyWhereSomebodyAsks() {
        Wiring wiring = new Wiring(1);
        int[] nodes = wiring.nodes(2);
        wiring.cable(nodes[0], nodes[1], 4).device(nodes[0], "a", "x").device(nodes[1], "b", "x");

        assertThat(CostModel.of(wiring.topology()).cost(0, 1)).isEqualTo(30);
        Weights weights = new Weights(Set.of(), Set.of(), true, Map.of());
        assertThat(CostModel.of(wiring.topology(), weights).cost(0, 1)).isEqualTo(26);
    }
}
