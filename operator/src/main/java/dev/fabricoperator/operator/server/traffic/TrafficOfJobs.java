/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.view.answer.JobTrafficAnswer;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The last report of each job, in memory alone. Of the namespace that takes the most room the job of which nothing was told for the longest time makes room for
 * another: no tenant makes those of others be forgotten.
 */
@ApplicationScoped
public class TrafficOfJobs {
    static final int MOST_JOBS = 1024;
    /** Pods, devices and pairs of all jobs: some 100 bytes each. */
    static final long MOST_ENTRIES = 400_000;

    /** For how long a job counts as watched when somebody has asked what it sends. */
    static final Duration WATCHED = Duration.ofSeconds(10);
    /** After which other replicas are told again. */
    static final Duration NOTICE_PAUSE = Duration.ofSeconds(3);

    static final int MOST_WATCHED = 256;

    private final Map<Name, Kept> jobs = new LinkedHashMap<>();
    private long entries;
    private final SteadyClock clock;
    private final @Nullable JobBytes bytes;
    /** The one that was asked for first goes first. */
    private final Map<Name, Watch> watched = new LinkedHashMap<>();

    /** Until when other replicas are not told again of jobs that are not known here; the one that was asked for first goes first. */
    private final Map<Name, Instant> asked = new LinkedHashMap<>();

    private volatile BiConsumer<String, String> notices = (namespace, job) -> {};
    private volatile BiPredicate<String, String> serves = (namespace, job) -> false;

    private record Name(String namespace, String job) {}

    /**
     * What is known of a job.
     *
     * @param newsAt when the pod that was silent for longest has told something new, by a clock that never goes back
     */
    record Told(JobTrafficAnswer answer, JobRates rates, Instant newsAt) {}

    /** @param newsOfPods when each has told something new, last */
    private record Kept(String uid, JobTrafficAnswer answer, JobRates rates, Map<String, Instant> newsOfPods) {
        Told told() {
            return new Told(
                    answer,
                    rates,
                    newsOfPods.values().stream().min(Comparator.naturalOrder()).orElse(Instant.MIN));
        }

        long entries() {
            return 1
                    + rates.entries()
                    + answer.pairs().size()
                    + answer.pods().stream()
                            .mapToLong(pod -> 2 + pod.devices().size())
                            .sum();
        }
    }

    private record Watch(Instant until, Instant nextNotice) {}

    @Inject
    TrafficOfJobs(SteadyClock clock, MeterRegistry meters, Settings settings) {
        this(clock, settings.jobMetrics().bytes() ? new JobBytes(meters, clock) : null);
    }

    /** Told by a clock that nobody sets; no metric tells of it. */
    public TrafficOfJobs(SteadyClock clock) {
        this(clock, (JobBytes) null);
    }

    TrafficOfJobs(SteadyClock clock, @Nullable JobBytes bytes) {
        this.clock = clock;
        this.bytes = bytes;
    }

    /**
     * Says who else is concerned.
     *
     * @param toReplicas is told namespace and name of each job that somebody watches here, now and then; on any thread, and does not wait
     * @param isServed whether the pods of the job of that namespace and name are served here; on any thread
     */
    public void listen(BiConsumer<String, String> toReplicas, BiPredicate<String, String> isServed) {
        notices = toReplicas;
        serves = isServed;
    }

    /** What people ask for: the last report, {@code null} for none. The job's pods tell it once a second from now on, until nobody has asked for {@link #WATCHED}. */
    public @Nullable JobTrafficAnswer watch(String namespace, String job) {
        if (watch(new Name(namespace, job), serves.test(namespace, job), true)) {
            notices.accept(namespace, job);
        }
        return of(namespace, job);
    }

    /** Somebody asks another replica. */
    public void watchedElsewhere(String namespace, String job) {
        watch(new Name(namespace, job), serves.test(namespace, job), false);
    }

    /**
     * Whether others are to be told. A job that is neither served here nor told of is not watched: whoever asks may have made up its name. Where too many are watched the namespace with the most
     * makes room for another, and in that one no other job is watched before one of them is not any more.
     */
    private synchronized boolean watch(Name name, boolean served, boolean here) {
        Instant now = clock.instant();
        if (!served && !jobs.containsKey(name)) {
            return here && isToBeAsked(name, now);
        }
        Watch before = watched.get(name);
        if (before == null && watched.size() >= MOST_WATCHED) {
            watched.values().removeIf(each -> !now.isBefore(each.until()));
            if (watched.size() >= MOST_WATCHED && !makeRoomToWatch(name.namespace())) {
                return false;
            }
        }
        boolean notice = here && (before == null || !now.isBefore(before.nextNotice()));
        watched.put(
                name,
                new Watch(
                        now.plus(WATCHED),
                        notice || before == null
                                ? now.plus(here ? NOTICE_PAUSE : Duration.ZERO)
                                : before.nextNotice()));
        return notice;
    }

    private boolean isToBeAsked(Name name, Instant now) {
        Instant next = asked.get(name);
        if (next != null && now.isBefore(next)) {
            return false;
        }
        asked.remove(name);
        asked.put(name, now.plus(NOTICE_PAUSE));
        if (asked.size() > MOST_WATCHED) {
            asked.remove(asked.keySet().iterator().next());
        }
        return true;
    }

