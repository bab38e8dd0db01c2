/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.fabricoperator.fabric.job.HostScores;
import dev.fabricoperator.operator.launch.JobKey;
import dev.fabricoperator.operator.launch.PodFact;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answers kube-scheduler's question which nodes it should prefer for a pod.
 *
 * @see "k8s.io/kube-scheduler/extender/v1, ExtenderArgs and HostPriorityList"
 */
final class Priorities {
    /** More than Kubernetes supports. */
    private static final int MOST_NODES = 20_000;

    static final ObjectMapper JSON = new ObjectMapper();

    private final List<HostScores> fabrics;
    private final JobPods pods;
    private final Sizes sizes;

    /** How many pods a job has. */
    interface Sizes {
        /** @return 0 where that is not known in time */
        int pods(PodFact pod) throws InterruptedException;
    }

    /** @param fabrics that nodes can be in, the one that goes first at the front */
    Priorities(List<HostScores> fabrics, JobPods pods, Sizes sizes) {
        this.fabrics = fabrics;
        this.pods = pods;
        this.sizes = sizes;
    }

    /** @throws IOException where the body is no question of a scheduler that is configured as the documentation says */
    byte[] answer(byte[] body) throws IOException, InterruptedException {
        JsonNode arguments = JSON.readTree(body);
        JsonNode names = arguments.path("NodeNames");
        if (!names.isArray()) {
            throw new IOException("no NodeNames: set nodeCacheCapable: true in the extender's configuration");
        }
        if (names.size() > MOST_NODES) {
            throw new IOException("more than " + MOST_NODES + " nodes");
        }
        List<String> nodes = new ArrayList<>(names.size());
        names.forEach(name -> nodes.add(name.asText()));
        Pod pod = JSON.treeToValue(arguments.path("Pod"), Pod.class);
        if (pod == null || pod.getMetadata() == null) {
            throw new IOException("no Pod");
        }
        Map<String, Integer> scores = scores(PodFact.of(pod), nodes);
        ArrayNode list = JSON.createArrayNode();
        for (String node : nodes) {
            list.addObject().put("Host", node).put("Score", scores.getOrDefault(node, 0));
        }
        return JSON.writeValueAsBytes(list);
    }

    private Map<String, Integer> scores(PodFact pod, List<String> nodes) throws InterruptedException {
        JobKey job = JobPods.job(pod);
        HostScores fabric = job == null ? null : fabricOf(nodes);
        if (job == null || fabric == null) {
            return Map.of();
        }
        JobPods.Others others = pods.others(job, pod.uid());
        int missing = sizes.pods(pod) - others.placed().size();
        Map<String, Integer> scores = fabric.of(nodes, others.placed(), Math.max(missing, others.waiting() + 1));
        nodes.stream()
                .filter(node -> scores.getOrDefault(node, 0) == HostScores.HIGHEST)
                .min(Comparator.naturalOrder())
                .ifPresent(best -> pods.assume(pod.uid(), best));
        return scores;
    }

    private @Nullable HostScores fabricOf(List<String> nodes) {
        HostScores most = null;
        int known = 0;
        for (HostScores fabric : fabrics) {
            int here = fabric.known(nodes);
            if (here > known) {
                most = fabric;
                known = here;
            }
        }
        return most;
    }
}
