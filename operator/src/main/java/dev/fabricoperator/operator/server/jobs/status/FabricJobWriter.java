/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.status;

import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.JobClients;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.operator.cluster.Backoff;
import dev.fabricoperator.operator.cluster.EventWriter;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.JobEnd;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.model.condition.Reason;
import dev.fabricoperator.operator.server.jobs.assembly.Assembly.StoredAttempt;
import dev.fabricoperator.operator.server.jobs.assembly.Progress;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the FabricJob of one job. The end of an attempt is written at once; what pods do on their way to it is written at most
 * once a second, and an attempt that is whole sooner than that was never seen assembling.
 */
public final class FabricJobWriter {
    private static final Logger LOG = Logger.getLogger(FabricJobWriter.class);
    /** Conditions whose changes are Events, too. */
    private static final Set<String> TOLD = Set.of(ConditionType.Impaired.name(), ConditionType.FabricsFound.name());

    private static final Duration AT_ONCE = Duration.ZERO;
    /** The pods need the processors more urgently while their ranks start. */
    private static final Duration SOON = Duration.ofMillis(200);

    private static final Duration LATER = Duration.ofSeconds(1);
    private static final Backoff PAUSE = new Backoff(Duration.ofMillis(250), Duration.ofSeconds(30));

    private final FabricJobObject object;
    private final EventWriter events;
    private final Conditions conditions;
    private final ScheduledExecutorService timer;
    private final DirectJob job;
    private final @Nullable String secondContainer;
    private final Supplier<JobPhase> phase;
    private final Supplier<Progress> progress;
    private final Supplier<Placement> placement;
    private final IntFunction<@Nullable List<ImpairedRanks>> impaired;
    private final Supplier<Set<String>> fabrics;
    private final Consumer<JobEnd> over;
    private final ReentrantLock writing = new ReentrantLock();
    private final @Nullable FabricJobStatus found;
    private @Nullable FabricJobStatus written;
    private int failuresInARow;
    private long due = Long.MAX_VALUE;
    private volatile boolean closed;

    /**
     * @param secondContainer why the PMIx servers have containers of their own, {@code null} where they have none
     * @param found what the object says already
     * @param placement of the attempt that is whole, asked for off the way of the pods' answers
     * @param impaired ranks of an attempt on devices whose links may be about to fail; {@code null} where that is not known
     * @param fabrics names of all Fabrics
     * @param over hears that the owner has ended, where somebody else has said so before the pods did
     */
    public FabricJobWriter(
            FabricJobObject object,
            EventWriter events,
            Conditions conditions,
            ScheduledExecutorService timer,
            DirectJob job,
            @Nullable String secondContainer,
            @Nullable FabricJobStatus found,
            Supplier<JobPhase> phase,
            Supplier<Progress> progress,
            Supplier<Placement> placement,
            IntFunction<@Nullable List<ImpairedRanks>> impaired,
            Supplier<Set<String>> fabrics,
            Consumer<JobEnd> over) {
        this.object = object;
        this.events = events;
        this.conditions = conditions;
        this.timer = timer;
        this.job = job;
        this.secondContainer = secondContainer;
        this.found = found;
        this.written = found;
        this.phase = phase;
        this.progress = progress;
        this.placement = placement;
        this.impaired = impaired;
        this.fabrics = fabrics;
        this.over = over;
    }

    /** What follows from {@link FabricJobObject#status} for the assembly. */
    public static @Nullable StoredAttempt stored(@Nullable FabricJobStatus found) {
        return found == null || found.phase() == null
                ? null
                : new StoredAttempt(
                        Objects.requireNonNullElse(found.attempt(), 0), found.phase(), instant(found.waitingSince()));
    }

    /** Something is other than before. Returns at once, O(1). */
    public void changed() {
        Duration delay = switch (phase.get()) {
            case Succeeded, Failed, TimedOut -> AT_ONCE;
            case Running -> SOON;
            case Assembling -> job.refusal() == null ? LATER : AT_ONCE;
        };
        schedule(delay);
    }

    /** Another replica may have the job, whose writer this one must not overwrite. */
    public void closed() {
        closed = true;
    }

