/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FitsCommandTest {
    @Test
    void nodesThatNothingReachesAreNamedBesideTheAnswer() {
        assertThat(FitsCommand.assumed(true, List.of("n4", "n5")))
                .last()
                .asString()
                .isEqualTo("2 nodes are left out, since nothing in the fabric leads there: n[4-5]");
        assertThat(FitsCommand.assumed(false, List.of("n4"))).last().asString().startsWith("1 node is left out");
        assertThat(FitsCommand.assumed(false, List.of())).hasSize(2);
    }
}
