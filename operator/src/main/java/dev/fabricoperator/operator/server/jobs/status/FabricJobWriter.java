/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.status;

import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.operator.cluster.EventWriter;
import dev.fabricoperator.operator.launch.JobFacts;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.model.condition.Reason;
import dev.fabricoperator.operator.server.jobs.assembly.Progress;
import dev.fabricoperator.operator.server.jobs.assembly.StoredAttempt;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the FabricJob of one job. The end of an attempt is written at once; what pods do on their way to it is written at most
 * once a second, and an attempt that is whole sooner than that was never seen assembling.
 */
public final class FabricJobWriter {
    private static final Logger LOG = Logger.getLogger(FabricJobWriter.class);
    private static final Duration AT_ONCE = Duration.ZERO;
    /** The pods need the processors more urgently while their ranks start. */
    private static final Duration SOON = Duration.ofMillis(200);

    private static final Duration LATER = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);
    private final FabricJobObject object;
    private final EventWriter events;
    private final Conditions conditions;
    private final ScheduledExecutorService timer;
    private final JobFacts facts;
    private final Supplier<Progress> progress;
    private final Supplier<Placement> placement;
    private final ReentrantLock writing = new ReentrantLock();
    private @Nullable FabricJobStatus written;
    private Duration pause = Duration.ofMillis(250);
    private long due = Long.MAX_VALUE;

    /**
     * @param found what the object says already
     * @param placement of the attempt that is whole, asked for off the way of the pods' answers
     */
    public FabricJobWriter(
            FabricJobObject object,
            EventWriter events,
            Conditions conditions,
            ScheduledExecutorService timer,
            JobFacts facts,
            @Nullable FabricJobStatus found,
            Supplier<Progress> progress,
            Supplier<Placement> placement) {
        this.object = object;
        this.events = events;
        this.conditions = conditions;
        this.timer = timer;
        this.facts = facts;
        this.written = found;
        this.progress = progress;
        this.placement = placement;
    }

    /** What follows from {@link FabricJobObject#status} for the assembly. */
    public static @Nullable StoredAttempt stored(@Nullable FabricJobStatus found) {
        return found == null || found.phase() == null
                ? null
                : new StoredAttempt(
                        Objects.requireNonNullElse(found.attempt(), 0), found.phase(), instant(found.waitingSince()));
    }

    /** Something is other than before. Returns at once. */
    public void changed() {
        JobPhase phase = progress.get().phase();
        Duration delay = switch (phase) {
            case Succeeded, Failed, TimedOut -> AT_ONCE;
            case Running -> SOON;
            case Assembling -> facts.refusal() == null ? LATER : AT_ONCE;
        };
        schedule(delay);
    }

    private void schedule(Duration delay) {
        long at = System.nanoTime() + delay.toNanos();
        synchronized (this) {
            if (due != Long.MAX_VALUE && due <= at) {
                return;
            }
            due = at;
        }
        timer.schedule(
                () -> Thread.ofVirtual().name("fabric-job").start(this::write), delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void write() {
        writing.lock();
        try {
            synchronized (this) {
                due = Long.MAX_VALUE;
            }
            Progress now = progress.get();
            FabricJobStatus before = written;
            FabricJobStatus wanted = JobStatuses.status(
                    facts, now, isPlaced(now) ? placement.get() : Placement.UNKNOWN, before, conditions);
            if (wanted.equals(before)) {
                return;
            }
            FabricJob present = object.write(wanted);
            if (present == null) {
                awaitName();
                return;
            }
            written = wanted;
            tell(present, before, wanted, now);
        } catch (KubernetesClientException e) {
            LOG.warnf(
                    "FabricJob %s/%s is written again: %s",
                    facts.namespace(), facts.owner().name(), e.getMessage());
            schedule(LATER);
        } finally {
            writing.unlock();
        }
    }

    /** A Job and a JobSet of one name would wait for good, ever more rarely. */
    private void awaitName() {
        if (object.isWanted()) {
            schedule(pause);
            pause = pause.compareTo(LONGEST) < 0 ? pause.multipliedBy(2) : LONGEST;
        }
    }

    private static boolean isPlaced(Progress now) {
        return now.phase() != JobPhase.Assembling
                && now.phase() != JobPhase.TimedOut
                && now.missing().isEmpty();
    }

    private void tell(FabricJob of, @Nullable FabricJobStatus before, FabricJobStatus now, Progress stands) {
        boolean newAttempt = before != null && !Objects.equals(before.attempt(), now.attempt());
        boolean newPhase = before == null || before.phase() != now.phase();
        if (newAttempt) {
            events.normal(
                    of,
                    Reason.NewAttempt,
                    "attempt " + stands.attempt() + " follows: a pod or a container was replaced");
        }
        if (!newPhase) {
            return;
        }
        String failure = stands.failure();
        switch (stands.phase()) {
            case Running ->
                events.normal(
                        of,
                        Reason.AllPodsJoined,
                        facts.pods() + " pods, " + facts.ranks() + " ranks, attempt " + stands.attempt());
            case Succeeded -> events.normal(of, Reason.JobSucceeded, "every rank ended with code 0");
            case Failed -> events.warning(of, Reason.JobFailed, failure == null ? "a pod failed" : failure);
            case TimedOut -> {
                String missing = JobStatuses.missing(facts, stands);
                LOG.warnf(
                        "%s/%s did not become whole: %s",
                        facts.namespace(), facts.owner().name(), missing);
                events.warning(of, Reason.AssemblyTimedOut, missing);
            }
            case Assembling -> {
                if (facts.refusal() != null) {
                    events.warning(of, Reason.CannotBeLaunched, facts.refusal());
                }
            }
        }
    }

    private static @Nullable Instant instant(@Nullable String text) {
        try {
            return text == null ? null : Instant.parse(text);
        } catch (DateTimeParseException e) {
            return null;
        }
    }
}
