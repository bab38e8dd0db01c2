/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.jobs;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;

/** An Indexed Job and its pods as objects, with tokens by which whoever plays a pod proves itself. */
record PodsOfJob(KubernetesClient admin, String name, int pods, int ranks) {
    private static final String NAMESPACE = "default";

    /** Pods as the Job controller would make them, which does not run here. */
    List<Pod> create() {
        admin.resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withNamespace(NAMESPACE)
                        .withName("default")
                        .endMetadata()
                        .build())
                .serverSideApply();
        Job job = admin.resource(new JobBuilder()
                        .withNewMetadata()
                        .withNamespace(NAMESPACE)
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withCompletions(pods)
                        .withParallelism(pods)
                        .withCompletionMode("Indexed")
                        .withNewTemplate()
                        .withNewMetadata()
                        .addToAnnotations("fabric-operator.dev/launch", "direct")
                        .addToAnnotations("fabric-operator.dev/ranks-per-pod", Integer.toString(ranks))
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
                        .build())
                .create();
        List<Pod> made = new ArrayList<>();
        for (int i = 0; i < pods; i++) {
            made.add(admin.resource(new PodBuilder()
                            .withNewMetadata()
                            .withNamespace(NAMESPACE)
                            .withName(name + "-" + i)
                            .addToLabels("fabric-operator.dev/launch", "direct")
                            .addToLabels("batch.kubernetes.io/job-completion-index", Integer.toString(i))
                            .addNewOwnerReference()
                            .withApiVersion("batch/v1")
                            .withKind("Job")
                            .withName(name)
                            .withUid(job.getMetadata().getUid())
                            .withController(true)
                            .endOwnerReference()
                            .endMetadata()
                            .withNewSpec()
                            .addNewContainer()
                            .withName("ranks")
                            .withImage("none")
                            .endContainer()
                            .endSpec()
                            .build())
                    .create());
        }
        return made;
    }

    String token(Pod pod) {
        return admin.serviceAccounts()
                .inNamespace(NAMESPACE)
                .withName("default")
                .tokenRequest(new TokenRequestBuilder()
                        .withNewSpec()
                        .withAudiences("fabric-operator-jobs")
                        .withExpirationSeconds(3600L)
                        .withNewBoundObjectRef()
                        .withApiVersion("v1")
                        .withKind("Pod")
                        .withName(pod.getMetadata().getName())
                        .withUid(pod.getMetadata().getUid())
                        .endBoundObjectRef()
                        .endSpec()
                        .build())
                .getStatus()
                .getToken();
    }
}
