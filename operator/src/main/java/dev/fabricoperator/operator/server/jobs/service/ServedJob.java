/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.operator.launch.JobEnd;
import dev.fabricoperator.operator.launch.PodFact;
import dev.fabricoperator.operator.server.jobs.assembly.Assembly;
import dev.fabricoperator.operator.server.jobs.assembly.JobPodId;
import dev.fabricoperator.operator.server.jobs.assembly.Progress;
import dev.fabricoperator.operator.server.jobs.assembly.Reply;
import dev.fabricoperator.operator.server.jobs.placement.JobTickets;
import dev.fabricoperator.pmix.job.PodReport;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One job: its assembly, and the answers that wait for it. No thread waits; an answer is completed by whoever changes what it
 * waits for, or by the regular {@link #expire}.
 */
final class ServedJob {
    private final Assembly assembly;
    private final Supplier<JobTickets> tickets;
    private final Clock clock;
    private final Duration hold;
    private Runnable changed = () -> {};
    /** By ordinal: a pod that pushes again gives up its earlier question. */
    private final Map<Integer, Held> joining = new HashMap<>();

    private final Map<Integer, Held> watching = new HashMap<>();
    private Instant touched;
    private int seenEpoch;

    /** @param inFull whether a ticket will not do */
    private record Held(
            JobPodId pod, int attempt, boolean inFull, Instant until, CompletableFuture<JobResponse> answer) {}

    private record Due(CompletableFuture<JobResponse> future, JobResponse answer) {}

    /** @param tickets of the attempt that has become whole last */
    ServedJob(Assembly assembly, Supplier<JobTickets> tickets, Clock clock, Duration hold) {
        this.assembly = assembly;
        this.tickets = tickets;
        this.clock = clock;
        this.hold = hold;
        this.touched = clock.instant();
        this.seenEpoch = assembly.epoch();
    }

    /** Hears that {@link #progress} is another, on a thread that must not wait; set before anybody joins. */
    void listen(Runnable listener) {
        changed = listener;
    }

    Assembly assembly() {
        return assembly;
    }

    /** @param inFull whether a ticket will not do */
    CompletableFuture<JobResponse> join(JobPodId pod, PodReport report, boolean inFull) {
        return step(due -> {
            Reply reply = assembly.join(pod, report, clock.instant());
            if (!(reply instanceof Reply.Wait)) {
                return CompletableFuture.completedFuture(answer(reply, pod, inFull));
            }
            return hold(joining, pod, 0, inFull, due);
        });
    }

    CompletableFuture<JobResponse> watch(JobPodId pod, int attempt) {
        return step(due -> assembly.isOutdated(pod, attempt)
                ? CompletableFuture.completedFuture(JobResponse.NEWER_ATTEMPT)
                : hold(watching, pod, attempt, false, due));
    }

    void ended(JobPodId pod, int code, @Nullable String words) {
        step(due -> {
            assembly.ended(pod, code, words);
            return CompletableFuture.completedFuture(JobResponse.NOTHING);
        });
    }

    void failed(JobPodId pod, String words) {
        step(due -> {
            assembly.failed(pod, words);
            return CompletableFuture.completedFuture(JobResponse.NOTHING);
        });
    }

    boolean isOutdated(JobPodId pod, int attempt) {
        synchronized (this) {
            return assembly.isOutdated(pod, attempt);
        }
    }

    /** What the API server says of a pod, {@code after} being {@code null} for one that is no more. */
    void seen(JobPodId pod, PodFact.@Nullable Life after) {
        step(due -> {
            if (after == null || after != PodFact.Life.Alive) {
                assembly.gone(pod.uid());
            }
            if (after == PodFact.Life.Succeeded || after == PodFact.Life.Failed) {
                assembly.ended(pod, after == PodFact.Life.Succeeded ? 0 : 1, "its pod failed");
            }
            return CompletableFuture.completedFuture(JobResponse.NOTHING);
        });
    }

    synchronized boolean isAbandoned() {
        return assembly.isAbandoned();
    }

    /** See {@link Assembly#over}. */
    void over(JobEnd end) {
        step(due -> {
            assembly.over(end.well(), end.words());
            return CompletableFuture.completedFuture(JobResponse.NOTHING);
        });
    }

    /** Ends what has waited for long enough, and the assembly when its time is over. */
    void expire() {
        step(due -> {
            Instant now = clock.instant();
            assembly.expire(now);
            expire(joining, now, due);
            expire(watching, now, due);
            return CompletableFuture.completedFuture(JobResponse.NOTHING);
        });
    }

    /** Gives everybody who waits the same answer. */
    void dismiss(JobResponse answer) {
        List<Due> due = new ArrayList<>();
        synchronized (this) {
            joining.values().forEach(held -> due.add(new Due(held.answer(), answer)));
            watching.values().forEach(held -> due.add(new Due(held.answer(), answer)));
            joining.clear();
            watching.clear();
        }
        due.forEach(one -> one.future().complete(one.answer()));
    }

    synchronized boolean isIdleSince(Instant then) {
        return joining.isEmpty() && watching.isEmpty() && touched.isBefore(then);
    }

    synchronized Progress progress() {
        return assembly.progress();
    }

    /** A change of the assembly under the lock; what follows from it for others is told outside of it. */
    private CompletableFuture<JobResponse> step(Change change) {
        List<Due> due = new ArrayList<>();
        CompletableFuture<JobResponse> mine;
        boolean news;
        synchronized (this) {
            int before = assembly.version();
            mine = change.apply(due);
            news = assembly.version() != before;
            if (news) {
                touched = clock.instant();
            }
            if (assembly.epoch() != seenEpoch) {
                seenEpoch = assembly.epoch();
                settle(due);
            }
        }
        due.forEach(one -> one.future().complete(one.answer()));
        if (news) {
            changed.run();
        }
        return mine;
    }

    private interface Change {
        CompletableFuture<JobResponse> apply(List<Due> due);
    }

    private CompletableFuture<JobResponse> hold(
            Map<Integer, Held> where, JobPodId pod, int attempt, boolean inFull, List<Due> due) {
        Instant now = clock.instant();
        touched = now;
        CompletableFuture<JobResponse> answer = new CompletableFuture<>();
        Held before = where.put(pod.ordinal(), new Held(pod, attempt, inFull, now.plus(hold), answer));
        if (before != null) {
            due.add(new Due(before.answer(), JobResponse.NOTHING));
        }
        return answer;
    }

    private void settle(List<Due> due) {
        for (Iterator<Held> i = joining.values().iterator(); i.hasNext(); ) {
            Held held = i.next();
            Reply reply = assembly.reply(held.pod());
            if (!(reply instanceof Reply.Wait)) {
                due.add(new Due(held.answer(), answer(reply, held.pod(), held.inFull())));
                i.remove();
            }
        }
        for (Iterator<Held> i = watching.values().iterator(); i.hasNext(); ) {
            Held held = i.next();
            if (assembly.isOutdated(held.pod(), held.attempt())) {
                due.add(new Due(held.answer(), JobResponse.NEWER_ATTEMPT));
                i.remove();
            }
        }
    }

    private static void expire(Map<Integer, Held> where, Instant now, List<Due> due) {
        where.values().removeIf(held -> {
            boolean over = !now.isBefore(held.until());
            if (over) {
                due.add(new Due(held.answer(), JobResponse.NOTHING));
            }
            return over;
        });
    }

    private JobResponse answer(Reply reply, JobPodId pod, boolean inFull) {
        return switch (reply) {
            case Reply.Wait wait -> JobResponse.NOTHING;
            case Reply.Whole whole -> {
                byte[] ticket = inFull ? null : tickets.get().of(pod.name());
                yield JobResponse.map(ticket == null ? whole.map() : ticket);
            }
            case Reply.Refused refused -> JobResponse.text(409, refused.sentence());
            case Reply.TimedOut timedOut -> JobResponse.text(408, timedOut.sentence());
        };
    }
}
