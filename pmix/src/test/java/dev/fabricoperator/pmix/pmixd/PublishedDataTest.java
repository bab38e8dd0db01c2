/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static dev.fabricoperator.pmix.pmixd.PublishedData.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.pmixd.PublishedData.Origin;
import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.pmix.server.Published.Datum;
import dev.fabricoperator.pmix.server.Published.Found;
import dev.fabricoperator.pmix.server.Published.Publication;
import dev.fabricoperator.pmix.server.Published.Search;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class PublishedDataTest {
    private static final int LIMIT = 10_000;
    private static final JobPod TWO_RANKS_FROM_FOUR_ON =
            new JobPod("pod-2", "host-2", 0, 4, 2, new byte[] {10, 0, 0, 2}, 7471, "", List.of());

    private final List<Runnable> timers = new ArrayList<>();
    private final PublishedData data = new PublishedData(LIMIT, (millis, task) -> {
        timers.add(task);
        return () -> timers.remove(task);
    });

    /** Two ranks in each pod, one pod in each app. */
    private static Origin rank(int rank) {
        return new Origin(rank / 2, rank / 2, new Proc("ns", rank));
    }

    private static Publication of(int range, int persistence, String... keys) {
        List<Datum> data = new ArrayList<>();
        for (String key : keys) {
            data.add(new Datum(key, key.getBytes(StandardCharsets.UTF_8)));
        }
        return new Publication(range, persistence, data);
    }

    private int publish(int rank, int range, String... keys) {
        return data.publish(rank(rank), of(range, PERSIST_SESSION, keys));
    }

    /** What a lookup is answered: its status, then the ranks that have published. */
    private List<Integer> lookup(int rank, Search search) {
        List<Integer> answer = new ArrayList<>();
        data.lookup(rank(rank), search, (status, found) -> {
            answer.add(status);
            if (found != null) {
                found.stream().map(Found::publisher).map(Proc::rank).forEach(answer::add);
            }
        });
        return answer;
    }

    private List<Integer> lookup(int rank, String... keys) {
        return lookup(rank, new Search(RANGE_SESSION, List.of(keys), 0, 0));
    }

    private List<Integer> await(int rank, int wanted, String... keys) {
        return lookup(rank, new Search(RANGE_SESSION, List.of(keys), wanted, 5));
    }

    @Test
    void everyRangeReachesWhoIsInItAndNobodyElse() {
        publish(0, RANGE_LOCAL, "local");
        publish(0, RANGE_PROC_LOCAL, "own");
        publish(0, RANGE_RM, "manager");
        for (int range : new int[] {RANGE_UNDEF, RANGE_NAMESPACE, RANGE_GLOBAL}) {
            assertThat(publish(0, range, "range " + range)).isZero();
            assertThat(lookup(3, "range " + range)).containsExactly(PmixStatus.PMIX_SUCCESS, 0);
        }
        assertThat(lookup(1, "local")).containsExactly(PmixStatus.PMIX_SUCCESS, 0);
        assertThat(lookup(2, "local")).containsExactly(PmixStatus.PMIX_ERR_NOT_FOUND);
        assertThat(lookup(0, "own")).containsExactly(PmixStatus.PMIX_SUCCESS, 0);
        assertThat(lookup(1, "own")).containsExactly(PmixStatus.PMIX_ERR_NOT_FOUND);
        assertThat(lookup(0, "manager")).containsExactly(PmixStatus.PMIX_ERR_NOT_FOUND);
        assertThat(lookup(3, new Search(RANGE_LOCAL, List.of("range 5"), 0, 0)))
                .containsExactly(PmixStatus.PMIX_ERR_NOT_FOUND);
        assertThat(lookup(1, new Search(RANGE_PROC_LOCAL, List.of("range 5"), 0, 0)))
                .containsExactly(PmixStatus.PMIX_ERR_NOT_FOUND);
        assertThat(lookup(1, new Search(RANGE_LOCAL, List.of("range 5"), 0, 0)))
                .containsExactly(PmixStatus.PMIX_SUCCESS, 0);
    }

    @Test
    void aKeyIsPublishedOnceInItsRangeAndAllOfACallOrNothing() {
        assertThat(publish(0, RANGE_SESSION, "a")).isZero();
        assertThat(publish(2, RANGE_SESSION, "b", "a")).isEqualTo(PmixStatus.PMIX_ERR_DUPLICATE_KEY);
        assertThat(publish(2, RANGE_SESSION, "b", "b")).isEqualTo(PmixStatus.PMIX_ERR_DUPLICATE_KEY);
        assertThat(lookup(2, "b")).containsExactly(PmixStatus.PMIX_ERR_NOT_FOUND);
        assertThat(publish(0, RANGE_LOCAL, "a")).isZero();
        assertThat(publish(1, RANGE_LOCAL, "a")).isEqualTo(PmixStatus.PMIX_ERR_DUPLICATE_KEY);
        assertThat(publish(2, RANGE_LOCAL, "a")).isZero();
        assertThat(lookup(3, "a")).as("the narrowest range first").containsExactly(PmixStatus.PMIX_SUCCESS, 2);
        assertThat(lookup(4, "a")).containsExactly(PmixStatus.PMIX_SUCCESS, 0);
    }

    @Test
    void rangesAndPersistencesThatNobodyKnowsAreRefused() {
        assertThat(publish(0, 6, "a")).isEqualTo(PmixStatus.PMIX_ERR_NOT_SUPPORTED);
        assertThat(data.publish(rank(0), of(RANGE_SESSION, 5, "a"))).isEqualTo(PmixStatus.PMIX_ERR_BAD_PARAM);
        assertThat(publish(0, RANGE_SESSION)).isEqualTo(PmixStatus.PMIX_ERR_BAD_PARAM);
        assertThat(lookup(0)).containsExactly(PmixStatus.PMIX_ERR_BAD_PARAM);
    }

    @Test
    void dataLastsAsLongAsItsPersistenceSays() {
        for (int persistence = PERSIST_INDEF; persistence <= PERSIST_SESSION; persistence++) {
            data.publish(rank(2), of(RANGE_SESSION, persistence, "p" + persistence));
        }
        assertThat(lookup(0, "p1")).containsExactly(PmixStatus.PMIX_SUCCESS, 2);
        assertThat(lookup(0, "p1")).containsExactly(PmixStatus.PMIX_ERR_NOT_FOUND);
        data.ended(rank(1).proc());
        assertThat(lookup(0, "p2")).containsExactly(PmixStatus.PMIX_SUCCESS, 2);
        data.ended(rank(2).proc());
        assertThat(lookup(0, "p2")).containsExactly(PmixStatus.PMIX_ERR_NOT_FOUND);
        data.appEnded(0);
        assertThat(lookup(0, "p3")).containsExactly(PmixStatus.PMIX_SUCCESS, 2);
        data.appEnded(1);
        assertThat(lookup(0, "p3")).containsExactly(PmixStatus.PMIX_ERR_NOT_FOUND);
        assertThat(lookup(0, "p0", "p4")).containsExactly(PmixStatus.PMIX_SUCCESS, 2, 2);
    }

    @Test
    void aLookupWaitsForAsManyKeysAsItWantsOrItsTime() {
        List<Integer> both = await(0, 2, "a", "b");
        List<Integer> one = await(1, 1, "a", "b");
        publish(2, RANGE_SESSION, "b");
        assertThat(both).isEmpty();
        assertThat(one).containsExactly(PmixStatus.PMIX_SUCCESS, 2);
        List<Integer> never = await(3, 1, "c");
        publish(3, RANGE_SESSION, "a");
        assertThat(both).containsExactly(PmixStatus.PMIX_SUCCESS, 3, 2);
        assertThat(timers).hasSize(1);
        timers.getFirst().run();
        assertThat(never).containsExactly(PmixStatus.PMIX_ERR_TIMEOUT);
        publish(3, RANGE_SESSION, "c");
        assertThat(never).hasSize(1);
    }

    @Test
    void nobodyWaitsAfterTheEndOfTheAttempt() {
        List<Integer> waiting = await(0, 1, "a");
        data.close();
        assertThat(timers).isEmpty();
        assertThat(data.heldBytes()).isZero();
        publish(1, RANGE_SESSION, "a");
        assertThat(waiting).isEmpty();
    }

    @Test
    void ofTwoThatWaitForWhatIsReadOnceOneGetsIt() {
        List<Integer> first = await(0, 1, "a");
        List<Integer> second = await(1, 1, "a");
        data.publish(rank(2), of(RANGE_SESSION, PERSIST_FIRST_READ, "a"));
        assertThat(first).containsExactly(PmixStatus.PMIX_SUCCESS, 2);
        assertThat(second).isEmpty();
        data.publish(rank(3), of(RANGE_SESSION, PERSIST_FIRST_READ, "a"));
        assertThat(second).containsExactly(PmixStatus.PMIX_SUCCESS, 3);
    }

    @Test
    void whatIsReadOnceIsNotTakenByARankThatHasWaitedAndEnded() {
        List<Integer> gone = await(0, 1, "a");
        List<Integer> other = await(1, 1, "a");
        data.ended(rank(0).proc());
        assertThat(gone).containsExactly(PmixStatus.PMIX_ERR_LOST_CONNECTION);
        assertThat(timers).hasSize(1);
        data.publish(rank(2), of(RANGE_SESSION, PERSIST_FIRST_READ, "a"));
        assertThat(other).containsExactly(PmixStatus.PMIX_SUCCESS, 2);
        assertThat(data.heldBytes()).isZero();
    }

    @Test
    void whatIsFoundInPartIsSaidToBeSo() {
        publish(0, RANGE_SESSION, "a");
        assertThat(lookup(1, "a", "b")).containsExactly(PmixStatus.PMIX_ERR_PARTIAL_SUCCESS);
    }

    @Test
    void aRangeThatIsNotSetIsTheSessionWhereDataArePublishedAndUnpublished() {
        publish(0, RANGE_UNDEF, "a");
        assertThat(data.unpublish(rank(0), RANGE_UNDEF, List.of("a"))).isZero();
        assertThat(lookup(1, "a")).containsExactly(PmixStatus.PMIX_ERR_NOT_FOUND);
    }

    @Test
    void onlyThePublisherUnpublishes() {
        publish(0, RANGE_SESSION, "a", "b");
        publish(0, RANGE_LOCAL, "a");
        assertThat(data.unpublish(rank(1), RANGE_SESSION, List.of("a"))).isEqualTo(PmixStatus.PMIX_ERR_NOT_FOUND);
        assertThat(data.unpublish(rank(0), RANGE_GLOBAL, List.of("a"))).isEqualTo(PmixStatus.PMIX_ERR_NOT_FOUND);
        assertThat(data.unpublish(rank(0), RANGE_SESSION, List.of("a"))).isZero();
        assertThat(lookup(2, "a")).containsExactly(PmixStatus.PMIX_ERR_NOT_FOUND);
        assertThat(lookup(1, "a")).containsExactly(PmixStatus.PMIX_SUCCESS, 0);
        assertThat(data.unpublish(rank(0), RANGE_SESSION, List.of())).isZero();
        assertThat(data.heldBytes()).isZero();
    }

    @Test
    void whatDoesNotFitIsOutOfResource() {
        Publication large = new Publication(RANGE_SESSION, PERSIST_SESSION, List.of(new Datum("a", new byte[LIMIT])));
        assertThat(data.publish(rank(0), large)).isEqualTo(PmixStatus.PMIX_ERR_OUT_OF_RESOURCE);
        int waiting = 0;
        while (await(0, 1, "never").isEmpty()) {
            waiting++;
        }
        assertThat(waiting).isBetween(5, LIMIT / 2 / 200);
        assertThat(publish(1, RANGE_SESSION, "while others wait")).isZero();
        assertThat(data.unpublish(rank(1), RANGE_SESSION, List.of())).isZero();
        Publication small =
                new Publication(RANGE_SESSION, PERSIST_SESSION, List.of(new Datum("a", new byte[LIMIT / 2])));
        assertThat(data.publish(rank(0), small)).isEqualTo(PmixStatus.PMIX_ERR_OUT_OF_RESOURCE);
        List.copyOf(timers).forEach(Runnable::run);
        assertThat(data.heldBytes()).isZero();
        assertThat(data.publish(rank(0), small)).isZero();
    }

    @Test
    void aKeyThatIsNamedTwiceIsLookedUpOnce() {
        publish(2, RANGE_SESSION, "a");
        assertThat(lookup(0, "a", "a", "a")).containsExactly(PmixStatus.PMIX_SUCCESS, 2);
        assertThat(await(0, 2, "a", "a")).containsExactly(PmixStatus.PMIX_SUCCESS, 2);
    }

    /** The kind of question that a body is taken for. */
    private static String handled(byte[] body) {
        List<String> handled = new ArrayList<>();
        PublishedDataCodec.handle(body, TWO_RANKS_FROM_FOUR_ON, new PublishedDataCodec.Handler() {
            @Override
            public void publish(int rank, Publication publication) {
                handled.add("publish");
            }

            @Override
            public void lookup(int rank, Search search) {
                handled.add("lookup");
            }

            @Override
            public void unpublish(int rank, int range, List<String> keys) {
                handled.add("unpublish");
            }

            @Override
            public void ended(int rank) {
                handled.add("ended");
            }

            @Override
            public void podDone() {
                handled.add("podDone");
            }

            @Override
            public void unreadable() {
                handled.add("unreadable");
            }
        });
        assertThat(handled).hasSize(1);
        return handled.getFirst();
    }

    @Property(tries = 300)
    void aQuestionHoweverDamagedIsUnreadableAndNothingElse(@ForAll byte[] garbage) {
        handled(garbage);
    }

    @Test
    void aPodSpeaksForItsOwnRanksAlone() {
        assertThat(handled(PublishedDataCodec.unpublish(5, RANGE_SESSION, List.of("a"))))
                .isEqualTo("unpublish");
        for (int rank : new int[] {3, 6, -1}) {
            assertThat(handled(PublishedDataCodec.publish(rank, of(RANGE_SESSION, PERSIST_SESSION, "a"))))
                    .isEqualTo("unreadable");
            assertThat(handled(PublishedDataCodec.unpublish(rank, RANGE_SESSION, List.of("a"))))
                    .isEqualTo("unreadable");
            assertThat(handled(PublishedDataCodec.ended(rank))).isEqualTo("unreadable");
        }
    }

    @Test
    void keysThatAreTooLongOrTooManyAreUnreadable() {
        assertThat(handled(PublishedDataCodec.unpublish(4, RANGE_SESSION, List.of("k".repeat(511)))))
                .isEqualTo("unpublish");
        assertThat(handled(PublishedDataCodec.unpublish(4, RANGE_SESSION, List.of("k".repeat(512)))))
                .isEqualTo("unreadable");
        assertThat(handled(PublishedDataCodec.unpublish(4, RANGE_SESSION, List.of(""))))
                .isEqualTo("unreadable");
        List<String> many =
                IntStream.range(0, 20_000).mapToObj(Integer::toString).toList();
        assertThat(handled(PublishedDataCodec.lookup(4, new Search(RANGE_SESSION, many, 0, 0))))
                .isEqualTo("unreadable");
    }

    @Property(tries = 300)
    void anAnswerHoweverDamagedIsNoneOrWhatItHolds(@ForAll byte[] garbage) {
        List<Found> found = PublishedDataCodec.found("ns", garbage);
        assertThat(found == null || PublishedDataCodec.found(found).length <= garbage.length)
                .isTrue();
    }

    @Property(tries = 300)
    void partsOfAGroupHoweverDamagedAreNoneOrWhatTheyHold(@ForAll byte[] garbage) {
        JobExchange.GroupParts parts = JobExchange.GroupParts.of(garbage);
        assertThat(parts == null || parts.data().length <= garbage.length - 12).isTrue();
    }
}
