/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.testdata.Faults;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A matrix that follows changes is the one computed from nothing, bit by bit. */
class CostUpdateTest {
    private record State(Topology topology, Weights weights, CostMatrix cost) {
        static State of(Faults faults) {
            Topology topology = faults.topology();
            return new State(topology, faults.weights(), CostModel.of(topology, faults.weights()));
        }

        State updated(Faults faults) {
            Topology next = faults.topology();
            LinkCosts links = LinkCosts.of(next, faults.weights());
            return new State(next, faults.weights(), CostModel.update(LinkCosts.of(topology, weights), cost, links));
        }
    }

    static Stream<Faults> fabrics() {
        return IntStream.range(0, 8)
                .boxed()
                .flatMap(seed -> Stream.of(
                        new Faults("two levels", seed, Wiring.twoLevels(seed, 12 + seed, 4, 3, 1 + seed % 2)),
                        new Faults("three levels", seed, Wiring.threeLevels(seed, 4, 5, 3, 2, 2, 1)),
                        new Faults("rails", seed, Wiring.rails(seed, 4, 4, 3, 3, 2)),
                        new Faults("torus", seed, Wiring.torus(seed, 4, 4, 3, 1)),
                        new Faults("anything", seed, Wiring.random(seed, 50, 120, 60)),
                        new Faults("hardly connected", seed, Wiring.random(seed, 60, 62, 50))));
    }

    /** 48 fabrics with 60 changes each, every one of up to four faults and repairs. */
    @ParameterizedTest
    @MethodSource("fabrics")
    void followsAnyChange(Faults faults) {
        State state = State.of(faults);
        for (int change = 0; change < 60; change++) {
            faults.change();
            state = state.updated(faults);
            assertSame(state, faults);
        }
    }

    /** Also where links cost another amount in each direction. */
    @ParameterizedTest
    @MethodSource("fabrics")
    void followsLoad(Faults faults) {
        faults.withLoad();
        State state = State.of(faults);
        for (int change = 0; change < 20; change++) {
            faults.change();
            state = state.updated(faults);
            assertSame(state, faults);
        }
    }

    private static void assertSame(State state, Faults faults) {
        CostMatrix full = CostModel.of(state.topology(), state.weights());
        CostMatrix cost = state.cost();
        for (int from = 0; from < full.switches().size(); from++) {
            assertThat(cost.switches().row(from))
                    .as("%s, row %d", faults, from)
                    .isEqualTo(full.switches().row(from));
        }
        assertThat(cost.digest()).as("%s", faults).isEqualTo(full.digest());
        assertThat(cost.symmetric()).isEqualTo(full.symmetric());
        assertThat(cost.maximum()).isEqualTo(full.maximum());
        assertThat(cost.saturated()).isEqualTo(full.saturated());
    }

    @Test
    void oneCableLeavesAllOtherRowsAlone() {
        Faults faults = new Faults("three levels", 1, Wiring.threeLevels(1, 6, 6, 3, 3, 2, 1));
        State before = State.of(faults);
        faults.removeCable();
        State after = before.updated(faults);

        assertSame(after, faults);
        long shared = IntStream.range(0, before.cost().switches().size())
                .filter(row -> before.cost().switches().row(row)
                        == after.cost().switches().row(row))
                .count();
        assertThat(shared).isGreaterThanOrEqualTo(before.cost().switches().size() - 6);
    }
}
