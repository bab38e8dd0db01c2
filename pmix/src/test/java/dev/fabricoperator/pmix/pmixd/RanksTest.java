/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RanksTest {
    private final Ranks ranks = new Ranks(4, 2);

    @Test
    void aRankThatEndsWithZeroIsWell() {
        assertThat(ranks.ended(0, 0, 0)).isNull();
        assertThat(ranks.allEnded()).isFalse();
        assertThat(ranks.ended(1, 0, 0)).isNull();
        assertThat(ranks.allEnded()).isTrue();
    }

    @Test
    void aCodeOrASignalIsTheJobsFailure() {
        assertThat(ranks.ended(1, 7, 0)).isEqualTo(new Ranks.Failure(5, 7, "rank 5 exited with code 7"));
        assertThat(ranks.ended(0, 0, 9)).isEqualTo(new Ranks.Failure(4, 137, "rank 4 was ended by signal 9"));
    }

    @Test
    void leavingWithoutFinalizeIsAFailureAndWithItIsNot() {
        ranks.connected(4);
        assertThat(ranks.ended(0, 0, 0))
                .isEqualTo(new Ranks.Failure(4, 1, "rank 4 exited with code 0 but without PMIx_Finalize"));
        ranks.connected(5);
        ranks.finalized(5);
        assertThat(ranks.ended(1, 0, 0)).isNull();
    }

    @Test
    void anAbortNeverLooksLikeSuccess() {
        assertThat(Ranks.aborted(4, 256, "").code()).isEqualTo(1);
        assertThat(Ranks.aborted(4, -1, "gone").code()).isEqualTo(255);
        assertThat(Ranks.aborted(4, 14, "gone").text()).isEqualTo("rank 4 aborted with status 14: gone");
    }
}
