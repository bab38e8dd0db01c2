/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * JobSets: one nspace, each ReplicatedJob whose template asks for a direct launch an app.
 *
 * @see "sigs.k8s.io/jobset api/jobset/v1alpha2, labels of Jobs and spec.replicatedJobs"
 */
final class JobSets implements OwnerKind {
    static final JobSets KIND = new JobSets();

    static final String LABELS = "jobset.sigs.k8s.io/";
    /** On a Job: the ReplicatedJob that it is one of. */
    static final String APP_LABEL = LABELS + "replicatedjob-name";

    static final String JOB_INDEX_LABEL = LABELS + "job-index";
    /** On a Job and its pods. */
    static final String NAME_LABEL = LABELS + "jobset-name";

    private JobSets() {}

    @Override
    public String group() {
        return "jobset.x-k8s.io";
    }

    @Override
    public String kind() {
        return "JobSet";
    }

    @Override
    public String plural() {
        return "jobsets";
    }

    @Override
    public String suffix() {
        return "jobset";
    }

    @Override
    public DirectJob job(String namespace, OwnerRef owner, JsonNode object) {
        List<DirectJob.App> apps = new ArrayList<>();
        PodTemplate first = null;
        String refusal = null;
        for (JsonNode job : object.at("/spec/replicatedJobs")) {
            JsonNode spec = job.at("/template/spec");
            PodTemplate template = PodTemplate.of(spec.path("template"));
            if (template.direct()) {
                first = first == null ? template : first;
                String name = job.path("name").asText();
                apps.add(new DirectJob.App(
                        name,
                        job.path("replicas").asInt(1),
                        IndexedJobs.completions(spec),
                        template.request().ranksPerPod()));
                // JobSet makes its Jobs indexed where nothing else is said.
                String mode = spec.path("completionMode").asText("Indexed");
                String reason = IndexedJobs.refusal("ReplicatedJob " + name, spec, mode, template);
                refusal = refusal == null ? reason : refusal;
            }
        }
        if (first == null) {
            refusal = owner.words() + " has no template that asks for a direct launch";
        }
        LaunchRequest request = first == null ? LaunchRequest.DEFAULTS : first.request();
        return new DirectJob(
                namespace,
                owner,
                apps,
                request.assemblyTimeout(),
                request.rankOrder(),
                refusal,
                new DirectJob.Advice(List.of(), withReadinessProbe(owner, object)));
    }

    private static @Nullable String withReadinessProbe(OwnerRef owner, JsonNode jobSet) {
        return jobSet.at("/spec/startupPolicy/startupPolicyOrder").asText().equals("InOrder")
                        && jobSet.at("/spec/replicatedJobs").size() > 1
                ? owner.words()
                        + " starts its jobs one after the other, each when the one before is ready, and here none is"
                        + " ready before all have started: set spec.startupPolicy.startupPolicyOrder: AnyOrder, or remove the"
                        + " readinessProbe"
                : null;
    }

    @Override
    public @Nullable JobEnd end(OwnerRef owner, JsonNode jobSet) {
        String state = jobSet.at("/status/terminalState").asText();
        return state.isEmpty() ? null : new JobEnd("Completed".equals(state), owner.words() + " has ended: " + state);
    }
}
