/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import dev.fabricoperator.view.answer.JobTrafficAnswer;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

    private final Map<Name, Kept> jobs = new LinkedHashMap<>();
    private long entries;

    private record Name(String namespace, String job) {}

    private record Kept(String uid, JobTrafficAnswer answer) {
        long entries() {
            return 1
                    + answer.pairs().size()
                    + answer.pods().stream()
                            .mapToLong(pod -> 1 + pod.devices().size())
                            .sum();
        }
    }

    /** @param uid of the job's owner: what an earlier owner of that name has sent is forgotten */
    public synchronized void told(String uid, JobTrafficAnswer answer) {
        Name name = new Name(answer.namespace(), answer.job());
        Kept before = jobs.remove(name);
        Kept after =
                new Kept(uid, before == null || !before.uid().equals(uid) ? answer : since(before.answer(), answer));
        entries += after.entries() - (before == null ? 0 : before.entries());
        jobs.put(name, after);
        while (jobs.size() > MOST_JOBS || (entries > MOST_ENTRIES && jobs.size() > 1)) {
            makeRoom();
        }
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
                after.devicesLeftOut());
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
        Kept known = jobs.get(new Name(namespace, job));
        return known == null ? null : known.answer();
    }
}
