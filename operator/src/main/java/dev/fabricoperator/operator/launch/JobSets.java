/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * JobSets: one nspace, each ReplicatedJob whose template asks for a direct launch an app.
 *
 * @see "sigs.k8s.io/jobset api/jobset/v1alpha2, labels of pods and spec.replicatedJobs"
 */
public final class JobSets implements JobKind {
    private static final String LABELS = "jobset.sigs.k8s.io/";
    private static final String API_VERSION = "jobset.x-k8s.io/v1alpha2";
    private static final String KIND = "JobSet";
    private static final ResourceDefinitionContext JOB_SETS = new ResourceDefinitionContext.Builder()
            .withGroup("jobset.x-k8s.io")
            .withVersion("v1alpha2")
            .withKind(KIND)
            .withPlural("jobsets")
            .withNamespaced(true)
            .build();

    private final KubernetesClient client;

    public JobSets(KubernetesClient client) {
        this.client = client;
    }

    @Override
    public @Nullable Claim claim(PodFact pod) {
        String name = pod.labels().get(LABELS + "jobset-name");
        String uid = pod.labels().get(LABELS + "jobset-uid");
        String app = pod.labels().get(LABELS + "replicatedjob-name");
        int job = IndexedJobs.number(pod.labels().get(LABELS + "job-index"));
        int index = IndexedJobs.number(pod.labels().get(IndexedJobs.INDEX_LABEL));
        return name == null || uid == null || app == null || job < 0 || index < 0
                ? null
                : new Claim(new OwnerRef(API_VERSION, KIND, name, uid), app, job, index);
    }

    @Override
    public @Nullable JobFacts read(String namespace, OwnerRef owner) {
        GenericKubernetesResource found = find(namespace, owner);
        if (found == null) {
            return null;
        }
        List<Replicated> jobs = new ArrayList<>();
        for (int i = 0; found.get("spec", "replicatedJobs", i) != null; i++) {
            Integer replicas = found.get("spec", "replicatedJobs", i, "replicas");
            Object spec = found.get("spec", "replicatedJobs", i, "template", "spec");
            jobs.add(new Replicated(
                    Objects.requireNonNullElse(found.get("spec", "replicatedJobs", i, "name"), ""),
                    Objects.requireNonNullElse(replicas, 1),
                    client.getKubernetesSerialization().convertValue(spec, JobSpec.class)));
        }
        return facts(namespace, owner, jobs);
    }

    @Override
    public @Nullable JobEnd end(String namespace, OwnerRef owner) {
        if (!KIND.equals(owner.kind())) {
            return null;
        }
        GenericKubernetesResource found = find(namespace, owner);
        if (found == null) {
            return new JobEnd(false, "JobSet " + owner.name() + " is gone");
        }
        String state = found.get("status", "terminalState");
        return state == null || state.isEmpty()
                ? null
                : new JobEnd("Completed".equals(state), "JobSet " + owner.name() + " has ended: " + state);
    }

    /** Not another one of the same name. */
    private @Nullable GenericKubernetesResource find(String namespace, OwnerRef owner) {
        GenericKubernetesResource found = client.genericKubernetesResources(JOB_SETS)
                .inNamespace(namespace)
                .withName(owner.name())
                .get();
        return found != null && owner.uid().equals(found.getMetadata().getUid()) ? found : null;
    }

    /** An element of {@code spec.replicatedJobs}. */
    record Replicated(String name, int replicas, JobSpec spec) {}

    static JobFacts facts(String namespace, OwnerRef owner, List<Replicated> jobs) {
        List<JobFacts.App> apps = new ArrayList<>();
        IndexedJobs.Template first = null;
        String refusal = null;
        for (Replicated job : jobs) {
            IndexedJobs.Template template = IndexedJobs.Template.of(job.spec());
            if (template.direct()) {
                first = first == null ? template : first;
                apps.add(new JobFacts.App(
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
        return new JobFacts(namespace, owner, apps, request.assemblyTimeout(), request.rankOrder(), refusal);
    }

    /** JobSet makes its Jobs indexed where nothing else is said. */
    private static JobSpec completed(JobSpec spec) {
        if (spec.getCompletionMode() == null) {
            spec.setCompletionMode("Indexed");
        }
        return spec;
    }
}
