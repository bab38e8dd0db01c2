/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.operator.cluster.ApiReader;
import dev.fabricoperator.operator.launch.OwnerReader;
import dev.fabricoperator.operator.launch.OwnerRef;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the Jobs say that pods are made for, and the JobSets behind them: never waited for longer than a pod can wait. What is not known
 * in time is an error and no answer: pods of one job must not be decided by different facts.
 */
final class OwnerJobs {
    private static final Duration KEPT = Duration.ofSeconds(30);
    private static final int MOST = 1024;

    private final OwnerReader<OwnerSpecs> reader;

    OwnerJobs(ApiReader reader, Clock clock, Duration wait) {
        this.reader = new OwnerReader<>(reader, clock, wait, MOST, (namespace, reference, job, others) -> {
            OwnerRef above = OwnerRef.controller(job);
            return OwnerSpecs.of(job, above != null && above.isJobSet() ? others.get(above) : null);
        });
    }

    /**
     * What the pod's Job says.
     *
     * @return {@code null} for a pod without one
     * @throws IOException where the API server does not say it in time
     */
    @Nullable
    OwnerSpecs of(String namespace, JsonNode pod) throws IOException {
        OwnerRef owner = OwnerRef.controller(pod);
        try {
            return owner == null || !owner.isJob() ? null : reader.read(namespace, owner, KEPT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("this replica ends", e);
        }
    }
}
