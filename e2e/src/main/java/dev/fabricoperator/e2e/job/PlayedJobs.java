/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import dev.fabricoperator.crds.LaunchApi;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.HashMap;
import java.util.Map;

/** Jobs and tokens on a control plane without kubelets, where the pods' part is played. */
public final class PlayedJobs {
    private PlayedJobs() {}

    /** Whose tokens the pods of a namespace have; the controllers make it where they run. */
    public static void createServiceAccount(KubernetesClient admin, String namespace) {
        admin.resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName("default")
                        .endMetadata()
                        .build())
                .serverSideApply();
    }

    /** A pod as the Job controller makes it, where that does not run. */
    public static PodBuilder podOf(Job job, int index) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace(job.getMetadata().getNamespace())
                .withName(job.getMetadata().getName() + "-" + index)
                .addToLabels(LaunchApi.LAUNCH, LaunchApi.DIRECT)
                .addToLabels("batch.kubernetes.io/job-completion-index", Integer.toString(index))
                .addToLabels(job.getSpec().getSelector().getMatchLabels())
                .addNewOwnerReference()
                .withApiVersion("batch/v1")
                .withKind("Job")
                .withName(job.getMetadata().getName())
                .withUid(job.getMetadata().getUid())
                .withController(true)
                .endOwnerReference()
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("ranks")
                .withImage("none")
                .endContainer()
                .endSpec();
    }

    /** Creates an Indexed Job that asks for a direct launch. Its pods carry the label that admission would give them. */
    public static Job create(
            KubernetesClient admin, String namespace, String name, int pods, Map<String, String> annotations) {
        return admin.resource(job(namespace, name, pods, annotations)).create();
    }

    /** The same, not created. */
    public static Job job(String namespace, String name, int pods, Map<String, String> annotations) {
        Map<String, String> asked = new HashMap<>(annotations);
        asked.put(LaunchApi.LAUNCH, LaunchApi.DIRECT);
        return new JobBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withCompletions(pods)
                .withParallelism(pods)
                .withCompletionMode("Indexed")
                .withNewTemplate()
                .withNewMetadata()
                .withAnnotations(asked)
                .addToLabels(LaunchApi.LAUNCH, LaunchApi.DIRECT)
                .endMetadata()
                .withNewSpec()
                .withRestartPolicy("Never")
                .addNewContainer()
                .withName("ranks")
                .withImage("none")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }
}