    private void schedule(Duration delay) {
        if (closed) {
            return;
        }
        long at = System.nanoTime() + delay.toNanos();
        synchronized (this) {
            if (due != Long.MAX_VALUE && due <= at) {
                return;
            }
            due = at;
        }
        try {
            timer.schedule(
                    () -> Thread.ofVirtual().name("fabric-job").start(this::write),
                    delay.toNanos(),
                    TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The process ends: whichever replica has the job next writes what it finds.
            LOG.debugf(e, "FabricJob %s/%s", job.namespace(), job.name());
        }
    }

    private void write() {
        writing.lock();
        try {
            synchronized (this) {
                due = Long.MAX_VALUE;
            }
            if (closed || writeOnce()) {
                failuresInARow = 0;
                return;
            }
            // The name is another's: a Job that is deleted leaves it to a later one while its own pods still end.
            if (object.isWanted()) {
                retry();
            }
        } catch (KubernetesClientException | IOException e) {
            LOG.warnf("FabricJob %s/%s is written again: %s", job.namespace(), job.name(), e.getMessage());
            retry();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.errorf(e, "FabricJob %s/%s cannot be written", job.namespace(), job.name());
            retry();
        } finally {
            writing.unlock();
        }
    }

    /** Ever more rarely, for what the API server refuses it may refuse for good. */
    private void retry() {
        schedule(PAUSE.after(++failuresInARow));
    }

    /** @return whether the object says how the job stands */
    private boolean writeOnce() throws IOException, InterruptedException {
        FabricJobStatus said = object.saidMeanwhile();
        if (said != null && isEndOf(said, progress.get())) {
            JobEnd end = object.ownerEnd();
            if (end != null) {
                over.accept(end);
                if (isEndOf(said, progress.get())) {
                    // How each pod ends is heard here, and told then.
                    return true;
                }
            }
        }
        Progress now = progress.get();
        FabricJobStatus before = written;
        FabricJobStatus wanted = JobStatuses.status(
                job,
                secondContainer,
                now,
                isPlaced(now) ? placement.get() : Placement.UNKNOWN,
                now.phase() == JobPhase.Running ? impaired.apply(now.attempt()) : null,
                fabrics.get(),
                before,
                earlierClients(now),
                conditions);
        if (said == null && wanted.equals(before)) {
            return true;
        }
        FabricJob present = object.write(wanted);
        if (present == null) {
            return false;
        }
        written = wanted;
        tell(present, before, wanted, now);
        return true;
    }

    private @Nullable JobClients earlierClients(Progress now) {
        return found == null || !Objects.equals(found.attempt(), now.attempt()) ? null : found.clients();
    }

    /** Whether the controller has told the end of an attempt that goes on here: no pod may be left that could. */
    private static boolean isEndOf(FabricJobStatus said, Progress now) {
        boolean goesOn = now.phase() == JobPhase.Assembling || now.phase() == JobPhase.Running;
        return goesOn
                && (said.phase() == JobPhase.Succeeded || said.phase() == JobPhase.Failed)
                && Objects.equals(said.attempt(), now.attempt());
    }

    private static boolean isPlaced(Progress now) {
        return now.phase() != JobPhase.Assembling && now.phase() != JobPhase.TimedOut && now.missingPods() == 0;
    }

    private void tell(FabricJob of, @Nullable FabricJobStatus before, FabricJobStatus now, Progress stands) {
        events.transitions(
                of,
                Conditions.transitions(before == null ? List.of() : before.conditions(), now.conditions(), null)
                        .stream()
                        .filter(condition -> TOLD.contains(condition.type()))
                        .toList());
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
                        job.pods() + " pods, " + job.ranks() + " ranks, attempt " + stands.attempt());
            case Succeeded -> events.normal(of, Reason.JobSucceeded, "every rank ended with code 0");
            case Failed -> events.warning(of, Reason.JobFailed, failure == null ? "a pod failed" : failure);
            case TimedOut -> {
                String missing = stands.missingWords(job);
                LOG.warnf("%s/%s did not become whole: %s", job.namespace(), job.name(), missing);
                events.warning(of, Reason.AssemblyTimedOut, missing);
            }
            case Assembling -> {
                if (job.refusal() != null) {
                    events.warning(of, Reason.CannotBeLaunched, job.refusal());
                }
            }
        }
        if (stands.unconnected()) {
            events.normal(of, Reason.NoRankConnected, JobStatuses.UNCONNECTED);
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
