/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.operator.server.jobs.service.CopyQueue.Outcome;
import dev.fabricoperator.operator.server.jobs.service.JobEndpoint.TrafficCopy;
import dev.fabricoperator.protocol.job.TrafficReportCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class CopyQueueTest {
    private record Sent(String other, TrafficCopy copy, Consumer<Outcome> ended) {}

    private final List<String> others = new ArrayList<>(List.of("10.0.0.1:7443", "10.0.0.2:7443"));
    private final List<Sent> sent = new ArrayList<>();
    private final List<Runnable> later = new ArrayList<>();
    private final CopyQueue queue = new CopyQueue(
            () -> List.copyOf(others),
            (other, copy, ended) -> sent.add(new Sent(other, copy, ended)),
            (millis, what) -> later.add(what));

    private void send(String namespace, String job, int attempt, int bytes) {
        queue.send(new TrafficCopy(namespace, job, attempt, "token", new byte[bytes]));
    }

    /** Of those that were sent and have not ended. */
    private void end(Outcome outcome) {
        List<Sent> now = List.copyOf(sent);
        sent.clear();
        now.forEach(each -> each.ended().accept(outcome));
    }

    @Test
    void oneCopyOfAJobIsUnderWayToAReplicaAndBehindItTheNewest() {
        for (int attempt = 0; attempt < 1_000; attempt++) {
            send("space", "ring", attempt, TrafficReportCodec.LONGEST_BYTES);
        }

        assertThat(sent).extracting(Sent::other).containsExactlyElementsOf(others);
        assertThat(queue.bytes()).isLessThanOrEqualTo(CopyQueue.MOST_BYTES_OF_NAMESPACE);
        end(Outcome.OVER);
        assertThat(sent).hasSizeBetween(1, 2).allMatch(each -> each.copy().attempt() == 999);
        end(Outcome.OVER);
        assertThat(sent).isEmpty();
        assertThat(queue.bytes()).isZero();
    }

    @Test
    void whateverIsToldTheBytesAreBoundedAndANamespaceLeavesRoomForAnother() {
        for (int job = 0; job < 10_000; job++) {
            send("greedy", "job-" + job, 0, job % 2 == 0 ? 10 : 500_000);
        }
        assertThat(queue.bytes())
                .isGreaterThan(CopyQueue.MOST_BYTES_OF_NAMESPACE / 2)
                .isLessThanOrEqualTo(CopyQueue.MOST_BYTES_OF_NAMESPACE);

        int before = sent.size();
        send("modest", "ring", 0, TrafficReportCodec.LONGEST_BYTES);
        assertThat(sent).hasSize(before + 2);
        for (int job = 0; job < 10_000; job++) {
            send("greedy-" + job, "ring", 0, 500_000);
        }
        assertThat(queue.bytes()).isLessThanOrEqualTo(CopyQueue.MOST_BYTES);
        end(Outcome.OVER);
        assertThat(queue.bytes()).isZero();
    }

    @Test
    void aCopyThatIsNotTakenIsSentAgainAFewTimes() {
        others.removeLast();
        send("space", "ring", 0, 100);
        for (int tries = 1; tries < CopyQueue.TRIES; tries++) {
            assertThat(sent).hasSize(1);
            end(Outcome.NOT_NOW);
            assertThat(sent).as("it pauses").isEmpty();
            later.removeFirst().run();
        }
        end(Outcome.NOT_NOW);

        assertThat(later).isEmpty();
        assertThat(queue.bytes()).isZero();
    }

    @Test
    void whatWaitsToBeSentAgainGivesWayToTheNewestAndIsNotSentToAReplicaThatIsGone() {
        send("space", "ring", 0, 100);
        end(Outcome.NOT_NOW);
        others.removeLast();
        send("space", "ring", 1, 100);
        later.forEach(Runnable::run);

        assertThat(sent).extracting(Sent::other).containsExactly("10.0.0.1:7443");
        assertThat(sent.getFirst().copy().attempt()).isEqualTo(1);
        end(Outcome.OVER);
        assertThat(queue.bytes()).isZero();
    }
}
