/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventLoopTest {
    private final EventLoop loop = new EventLoop();

    /** Milliseconds of both clocks, of all and of those awake, until a timer of 50 ms has run, and those after that. */
    private record Passed(long[] all, long[] awake) {}

    private Passed pass(long heldUpMillis) {
        long[] all = new long[2];
        long[] awake = new long[2];
        loop.execute(() -> {
            long began = loop.nowMillis();
            long beganAwake = loop.awakeMillis();
            loop.after(50, () -> {
                all[0] = loop.nowMillis() - began;
                awake[0] = loop.awakeMillis() - beganAwake;
                loop.after(50, () -> {
                    all[1] = loop.nowMillis() - began;
                    awake[1] = loop.awakeMillis() - beganAwake;
                    loop.stop();
                });
            });
            sleep(heldUpMillis);
        });
        loop.run();
        return new Passed(all, awake);
    }

    private static void sleep(long milliseconds) {
        try {
            TimeUnit.MILLISECONDS.sleep(milliseconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void timeInWhichTheLoopGotNoProcessorDoesNotCountAsAwake() {
        Passed passed = pass(2_000);

        assertThat(passed.all[0]).isGreaterThanOrEqualTo(2_000);
        assertThat(passed.all[0] - passed.awake[0]).isBetween(1_900L, passed.all[0]);
        assertThat(passed.awake[1]).isGreaterThanOrEqualTo(passed.awake[0] + 50);
    }

    @Test
    void timeInWhichTheLoopWaitedCountsAsAwake() {
        Passed passed = pass(0);

        assertThat(passed.awake[0]).isGreaterThanOrEqualTo(50);
        assertThat(passed.awake[1]).isGreaterThanOrEqualTo(100);
    }

    @Test
    void timersThatAreCancelledLongBeforeTheirTimeAreNotKeptUntilThen() {
        List<Integer> ran = new ArrayList<>();
        loop.after(1, () -> ran.add(1));
        for (int i = 0; i < 10_000; i++) {
            loop.after(3_600_000, () -> ran.add(0)).cancel();
        }
        loop.after(2, () -> {
            ran.add(2);
            loop.stop();
        });
        assertThat(loop.timers()).isLessThan(200);
        loop.run();
        assertThat(ran).containsExactly(1, 2);
    }

    private @Nullable Thread thread;
    private final AtomicReference<@Nullable Throwable> endedBy = new AtomicReference<>();

    private Thread start() {
        Thread started = new Thread(() -> {
            try {
                loop.run();
            } catch (RuntimeException e) {
                endedBy.set(e);
            }
        });
        started.setDaemon(true);
        started.start();
        thread = started;
        return started;
    }

    @AfterEach
    void stop() throws InterruptedException {
        if (thread != null) {
            loop.stop();
            thread.join();
        }
    }

    /** Until the loop waits, so that the task has run on this thread. */
    private void runHere(Runnable task) {
        await().until(() -> {
            CompletableFuture<Boolean> here = new CompletableFuture<>();
            Thread caller = Thread.currentThread();
            loop.executeHere(() -> {
                boolean mine = Thread.currentThread() == caller;
                here.complete(mine);
                if (mine) {
                    task.run();
                }
            });
            return here.get();
        });
    }

    @Test
    void taskThatIsHandedInWhileTheLoopRunsAnotherFollowsOnItsThread() throws Exception {
        Thread own = start();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch handedIn = new CountDownLatch(1);
        List<String> ran = new ArrayList<>();
        CompletableFuture<Thread> last = new CompletableFuture<>();
        loop.execute(() -> {
            running.countDown();
            waitFor(handedIn);
            ran.add("first");
        });
        running.await();
        loop.execute(() -> ran.add("second"));
        loop.executeHere(() -> {
            ran.add("third");
            last.complete(Thread.currentThread());
        });
        handedIn.countDown();

        assertThat(last.get()).isEqualTo(own);
        assertThat(ran).containsExactly("first", "second", "third");
    }

    @Test
    void taskThatATaskHandsInFollowsItOnTheLoopsThread() throws Exception {
        Thread own = start();
        List<String> ran = new ArrayList<>();
        CompletableFuture<Thread> inner = new CompletableFuture<>();
        CompletableFuture<Thread> closing = new CompletableFuture<>();
        runHere(() -> {
            loop.executeHere(() -> {
                ran.add("inner");
                inner.complete(Thread.currentThread());
            });
            loop.onOwnThread(() -> closing.complete(Thread.currentThread()));
            ran.add("outer");
        });

        assertThat(inner.get()).isEqualTo(own);
        assertThat(closing.get()).isEqualTo(own);
        assertThat(ran).containsExactly("outer", "inner");
    }

    @Test
    void whileATaskRunsOnAnotherThreadTheLoopRunsNothing() throws Exception {
        start();
        List<String> ran = new ArrayList<>();
        CompletableFuture<Void> queued = new CompletableFuture<>();
        runHere(() -> {
            loop.execute(() -> {
                ran.add("queued");
                queued.complete(null);
            });
            sleep(50);
            ran.add("here");
        });
        queued.get();

        assertThat(ran).containsExactly("here", "queued");
    }

    @Test
    void timerOfATaskOnAnotherThreadWakesTheLoopThatWaitsForNothing() throws Exception {
        Thread own = start();
        CompletableFuture<Thread> due = new CompletableFuture<>();
        runHere(() -> loop.after(1, () -> due.complete(Thread.currentThread())));

        assertThat(due.get(1, TimeUnit.MINUTES)).isEqualTo(own);
    }

    @Test
    void taskThatThrowsOnAnotherThreadEndsTheLoop() throws Exception {
        Thread own = start();
        IllegalStateException fault = new IllegalStateException("a fault");
        runHere(() -> {
            throw fault;
        });
        own.join();

        assertThat(endedBy).hasValue(fault);
    }

    @Test
    void callerOfALoopThatHasEndedIsNotHeldUp() throws Exception {
        Thread own = start();
        loop.stop();
        own.join();
        List<String> ran = new ArrayList<>();
        loop.executeHere(() -> ran.add("late"));

        assertThat(ran).isEmpty();
    }

    /** Timers, channels and tasks of the loop's own between them. */
    @Test
    void tasksOfManyThreadsRunOneAtATimeAndInTheOrderOfEach() throws Exception {
        int callers = 4;
        int each = 20_000;
        start();
        List<List<Integer>> ran =
                Stream.<List<Integer>>generate(ArrayList::new).limit(callers).toList();
        AtomicReference<@Nullable Thread> running = new AtomicReference<>();
        AtomicInteger overlaps = new AtomicInteger();
        AtomicInteger here = new AtomicInteger();
        AtomicInteger timers = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(callers * each);
        for (List<Integer> mine : ran) {
            Thread thread = new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    int number = i;
                    Thread current = Thread.currentThread();
                    Runnable task = () -> {
                        if (running.getAndSet(Thread.currentThread()) != null) {
                            overlaps.incrementAndGet();
                        }
                        mine.add(number);
                        if (Thread.currentThread() == current) {
                            here.incrementAndGet();
                        }
                        if (number % 64 == 0) {
                            timers.incrementAndGet();
                            loop.after(1, timers::decrementAndGet);
                        }
                        running.set(null);
                        all.countDown();
                    };
                    if (number % 16 == 0) {
                        loop.execute(task);
                    } else {
                        loop.executeHere(task);
                    }
                    if (number % 8 == 0) {
                        // So that the loop comes to wait.
                        LockSupport.parkNanos(1_000);
                    }
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        assertThat(all.await(1, TimeUnit.MINUTES)).isTrue();
        await().untilAtomic(timers, equalTo(0));

        assertThat(overlaps).hasValue(0);
        assertThat(here).as("ran on their callers' threads").hasPositiveValue();
        for (List<Integer> mine : ran) {
            assertThat(mine).hasSize(each).isSorted();
        }
    }

    @Test
    void taskIsKeptUntilTheLoopBegins() {
        List<Integer> ran = new ArrayList<>();
        loop.executeHere(() -> ran.add(1));
        assertThat(ran).isEmpty();
        loop.execute(loop::stop);
        loop.run();

        assertThat(ran).containsExactly(1);
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
