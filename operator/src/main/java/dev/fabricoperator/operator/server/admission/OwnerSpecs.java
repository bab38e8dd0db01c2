/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * What a pod's owners say, as far as it decides about the pod.
 *
 * @param job the Job
 * @param jobSet the JobSet that owns the Job, if one does
 */
public record OwnerSpecs(JsonNode job, @Nullable JsonNode jobSet) {
    /** Pods that the job needs at one time, over all Jobs of a JobSet. */
    long pods() {
        if (jobSet == null) {
            return Math.max(1, job.path("spec").path("completions").asLong(1));
        }
        long pods = 0;
        for (JsonNode replicated : jobSet.path("spec").path("replicatedJobs")) {
            pods += replicated.path("replicas").asLong(1)
                    * replicated
                            .path("template")
                            .path("spec")
                            .path("completions")
                            .asLong(1);
        }
        return Math.max(1, pods);
    }
}
