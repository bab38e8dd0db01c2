/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Arrays;
import java.util.Map;

/** Jobs and JobSets as the API server sends them, and what they ask for. */
final class OwnerObjects {
    private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

    private OwnerObjects() {}

    static JsonNode json(Object object) {
        return SERIALIZATION.convertValue(object, JsonNode.class);
    }

    static DirectJob indexedJob(OwnerRef owner, JobSpec spec) {
        return IndexedJobs.KIND.job(
                "space", owner, json(new JobBuilder().withSpec(spec).build()));
    }

    /** An element of {@code spec.replicatedJobs}. */
    record Replicated(String name, int replicas, JobSpec spec) {}

    static DirectJob jobSet(OwnerRef owner, Replicated... jobs) {
        var all = Arrays.stream(jobs)
                .map(job -> Map.of("name", job.name, "replicas", job.replicas, "template", Map.of("spec", job.spec)))
                .toList();
        return JobSets.KIND.job("space", owner, json(Map.of("spec", Map.of("replicatedJobs", all))));
    }
}
