/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.operator.cluster.PagedList;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.LaunchRequest;
import dev.fabricoperator.operator.launch.RankOrder;
import dev.fabricoperator.operator.server.jobs.placement.HostOrder;
import dev.fabricoperator.operator.server.jobs.placement.HostOrder.PlacedHost;
import dev.fabricoperator.operator.server.jobs.placement.KnownFabrics;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells the launcher of an MPIJob, or of a JobSet, that reaches its workers by ssh in which order the fabric has them. Of the pods of its own job only, by the label that
 * their controller gives them; who gives it to other pods of his namespace learns of these.
 */
final class SshHosts {
    /** Of the pods of one job. */
    private static final List<String> JOB_LABELS =
            List.of("training.kubeflow.org/job-name", "jobset.sigs.k8s.io/jobset-name");
    /** Variables of a launcher, of Open MPI 4 and 5 and of Intel MPI. */
    private static final Set<String> SLOTS =
            Set.of("OMPI_MCA_orte_set_default_slots", "PRTE_MCA_prte_set_default_slots", "I_MPI_PERHOST");

    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,3}");
    /** Each lists the pods of a job. */
    private static final int MAX_WORKING = 4;
    /** For a turn, which with it is less than a launcher waits for its answer; then it asks again. */
    private static final Duration PATIENCE = Duration.ofSeconds(4);

    private static final Duration LONGEST_TURN = Duration.ofSeconds(6);

    private final KubernetesClient client;
    private final DirectPods pods;
    private final KnownFabrics known;
    /** Whoever waits is served in turn: namespaces that ask again at once, and whose pods are many, keep no other out. */
    private final Semaphore turns = new Semaphore(MAX_WORKING, true);
    /** Namespaces of which a launcher waits or is answered: one of each, whose launchers ask as often as they like. */
    private final Set<String> asking = ConcurrentHashMap.newKeySet();

    private final Duration patience;
    private final Duration longestTurn;

    SshHosts(KubernetesClient client, DirectPods pods, KnownFabrics known) {
        this(client, pods, known, PATIENCE, LONGEST_TURN);
    }

    SshHosts(KubernetesClient client, DirectPods pods, KnownFabrics known, Duration patience, Duration longestTurn) {
        this.patience = patience;
        this.longestTurn = longestTurn;
        this.client = client;
        this.pods = pods;
        this.known = known;
    }

    /** @return one host name a line, of the pods that have a node */
    JobResponse answer(PodTokens.BoundPod proven) throws JobRefusedException, InterruptedException {
        if (!asking.add(proven.namespace())) {
            return JobResponse.later("another launcher of this namespace asks for the order of its hosts at this time");
        }
        try {
            if (!turns.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                return JobResponse.later("launchers of other namespaces ask for the order of their hosts at this time");
            }
            try {
                return inTurn(proven);
            } finally {
                turns.release();
            }
        } finally {
            asking.remove(proven.namespace());
        }
    }

    private JobResponse inTurn(PodTokens.BoundPod proven) throws JobRefusedException, InterruptedException {
        try {
            Pod launcher = pods.get(proven.namespace(), proven.name(), proven.uid());
            if (launcher == null) {
                throw JobRefusedException.of(403, "there is no pod " + proven.name() + " with the UID of the token");
            }
            LaunchRequest request = request(launcher);
            int slots = slots(launcher);
            int podsOfAGroup = slots > 0 && request.groupSize() % slots == 0 ? request.groupSize() / slots : 1;
            List<PlacedHost> hosts = hosts(launcher);
            return JobResponse.text(
                    200, String.join("\n", HostOrder.of(known, hosts, request.fabrics(), podsOfAGroup)));
        } catch (KubernetesClientException | IOException e) {
            return JobResponse.later("the API server could not say which pods the job of " + proven.name() + " has");
        }
    }

    private static LaunchRequest request(Pod launcher) throws JobRefusedException {
        try {
            LaunchRequest request = LaunchRequest.of(
                    Objects.requireNonNullElse(launcher.getMetadata().getAnnotations(), Map.of()));
            if (request != null
                    && request.mode() == LaunchRequest.Mode.ENV
                    && request.rankOrder() == RankOrder.topology) {
                return request;
            }
        } catch (LaunchRequest.InvalidAnnotationException e) {
            // Then it asks for nothing.
        }
        throw JobRefusedException.of(
                403, "pod " + launcher.getMetadata().getName() + " does not ask for the order of hosts");
    }

    /** How many ranks mpirun starts in each pod, as the controller of the job tells it; 0 where it tells nothing, as for MPICH. */
    static int slots(Pod launcher) {
        return launcher.getSpec().getContainers().stream()
                .flatMap(container -> container.getEnv().stream())
                .filter(variable -> SLOTS.contains(variable.getName()) && variable.getValue() != null)
                .filter(variable -> NUMBER.matcher(variable.getValue()).matches())
                .mapToInt(variable -> Integer.parseInt(variable.getValue()))
                .findFirst()
                .orElse(0);
    }

    private List<PlacedHost> hosts(Pod launcher) throws JobRefusedException {
        String name = launcher.getMetadata().getName();
        Map<String, String> labels =
                Objects.requireNonNullElse(launcher.getMetadata().getLabels(), Map.of());
        for (String label : JOB_LABELS) {
            String job = labels.get(label);
            if (job != null) {
                return hosts(launcher.getMetadata().getNamespace(), label, job);
            }
        }
        throw JobRefusedException.of(403, "pod " + name + " is of no MPIJob and no JobSet");
    }

    private List<PlacedHost> hosts(String namespace, String label, String job) throws JobRefusedException {
        List<PlacedHost> hosts = new ArrayList<>();
        long end = System.nanoTime() + longestTurn.toNanos();
        PagedList.forEach(
                options -> {
                    if (System.nanoTime() - end > 0) {
                        throw new KubernetesClientException("the pods of " + job + " take too long to list");
                    }
                    return client.pods()
                            .inNamespace(namespace)
                            .withLabel(label, job)
                            .list(options);
                },
                (Pod pod) -> {
                    PlacedHost host = placed(pod);
                    if (host != null && hosts.size() <= DirectJob.MAX_PODS) {
                        hosts.add(host);
                    }
                });
        if (hosts.size() > DirectJob.MAX_PODS) {
            throw JobRefusedException.of(409, job + " has more than " + DirectJob.MAX_PODS + " pods");
        }
        hosts.sort(Comparator.comparing(PlacedHost::host));
        return hosts;
    }

    /** Another pod may have its host name by now. */
    private static boolean isOver(Pod pod) {
        String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }

    private static @Nullable PlacedHost placed(Pod pod) {
        String node = pod.getSpec().getNodeName();
        if (node == null || pod.getMetadata().getDeletionTimestamp() != null || isOver(pod)) {
            return null;
        }
        return new PlacedHost(
                Objects.requireNonNullElse(
                        pod.getSpec().getHostname(), pod.getMetadata().getName()),
                node);
    }
}
