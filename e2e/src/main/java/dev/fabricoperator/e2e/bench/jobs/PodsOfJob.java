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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** An Indexed Job and its pods as objects, with tokens by which whoever plays a pod proves itself. */
record PodsOfJob(KubernetesClient admin, String namespace, String name, int pods, int ranks) {
    private static final int AT_ONE_TIME = 16;
    private static final int PODS_OF_NODE = 8;

    /**
     * Pods as the Job controller and the scheduler would make them, which do not run here.
     *
     * @return a file with its token for each, by index
     */
    List<Path> create(Path directory) throws InterruptedException {
        PlayedJobs.createServiceAccount(admin, namespace);
        Job job = PlayedJobs.create(
                admin, namespace, name, pods, Map.of(LaunchApi.RANKS_PER_POD, Integer.toString(ranks)));
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONE_TIME)) {
            List<Future<Path>> tokens = IntStream.range(0, pods)
                    .mapToObj(index -> threads.submit(() -> create(job, index, directory)))
                    .toList();
            return tokens.stream().map(PodsOfJob::made).toList();
        }
    }

    private Path create(Job job, int index, Path directory) throws IOException {
        Pod pod = admin.resource(PlayedJobs.podOf(job, index)
                        .editSpec()
                        .withNodeName("node-" + index / PODS_OF_NODE)
                        .endSpec()
                        .build())
                .create();
        return Files.writeString(
                directory.resolve(namespace + "-" + name + "-" + index),
                ServiceAccountTokens.ofPod(admin, pod, LaunchApi.TOKEN_AUDIENCE));
    }

    private static Path made(Future<Path> token) {
        try {
            return token.get();
        } catch (ExecutionException e) {
            throw new UncheckedIOException(new IOException(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException(e));
        }
    }
}
