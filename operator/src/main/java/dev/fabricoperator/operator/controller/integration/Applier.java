/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import dev.fabricoperator.operator.cluster.Fact;
import dev.fabricoperator.operator.cluster.Failures;
import dev.fabricoperator.operator.controller.integration.IntegrationWriter.Outcome;
import dev.fabricoperator.operator.model.Messages;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Writes named objects step after step, and remembers what became of each. What the API server accepted is not written again before the
 * watch shows it; what failed for a reason that passes is written again in the next step, after all others ({@link WriteFailures}); what was
 * refused is left alone for long, unless another write is wanted; what somebody else changes back again and again is left ever longer
 * ({@link Contests}). Which objects there should be, and how they differ, is the caller's. Thread-safe.
 *
 * <p>Cost: memory for each object that is not as it should be, or was written since {@link Contests} forgets.
 */
final class Applier {
    private static final Logger LOG = Logger.getLogger(Applier.class);
    private static final int UNPROCESSABLE = 422;

    private final String kind;
    private final String what;
    private final Duration refusedInterval;
    private final Consumer<Outcome> counter;
    private final WriteFailures failures = new WriteFailures();
    private final Contests contests;
    private final Map<String, Refusal> refusals = new ConcurrentHashMap<>();
    /** Versions that the watch need not have shown yet. */
    private final Map<String, Long> accepted = new ConcurrentHashMap<>();

    /**
     * One write.
     *
     * @param difference what it changes, and of which object: the same that was refused is left alone
     * @param wanted all that the object should be: who changes that back contests it
     * @param mayBeFixed whether the API server may say by 422 that what is there cannot become what it should be
     * @param request answers what the API server has then, {@code null} where it has nothing
     */
    record Write(
            String name,
            Object difference,
            @Nullable Object wanted,
            boolean mayBeFixed,
            Supplier<? extends @Nullable HasMetadata> request) {}

    /**
     * Of a write.
     *
     * @param problem what the API server said
     * @param fixed whether what is there cannot become what it should be
     */
    record Refusal(Object difference, long nanos, @Nullable String problem, boolean fixed) {}

    /**
     * @param kind of the objects, as the log says it
     * @param what is refused in the log: one of them, whose plural has an s
     * @param refusedInterval after which what was refused is tried again; also the longest time that what is contested is left alone
     * @param counter hears what became of each write
     */
    Applier(String kind, String what, Duration refusedInterval, Consumer<Outcome> counter) {
        this.kind = kind;
        this.what = what;
        this.refusedInterval = refusedInterval;
        this.counter = counter;
        this.contests = new Contests(refusedInterval);
    }

    /** A step begins. @param names all objects that there should be */
    void begin(Set<String> names) {
        refusals.keySet().retainAll(names);
        accepted.keySet().retainAll(names);
        contests.begin(names);
        failures.begin(names);
    }

    /** Whether what is seen of an object, {@code null} for nothing, is no older than what was written last. */
    boolean isShown(String name, @Nullable Fact seen) {
        Long version = accepted.get(name);
        boolean isShown = version == null || seen != null && seen.version() >= version;
        if (isShown) {
            accepted.remove(name);
        }
        return isShown;
    }

    /** An object is what it should be, or no longer what refused to be changed. */
    void forgetRefusal(String name) {
        refusals.remove(name);
    }

    /** {@code null} where the last write was not refused. */
    @Nullable
    Refusal refusal(String name) {
        return refusals.get(name);
    }

    /** How many writes are refused. */
    int refusals() {
        return refusals.size();
    }

    /** Whether the same was refused not long ago. */
    boolean isRefused(String name, Object difference) {
        Refusal before = refusals.get(name);
        return before != null
                && before.difference().equals(difference)
                && System.nanoTime() - before.nanos() < refusedInterval.toNanos();
    }

    /** How long an object is to be left to whoever changes it; zero or less where nobody does. */
    Duration contested(String name, @Nullable Object wanted) {
        return contests.left(name, wanted);
    }

    /** What a person is told of an object whose writes fail step after step for a reason that passes. */
    @Nullable
    String failure(String name) {
        return failures.message(name);
    }

    /**
     * Makes the writes of a step in their order, but what failed last time last. It ends early after some failures.
     *
     * @param concurrency how many at one time; one is made in this thread
     * @return names of those of which nobody knows now what they are: they are to be written again
     */
    Set<String> apply(List<Write> writes, int concurrency) throws InterruptedException {
        List<Write> inOrder = new ArrayList<>(writes);
        inOrder.sort(Comparator.comparing(write -> failures.hasFailed(write.name())));
        Queue<Write> left = new ConcurrentLinkedQueue<>(inOrder);
        Set<String> unknown = ConcurrentHashMap.newKeySet();
        Queue<String> refused = new ConcurrentLinkedQueue<>();
        Runnable writer = () -> {
            for (Write next = left.poll(); next != null; next = left.poll()) {
                if (failures.isEnough() || !apply(next, refused)) {
                    unknown.add(next.name());
                }
            }
        };
        if (concurrency == 1) {
            // An interrupt of this thread is to end the request that is on its way.
            writer.run();
        } else {
            int threads = Math.min(concurrency, inOrder.size());
            try (ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
                for (Future<?> done : writers.invokeAll(Collections.nCopies(threads, Executors.callable(writer)))) {
                    done.get();
                }
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            }
        }
        if (!refused.isEmpty()) {
            LOG.errorf(
                    "%s: %s refused, the first is %s",
                    kind, Messages.count(refused.size(), what + " is", what + "s are"), refused.peek());
        }
        return unknown;
    }

    /** @return whether it is known what the object is now */
    private boolean apply(Write write, Queue<String> refused) {
        String name = write.name();
        accepted.remove(name);
        try {
            HasMetadata answer = write.request().get();
            refusals.remove(name);
            failures.passed(name);
            contests.corrected(name, write.wanted());
            if (answer != null) {
                accepted.put(name, Fact.number(answer.getMetadata().getResourceVersion()));
            }
            counter.accept(answer == null ? Outcome.deleted : Outcome.ok);
        } catch (KubernetesClientException e) {
            if (Failures.pass(e)) {
                counter.accept(Outcome.again);
                failures.failed(name, e);
                return false;
            }
            failures.passed(name);
            if (Failures.isAbsent(e)) {
                refusals.remove(name);
                counter.accept(Outcome.gone);
                return true;
            }
            boolean isFixed = write.mayBeFixed() && e.getCode() == UNPROCESSABLE;
            counter.accept(isFixed ? Outcome.fixed : Outcome.refused);
            if (!isFixed) {
                refused.add(name + ": " + e.getMessage());
            }
            refusals.put(name, new Refusal(write.difference(), System.nanoTime(), e.getMessage(), isFixed));
        }
        return true;
    }

    /** A step ends. It fails, so that it is made again soon, if any write of it has failed for a reason that passes. */
    void end() {
        failures.end();
    }

    void clear() {
        refusals.clear();
        accepted.clear();
        contests.clear();
    }
}
