/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.operator.server.http.FairTurns.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FairTurnsTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    /** Who got a turn, one after the other. */
    private final BlockingQueue<String> got = new LinkedBlockingQueue<>();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private Future<Outcome> wish(FairTurns turns, String user, String name) throws InterruptedException {
        int before = turns.waiting();
        Future<Outcome> wish = threads.submit(() -> {
            Outcome outcome = turns.acquire(user, LONG);
            got.add(name);
            return outcome;
        });
        while (turns.waiting() == before) {
            Thread.sleep(1);
        }
        return wish;
    }

    @Test
    void usersTakeTurnsAndOfEachWhoCameFirstGoesFirst() throws Exception {
        FairTurns turns = new FairTurns(new FairTurns.Limits(1, 1, 100, 100));
        assertThat(turns.acquire("a", LONG)).isEqualTo(Outcome.taken);
        for (String name : List.of("a1", "a2", "a3", "a4", "b1", "c1", "b2")) {
            wish(turns, name.substring(0, 1), name);
        }

        List<String> order = new ArrayList<>();
        for (String last = "a"; order.size() < 7; last = order.getLast().substring(0, 1)) {
            turns.release(last);
            order.add(got.take());
        }

        assertThat(order).containsExactly("a1", "b1", "c1", "a2", "b2", "a3", "a4");
    }

    @Test
    void aUserThatHasAllThatItMayHoldsUpNobodyElse() throws Exception {
        FairTurns turns = new FairTurns(new FairTurns.Limits(3, 2, 100, 100));
        turns.acquire("a", LONG);
        turns.acquire("a", LONG);
        wish(turns, "a", "a3");

        assertThat(turns.acquire("b", Duration.ZERO)).isEqualTo(Outcome.taken);
        wish(turns, "c", "c1");
        turns.release("b");
        assertThat(got.take()).isEqualTo("c1");
        turns.release("c");
        assertThat(got).as("a turn is free, and a may not have it").isEmpty();
        turns.release("a");
        assertThat(got.take()).isEqualTo("a3");
    }

    @Test
    void beyondWhatMayWaitNobodyWaits() throws Exception {
        FairTurns turns = new FairTurns(new FairTurns.Limits(1, 1, 3, 2));
        turns.acquire("a", LONG);
        wish(turns, "a", "a1");
        wish(turns, "a", "a2");

        assertThat(turns.acquire("a", LONG)).as("of one").isEqualTo(Outcome.crowded);
        wish(turns, "b", "b1");
        assertThat(turns.acquire("c", LONG)).as("of all").isEqualTo(Outcome.crowded);
        assertThat(turns.users()).isEqualTo(2);
    }

    @Test
    void whoGivesUpIsForgotten() throws Exception {
        FairTurns turns = new FairTurns(new FairTurns.Limits(1, 1, 3, 2));
        turns.acquire("a", LONG);
        assertThat(turns.acquire("b", Duration.ofMillis(1))).isEqualTo(Outcome.late);
        Future<Outcome> interrupted = wish(turns, "c", "c1");
        interrupted.cancel(true);
        while (turns.waiting() > 0) {
            Thread.sleep(1);
        }
        turns.release("a");

        assertThat(turns.users()).isZero();
        assertThatThrownBy(interrupted::get).isNotInstanceOf(ExecutionException.class);
    }

    /** Turns come, are late and are given up at the same moments. */
    @Test
    void noTurnIsLostOrGivenTwice() throws Exception {
        FairTurns turns = new FairTurns(new FairTurns.Limits(4, 3, 50, 20));
        Map<String, Integer> inWork = new HashMap<>();
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            String user = "user " + i % 7;
            Random random = new Random(i);
            all.add(threads.submit(() -> {
                if (turns.acquire(user, Duration.ofNanos(random.nextInt(3_000_000))) != Outcome.taken) {
                    return null;
                }
                synchronized (inWork) {
                    assertThat(inWork.merge(user, 1, Integer::sum)).isLessThanOrEqualTo(3);
                    assertThat(inWork.values().stream().mapToInt(n -> n).sum()).isLessThanOrEqualTo(4);
                }
                Thread.sleep(0, random.nextInt(500_000));
                synchronized (inWork) {
                    inWork.merge(user, -1, Integer::sum);
                }
                turns.release(user);
                return null;
            }));
        }
        for (Future<?> each : all) {
            each.get();
        }

        assertThat(turns.waiting()).isZero();
        assertThat(turns.users()).isZero();
        for (int i = 0; i < 3; i++) {
            assertThat(turns.acquire("a", Duration.ZERO)).isEqualTo(Outcome.taken);
        }
        assertThat(turns.acquire("a", Duration.ZERO)).isEqualTo(Outcome.late);
        assertThat(turns.acquire("b", Duration.ZERO)).isEqualTo(Outcome.taken);
    }
}
