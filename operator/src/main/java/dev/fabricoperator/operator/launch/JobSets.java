/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * JobSets: one nspace, each ReplicatedJob whose template asks for a direct launch an app.
 *
 * @see "sigs.k8s.io/jobset api/jobset/v1alpha2, labels of Jobs and spec.replicatedJobs"
 */
final class JobSets {
    static final String LABELS = "jobset.sigs.k8s.io/";
    /** On a Job: the ReplicatedJob that it is one of. */
    static final String APP_LABEL = LABELS + "replicatedjob-name";

    static final String JOB_INDEX_LABEL = LABELS + "job-index";

    private JobSets() {}

    static DirectJob job(String namespace, OwnerRef owner, JsonNode jobSet, KubernetesSerialization serialization) {
        List<Replicated> jobs = new ArrayList<>();
        for (JsonNode job : jobSet.at("/spec/replicatedJobs")) {
            jobs.add(new Replicated(
                    job.path("name").asText(),
                    job.path("replicas").asInt(1),
                    serialization.convertValue(job.at("/template/spec"), JobSpec.class)));
        }
        return job(namespace, owner, jobs);
    }

    /** {@code null} while it makes pods. */
    static @Nullable JobEnd end(OwnerRef owner, JsonNode jobSet) {
        String state = jobSet.at("/status/terminalState").asText();
        return state.isEmpty()
                ? null
                : new JobEnd("Completed".equals(state), "JobSet " + owner.name() + " has ended: " + state);
    }

    /** An element of {@code spec.replicatedJobs}. */
    record Replicated(String name, int replicas, JobSpec spec) {}

    static DirectJob job(String namespace, OwnerRef owner, List<Replicated> jobs) {
        List<DirectJob.App> apps = new ArrayList<>();
        IndexedJobs.Template first = null;
        String refusal = null;
        for (Replicated job : jobs) {
            IndexedJobs.Template template = IndexedJobs.Template.of(job.spec());
            if (template.direct()) {
                first = first == null ? template : first;
                apps.add(new DirectJob.App(
                        job.name(),
                        job.replicas(),
                        IndexedJobs.completions(job.spec()),
                        template.request().ranksPerPod()));
                String reason = IndexedJobs.refusal("ReplicatedJob " + job.name(), completed(job.spec()), template);
                refusal = refusal == null ? reason : refusal;
            }
        }
        if (first == null) {
            refusal = "JobSet " + owner.name() + " has no template that asks for a direct launch";
        }
        LaunchRequest request = first == null ? LaunchRequest.DEFAULTS : first.request();
        return new DirectJob(namespace, owner, apps, request.assemblyTimeout(), request.rankOrder(), refusal);
    }

    /** JobSet makes its Jobs indexed where nothing else is said. */
    private static JobSpec completed(JobSpec spec) {
        if (spec.getCompletionMode() == null) {
            spec.setCompletionMode("Indexed");
        }
        return spec;
    }
}
