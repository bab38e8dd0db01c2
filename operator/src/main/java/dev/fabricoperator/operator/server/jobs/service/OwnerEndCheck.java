/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.operator.launch.JobEnd;
import dev.fabricoperator.operator.launch.JobFacts;
import dev.fabricoperator.operator.launch.JobKind;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks after a job whose pods have all gone before it was whole: its owner may have given up, as a Job without a retry left does, and then no pod is there to
 * say so. Asks after one second, two, four and so on up to a minute.
 */
final class OwnerEndCheck {
    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private Duration pause = FIRST;
    private @Nullable Instant next;

    /** For one thread; the API server is asked on another. */
    void check(ServedJob job, List<JobKind> kinds, Instant now) {
        if (!job.isAbandoned()) {
            pause = FIRST;
            next = null;
            return;
        }
        if (next != null && now.isBefore(next)) {
            return;
        }
        boolean ask = next != null;
        next = now.plus(pause);
        if (ask) {
            pause = pause.multipliedBy(2).compareTo(LONGEST) < 0 ? pause.multipliedBy(2) : LONGEST;
            Thread.ofVirtual().name("job-owner").start(() -> ask(job, kinds));
        }
    }

    private static void ask(ServedJob job, List<JobKind> kinds) {
        JobFacts facts = job.assembly().facts();
        try {
            for (JobKind kind : kinds) {
                JobEnd end = kind.end(facts.namespace(), facts.owner());
                if (end != null) {
                    job.over(end);
                    return;
                }
            }
        } catch (KubernetesClientException e) {
            // Asked again.
            return;
        }
    }
}
