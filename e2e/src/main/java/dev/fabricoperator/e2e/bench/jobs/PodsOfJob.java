/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.jobs;

import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.e2e.cluster.ServiceAccountTokens;
import dev.fabricoperator.e2e.job.PlayedJobs;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** An Indexed Job and its pods as objects, with tokens by which whoever plays a pod proves itself. */
record PodsOfJob(KubernetesClient admin, String name, int pods, int ranks) {
    private static final String NAMESPACE = "default";

    /** Pods as the Job controller would make them, which does not run here. */
    List<Pod> create() {
        PlayedJobs.createServiceAccount(admin, NAMESPACE);
        Job job = PlayedJobs.create(
                admin, NAMESPACE, name, pods, Map.of(LaunchApi.RANKS_PER_POD, Integer.toString(ranks)));
        List<Pod> made = new ArrayList<>();
        for (int i = 0; i < pods; i++) {
            made.add(admin.resource(PlayedJobs.podOf(job, i).build()).create());
        }
        return made;
    }

    String token(Pod pod) {
        return ServiceAccountTokens.ofPod(admin, pod, LaunchApi.TOKEN_AUDIENCE);
    }
}