    /** Whether some other namespace had at least two more, so that the two do not take turns. O(watched). */
    private boolean makeRoomToWatch(String namespace) {
        Map<String, Integer> counts = new HashMap<>();
        watched.keySet().forEach(each -> counts.merge(each.namespace(), 1, Integer::sum));
        int most = counts.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        if (counts.getOrDefault(namespace, 0) + 1 >= most) {
            return false;
        }
        watched.keySet().stream()
                .filter(each -> counts.getOrDefault(each.namespace(), 0) == most)
                .findFirst()
                .ifPresent(watched::remove);
        return true;
    }

    /** O(1). */
    public synchronized boolean isWatched(String namespace, String job) {
        if (watched.isEmpty()) {
            return false;
        }
        Name name = new Name(namespace, job);
        Watch watch = watched.get(name);
        if (watch == null || clock.instant().isBefore(watch.until())) {
            return watch != null;
        }
        watched.remove(name);
        return false;
    }

    /** @param uid of the job's owner: what an earlier owner of that name has sent is forgotten */
    public synchronized void told(String uid, JobTrafficAnswer answer) {
        Name name = new Name(answer.namespace(), answer.job());
        Kept before = jobs.get(name);
        Kept same = before != null && before.uid().equals(uid) ? before : null;
        if (same != null && isOlder(answer, same.answer())) {
            return;
        }
        if (bytes != null) {
            bytes.told(uid, answer);
        }
        jobs.remove(name);
        Kept after = same == null
                ? new Kept(uid, answer, JobRates.of(answer, null, null), newsOfPods(answer, null))
                : after(same, answer);
        entries += after.entries() - (before == null ? 0 : before.entries());
        jobs.put(name, after);
        while (jobs.size() > MOST_JOBS || (entries > MOST_ENTRIES && jobs.size() > 1)) {
            makeRoom();
        }
    }

    private Kept after(Kept before, JobTrafficAnswer answer) {
        JobTrafficAnswer known = before.answer();
        return new Kept(
                before.uid(),
                since(known, answer),
                JobRates.of(answer, known, before.rates()),
                newsOfPods(answer, known.attempt() == answer.attempt() ? before : null));
    }

    /** @param before of the same attempt */
    private Map<String, Instant> newsOfPods(JobTrafficAnswer answer, @Nullable Kept before) {
        Map<String, Double> known = new HashMap<>();
        if (before != null) {
            before.answer().pods().forEach(pod -> known.put(pod.pod(), pod.seconds()));
        }
        Instant now = clock.instant();
        Map<String, Instant> news = new HashMap<>();
        answer.pods().forEach(pod -> {
            Double seconds = known.get(pod.pod());
            Instant last = before == null ? null : before.newsOfPods().get(pod.pod());
            news.put(pod.pod(), last != null && seconds != null && seconds == pod.seconds() ? last : now);
        });
        return news;
    }

    /** O(jobs). */
    private void makeRoom() {
        Map<String, Long> byNamespace = new HashMap<>();
        jobs.forEach((name, kept) -> byNamespace.merge(name.namespace(), kept.entries(), Long::sum));
        long most =
                byNamespace.values().stream().mapToLong(Long::longValue).max().orElse(0);
        Name oldest = jobs.keySet().stream()
                .filter(name -> byNamespace.getOrDefault(name.namespace(), 0L) == most)
                .findFirst()
                .orElseThrow();
        entries -= Objects.requireNonNull(jobs.remove(oldest)).entries();
    }

    /** As a copy that another replica has sent again. */
    private static boolean isOlder(JobTrafficAnswer answer, JobTrafficAnswer known) {
        return answer.attempt() < known.attempt()
                || answer.attempt() == known.attempt() && answer.seconds() < known.seconds();
    }

    /** A pod that has told nothing new since the last report is as old as it was there. */
    private static JobTrafficAnswer since(JobTrafficAnswer before, JobTrafficAnswer after) {
        if (before.attempt() != after.attempt()) {
            return after;
        }
        Map<String, JobTrafficAnswer.Pod> known = new HashMap<>();
        before.pods().forEach(pod -> known.put(pod.pod(), pod));
        List<JobTrafficAnswer.Pod> pods = after.pods().stream()
                .map(pod -> {
                    JobTrafficAnswer.Pod last = known.get(pod.pod());
                    return last != null && last.seconds() == pod.seconds() ? last : pod;
                })
                .toList();
        return new JobTrafficAnswer(
                after.namespace(),
                after.job(),
                after.attempt(),
                after.seconds(),
                after.asOf(),
                after.sentBytes(),
                after.receivedBytes(),
                after.retransmits(),
                after.podsSilent(),
                pods,
                after.pairs(),
                after.pairsLeftOut(),
                after.bytesLeftOut(),
                after.devicesLeftOut(),
                null,
                null,
                null);
    }

    /** The job of that name is another one, unless it has this UID. */
    public synchronized void begins(String namespace, String job, String uid) {
        Name name = new Name(namespace, job);
        Kept known = jobs.get(name);
        if (known != null && !known.uid().equals(uid)) {
            entries -= known.entries();
            jobs.remove(name);
        }
    }

    public synchronized @Nullable JobTrafficAnswer of(String namespace, String job) {
        Told known = told(namespace, job);
        return known == null ? null : known.answer();
    }

    synchronized @Nullable Told told(String namespace, String job) {
        Kept known = jobs.get(new Name(namespace, job));
        return known == null ? null : known.told();
    }

    /** O(jobs). */
    synchronized List<Told> all() {
        return jobs.values().stream().map(Kept::told).toList();
    }
}
