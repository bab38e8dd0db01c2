/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.extender;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.cluster.ApiReader;
import dev.fabricoperator.operator.launch.OwnerReader;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.PodFact;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Duration;
import org.jboss.logging.Logger;

/** How many pods a Job has at one time, how many workers an MPIJob and how many replicas a StatefulSet: controllers make them bit by bit. */
final class JobSizes implements Priorities.Sizes {
    private static final Logger LOG = Logger.getLogger(JobSizes.class);
    private static final int CONCURRENT_READS = 4;
    private static final int MOST_KEPT = 4096;
    private static final Duration KEPT = Duration.ofMinutes(1);

    private final OwnerReader<Integer> reader;

    JobSizes(KubernetesClient client, SteadyClock clock, Duration wait) {
        reader = new OwnerReader<>(
                new ApiReader(client, CONCURRENT_READS),
                clock,
                wait,
                MOST_KEPT,
                (namespace, reference, owner, others) -> size(owner));
    }

    @Override
    public int pods(PodFact pod) throws InterruptedException {
        OwnerRef controller = pod.controller();
        try {
            Integer size = controller == null ? null : reader.read(pod.namespace(), controller, KEPT);
            return size == null ? 0 : size;
        } catch (IOException e) {
            LOG.debugf("the pods of %s that are there count: %s", controller, e.getMessage());
            return 0;
        }
    }

    static int size(JsonNode owner) {
        JsonNode spec = owner.path("spec");
        int parallelism = spec.path("parallelism").asInt(0);
        int completions = spec.path("completions").asInt(parallelism);
        if (parallelism > 0) {
            return Math.min(parallelism, completions);
        }
        int workers = spec.at("/mpiReplicaSpecs/Worker/replicas").asInt(0);
        return workers > 0 ? workers : spec.path("replicas").asInt(0);
    }
}
