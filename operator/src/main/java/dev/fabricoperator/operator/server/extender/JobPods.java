/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.extender;

import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.fabric.job.HostScores.Placed;
import dev.fabricoperator.operator.launch.JobKey;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.PodFact;
import dev.fabricoperator.operator.launch.PodOwnerKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the pods of each job are. The scheduler takes the next pod before it has bound the last one: until that is seen, the node that
 * was best for a pod counts as near to its place.
 */
final class JobPods {
    private static final int MOST_ASSUMED = 16_384;

    private final SteadyClock clock;
    private final Duration assumedFor;
    /** By job, then by UID. */
    private final Map<JobKey, Map<String, PodFact>> jobs = new HashMap<>();

    private final Map<String, Assumed> assumed = new LinkedHashMap<>();

    private record Assumed(String node, Instant until) {}

    /**
     * The other pods of a job.
     *
     * @param waiting those that have no node yet
     */
    record Others(List<Placed> placed, int waiting) {}

    JobPods(SteadyClock clock, Duration assumedFor) {
        this.clock = clock;
        this.assumedFor = assumedFor;
    }

    /** The job of a pod, {@code null} where what controls it is none. */
    static @Nullable JobKey job(PodFact pod) {
        OwnerRef controller = pod.controller();
        return controller == null || PodOwnerKind.of(controller) == null
                ? null
                : new JobKey(pod.namespace(), controller.uid());
    }

    synchronized void seen(@Nullable PodFact before, @Nullable PodFact after) {
        if (before != null) {
            forget(before);
        }
        JobKey job = after == null || after.life().isOver() ? null : job(after);
        if (after != null && job != null) {
            jobs.computeIfAbsent(job, j -> new LinkedHashMap<>()).put(after.uid(), after);
            if (after.nodeName() != null) {
                assumed.remove(after.uid());
            }
        }
    }

    private void forget(PodFact pod) {
        JobKey job = job(pod);
        Map<String, PodFact> pods = job == null ? null : jobs.get(job);
        if (job != null && pods != null) {
            pods.remove(pod.uid());
            if (pods.isEmpty()) {
                jobs.remove(job);
            }
        }
    }

    synchronized Others others(JobKey job, String uid) {
        List<Placed> placed = new ArrayList<>();
        int waiting = 0;
        Instant now = clock.instant();
        for (PodFact pod : jobs.getOrDefault(job, Map.of()).values()) {
            Assumed likely = assumed.get(pod.uid());
            if (pod.uid().equals(uid)) {
                continue;
            }
            if (pod.nodeName() != null) {
                placed.add(new Placed(pod.nodeName(), true));
            } else if (likely != null && now.isBefore(likely.until())) {
                placed.add(new Placed(likely.node(), false));
            } else {
                waiting++;
            }
        }
        return new Others(placed, waiting);
    }

    synchronized void assume(String uid, String node) {
        assumed.remove(uid);
        assumed.put(uid, new Assumed(node, clock.instant().plus(assumedFor)));
        if (assumed.size() > MOST_ASSUMED) {
            assumed.remove(assumed.keySet().iterator().next());
        }
    }
}
