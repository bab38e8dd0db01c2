/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
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
    void aRankThatIsEndedBeforeItHasCalledInitCountsForNothingAndOneThatLeavesForNone() {
        assertThat(ranks.clients()).isNull();
        ranks.ended(0, 0, 15);
        assertThat(ranks.clients()).isNull();
        Ranks others = new Ranks(4, 3);
        others.connected(5);
        others.ended(2, 127, 0);
        others.ended(0, 1, 0);
        assertThat(others.clients()).as("the code comes after another's").isEqualTo("clients 1 0 1");
    }

    @Test
    void aCodeOrASignalIsTheJobsFailure() {
        assertThat(ranks.ended(1, 7, 0))
                .isEqualTo(new Ranks.Failure(5, 7, "rank 5 exited with code 7", Ranks.Certainty.LEFT));
        assertThat(new Ranks(4, 2).ended(0, 0, 9))
                .isEqualTo(new Ranks.Failure(4, 137, "rank 4 was ended by signal 9", Ranks.Certainty.KILLED));
    }

    @Test
    void leavingWithoutFinalizeIsAFailureAndWithItIsNot() {
        ranks.connected(4);
        assertThat(ranks.ended(0, 0, 0))
                .isEqualTo(new Ranks.Failure(
                        4, 1, "rank 4 exited with code 0 but without PMIx_Finalize", Ranks.Certainty.LEFT));
        ranks.connected(5);
        ranks.finalized(5);
        assertThat(ranks.ended(1, 0, 0)).isNull();
    }

    @Test
    void leavingWithoutInitIsAFailureWhereAnotherRankHasCalledIt() {
        assertThat(ranks.ended(0, 0, 0)).as("before any other").isNull();
        Ranks others = new Ranks(4, 2);
        others.connected(5);
        others.finalized(5);
        assertThat(others.ended(0, 0, 0))
                .isEqualTo(new Ranks.Failure(
                        4,
                        1,
                        "rank 4 exited with code 0 but without PMIx_Init, which another rank of its pod has called",
                        Ranks.Certainty.LEFT));
        assertThat(others.ended(1, 0, 0)).isNull();
    }

    @Test
    void whatARankDoesByPmiAndByPmixIsKeptApart() {
        ranks.connected(4);
        ranks.pmiBegun(0);
        ranks.pmiBegun(1);
        ranks.pmiFinalized(0);
        assertThat(ranks.ended(0, 0, 0))
                .extracting(Ranks.Failure::text)
                .isEqualTo("rank 4 exited with code 0 but without PMIx_Finalize");
        assertThat(ranks.anyConnected()).isTrue();
        assertThat(ranks.ended(1, 0, 0))
                .extracting(Ranks.Failure::text)
                .isEqualTo("rank 5 exited with code 0 but without PMI_Finalize");

        Ranks ofPmi = new Ranks(4, 2);
        ofPmi.pmiBegun(1);
        ofPmi.pmiFinalized(1);
        assertThat(ofPmi.noneEverConnected()).isFalse();
        assertThat(ofPmi.anyConnected()).isFalse();
        assertThat(ofPmi.ended(0, 0, 0))
                .extracting(Ranks.Failure::text)
                .isEqualTo("rank 4 exited with code 0 but without PMI_Init, which another rank of its pod has called");
        assertThat(ofPmi.ended(1, 0, 0)).isNull();
    }

    @Test
    void anAbortNeverLooksLikeSuccess() {
        assertThat(ranks.aborted(4, 256, "").code()).isEqualTo(1);
        assertThat(ranks.aborted(4, -1, "gone").code()).isEqualTo(255);
        assertThat(ranks.aborted(4, 14, "gone").text()).isEqualTo("rank 4 aborted with status 14: gone");
    }

    @Test
    void theExitOfARankThatHasAbortedIsNoOtherFailure() {
        ranks.connected(4);
        ranks.aborted(4, 256, "");
        assertThat(ranks.ended(0, 0, 0)).isNull();
        assertThat(ranks.allEnded()).isFalse();
    }

    @Test
    void aRankThatLeavesOrIsKilledHasBegunItAndOneThatAbortsMayHaveLostItsPeer() {
        Ranks.Failure echo = ranks.aborted(4, 14, "gone");
        Ranks.Failure began = failed(ranks, 1, 0, 11);
        assertThat(began.isSurerThan(echo)).isTrue();
        assertThat(echo.isSurerThan(began)).isFalse();
        assertThat(failed(new Ranks(4, 2), 1, 3, 0).isSurerThan(echo)).isTrue();
    }

    @Test
    void whatTheLauncherEndsForAFailureHasNotBegunIt() {
        Ranks.Failure abort = ranks.aborted(4, 7, "");
        assertThat(ranks.ended(0, 7, 0)).isNull();
        assertThat(failed(ranks, 1, 0, 15).isSurerThan(abort)).isFalse();
        Ranks four = new Ranks(0, 4);
        Ranks.Failure first = failed(four, 2, 0, 9);
        assertThat(failed(four, 1, 0, 15).isSurerThan(first)).isFalse();
        assertThat(failed(four, 0, 3, 0).isSurerThan(first)).isFalse();
        assertThat(failed(four, 3, 0, 11).certainty()).isEqualTo(Ranks.Certainty.KILLED);
    }

    private static Ranks.Failure failed(Ranks ranks, int localRank, int code, int signal) {
        return Objects.requireNonNull(ranks.ended(localRank, code, signal));
    }
}
