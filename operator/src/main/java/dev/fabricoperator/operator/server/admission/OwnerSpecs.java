/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.operator.launch.LaunchRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a pod's owners say, as far as it decides about the pod.
 *
 * @param job the Job
 * @param jobSet the JobSet that owns the Job, if one does
 */
public record OwnerSpecs(JsonNode job, @Nullable JsonNode jobSet) {
    /** Most pods of one job: more are denied before anything is kept of it. */
    static final int MAX_PODS = 100_000;

    /** Pods that are launched directly at one time, over all Jobs of a JobSet. Exact up to {@link #MAX_PODS}, and above that somewhere above it. */
    long pods() {
        return count(1, false);
    }

    /** Ranks of these pods, where those of the pod's own template have {@code ranksPerPod}; exact for as many pods as are allowed. */
    long ranks(int ranksPerPod) {
        return count(ranksPerPod, true);
    }

    private long count(int ranksPerPod, boolean ranks) {
        if (jobSet == null) {
            return Math.max(1, bounded(job.at("/spec/completions"))) * ranksPerPod;
        }
        long sum = 0;
        for (JsonNode replicated : jobSet.at("/spec/replicatedJobs")) {
            JsonNode spec = replicated.at("/template/spec");
            Map<String, String> annotations = Injection.annotations(spec.path("template"));
            if (LaunchRequest.isDirect(annotations)) {
                long pods = bounded(replicated.path("replicas")) * bounded(spec.path("completions"));
                sum += pods * (ranks ? ranksPerPod(annotations, ranksPerPod) : 1);
            }
        }
        return Math.max(ranksPerPod, sum);
    }

    /** So that no product or sum of these overflows. */
    private static long bounded(JsonNode number) {
        return Math.clamp(number.asLong(1), 0, MAX_PODS + 1);
    }

    /** Of a template that cannot be read, none of whose pods is let in, as many as of this one. */
    private static int ranksPerPod(Map<String, String> annotations, int otherwise) {
        try {
            LaunchRequest request = LaunchRequest.of(annotations);
            return request == null ? otherwise : request.ranksPerPod();
        } catch (LaunchRequest.InvalidAnnotationException e) {
            return otherwise;
        }
    }
}
