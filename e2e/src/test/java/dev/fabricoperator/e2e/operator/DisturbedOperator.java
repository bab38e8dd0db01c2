/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.FaultyApiServer;
import dev.fabricoperator.e2e.cluster.FaultyApiServer.Fault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A replica of the operator behind a {@link FaultyApiServer}, and the next one when it has ended. */
public final class DisturbedOperator implements AutoCloseable {
    private final ControlPlane cluster;
    private final FaultyApiServer api;
    private final Function<FaultyApiServer, OperatorProcess> starter;
    private final AtomicInteger writes = new AtomicInteger();
    private @Nullable OperatorProcess process;

    /**
     * Not started.
     *
     * @param starter of a replica that may not be ready for long
     */
    public DisturbedOperator(ControlPlane cluster, Path directory, Function<FaultyApiServer, OperatorProcess> starter) {
        this.cluster = cluster;
        this.api = FaultyApiServer.start(cluster, directory);
        this.starter = starter;
        leaveInPeace();
    }

    /** Does nothing where one runs. */
    public synchronized void start() {
        if (process == null) {
            process = starter.apply(api);
        }
    }

    /** As a rollout ends it. */
    public synchronized void terminate() {
        process().terminate();
        process = null;
    }

    public synchronized void kill() {
        if (process != null) {
            process.kill();
            process = null;
        }
        // It would have to expire.
        cluster.admin().leases().inNamespace(OperatorProcess.NAMESPACE).delete();
    }

    /** Nothing goes wrong from now on. */
    public void leaveInPeace() {
        play(request -> Fault.NONE);
    }

    private synchronized void follow() {
        kill();
        leaveInPeace();
        start();
    }

    /** The one that runs. One that has ended by itself is a failure. */
    public synchronized OperatorProcess process() {
        OperatorProcess present = Objects.requireNonNull(process);
        assertThat(present.isAlive()).as(present.log()).isTrue();
        return present;
    }

    /** Writes so far, without those of leases. */
    public int writes() {
        return writes.get();
    }

    private void play(Function<FaultyApiServer.Request, Fault> faults) {
        api.play(request -> {
            if (request.isWriteOfObject()) {
                writes.incrementAndGet();
            }
            return faults.apply(request);
        });
    }

    @Override
    public void close() {
        kill();
        api.close();
    }

    /** What goes wrong while something happens. */
    public interface Disturbance {
        Disturbance NONE = new Disturbance() {
            @Override
            public void begin(DisturbedOperator operator) {}

            @Override
            public String toString() {
                return "undisturbed";
            }
        };

        /** Begins it, before anything happens. */
        void begin(DisturbedOperator operator);

        /** When something has happened that the operator should see. */
        default void meanwhile(DisturbedOperator operator) {}

        /** Whether so much was done that it took place. */
        default boolean tookPlace() {
            return true;
        }
    }

    /** Ends the process when the API server has done its nth write of a path that ends so, of which nobody tells it, and starts another. */
    public record EndAfterWrite(String path, int n, AtomicBoolean ended) implements Disturbance {
        public EndAfterWrite(String path, int n) {
            this(path, n, new AtomicBoolean());
        }

        /** Of any. */
        public EndAfterWrite(int n) {
            this("", n);
        }

        @Override
        public void begin(DisturbedOperator operator) {
            AtomicInteger count = new AtomicInteger();
            operator.play(request -> {
                if (!request.isWriteOfObject()) {
                    return Fault.NONE;
                }
                if (count.get() >= n) {
                    return new Fault.Unheard();
                }
                return !request.path().endsWith(path) || count.incrementAndGet() < n
                        ? Fault.NONE
                        : new Fault.Unanswered(() -> {
                            operator.follow();
                            ended.set(true);
                        });
            });
        }

        @Override
        public boolean tookPlace() {
            return ended.get();
        }

        @Override
        public String toString() {
            return "ended after write " + n + (path.isEmpty() ? "" : " of ..." + path);
        }
    }

    /** The API server does not allow the first write of a path that ends so, as a policy may that is about to change. */
    public record RefusedOnce(String path, AtomicBoolean refused) implements Disturbance {
        private static final int FORBIDDEN = 403;

        public RefusedOnce(String path) {
            this(path, new AtomicBoolean());
        }

        @Override
        public void begin(DisturbedOperator operator) {
            operator.play(request ->
                    request.isWriteOfObject() && request.path().endsWith(path) && refused.compareAndSet(false, true)
                            ? new Fault.Refused(FORBIDDEN)
                            : Fault.NONE);
        }

        @Override
        public boolean tookPlace() {
            return refused.get();
        }

        @Override
        public String toString() {
            return "first write of ..." + path + " refused";
        }
    }

    /** Watches say nothing for a while, then everything, or that they have lost what happened. */
    public record FrozenWatches(Duration time, boolean expire) implements Disturbance {
        @Override
        public void begin(DisturbedOperator operator) {
            operator.api.freezeWatches();
        }

        @Override
        public void meanwhile(DisturbedOperator operator) {
            Awaitility.await().pollDelay(time).atMost(LIMIT).until(() -> true);
            if (expire) {
                operator.api.expireWatches();
            } else {
                operator.api.thawWatches();
            }
        }
    }

    /** Every third request, until it were enough, has an answer that is none; renewals of the lease have theirs. */
    public record FaultyAnswers(long seed) implements Disturbance {
        private static final int MOST = 40;
        private static final Fault CONFLICT = new Fault.Refused(409);
        private static final List<Fault> ANSWERS = List.of(
                CONFLICT, new Fault.Refused(429), new Fault.Refused(500), new Fault.Closed(), new Fault.ClosedAfter());

        @Override
        public void begin(DisturbedOperator operator) {
            Random random = new Random(seed);
            AtomicInteger left = new AtomicInteger(MOST);
            operator.play(request -> {
                if (request.isOfLease() || random.nextInt(3) > 0 || left.getAndDecrement() <= 0) {
                    return Fault.NONE;
                }
                Fault fault = ANSWERS.get(random.nextInt(ANSWERS.size()));
                return fault.equals(CONFLICT) && !request.isWrite() ? Fault.NONE : fault;
            });
        }
    }
}
