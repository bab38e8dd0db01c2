/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.LaunchApi;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The pods of a directly launched job and the devices of their nodes, which its FabricJob does not list. */
final class JobPods {
    /** So many are asked for one by one; for more the whole list takes less. */
    private static final int MOST_ASKED = 32;

    private final KubernetesClient client;
    private final PrintWriter err;

    JobPods(KubernetesClient client, PrintWriter err) {
        this.client = client;
        this.err = err;
    }

    /**
     * A pod of the job.
     *
     * @param node {@code null} before it is scheduled
     * @param ranks that its launcher starts
     */
    record Placed(String pod, @Nullable String node, int ranks) {}

    /** The newest pods of the job, one for each of its places; {@code null} where they may not be read. */
    @Nullable
    List<Placed> of(FabricJob job) throws Failure {
        String namespace = job.getMetadata().getNamespace();
        Set<String> owners = new HashSet<>();
        for (OwnerReference owner : job.getMetadata().getOwnerReferences()) {
            owners.add(owner.getUid());
        }
        try {
            List<Pod> labelled = pods(namespace);
            boolean throughJobs = labelled.stream().anyMatch(pod -> {
                OwnerReference controller = controller(pod);
                return controller != null
                        && controller.getKind().equals("Job")
                        && !owners.contains(controller.getUid());
            });
            if (throughJobs) {
                for (Job one :
                        client.batch().v1().jobs().inNamespace(namespace).list().getItems()) {
                    OwnerReference controller = controller(one);
                    if (controller != null && owners.contains(controller.getUid())) {
                        owners.add(one.getMetadata().getUid());
                    }
                }
            }
            return placed(labelled, owners);
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
                err.println("warning: you may not list pods and jobs in namespace " + namespace
                        + "; where the job is, is not shown");
                return null;
            }
            throw Connection.refused(client, e, "list on pods and jobs in namespace " + namespace);
        }
    }

    private List<Pod> pods(String namespace) {
        List<Pod> all = new ArrayList<>();
        String next = "";
        do {
            PodList page = client.pods()
                    .inNamespace(namespace)
                    .withLabel(LaunchApi.LAUNCH, LaunchApi.DIRECT)
                    .list(new ListOptionsBuilder()
                            .withLimit((long) ClusterFabrics.PAGE)
                            .withContinue(next.isEmpty() ? null : next)
                            .build());
            all.addAll(page.getItems());
            next = Objects.requireNonNullElse(page.getMetadata().getContinue(), "");
        } while (!next.isEmpty());
        return all;
    }

    private static @Nullable OwnerReference controller(HasMetadata object) {
        return object.getMetadata().getOwnerReferences().stream()
                .filter(owner -> Boolean.TRUE.equals(owner.getController()))
                .findFirst()
                .orElse(null);
    }

    /** A pod that was made anew stands beside the one that it is for until that is collected: the newest counts. */
    static List<Placed> placed(List<Pod> pods, Set<String> owners) {
        Map<String, Pod> newest = new TreeMap<>();
        for (Pod pod : pods) {
            OwnerReference controller = controller(pod);
            if (controller != null && owners.contains(controller.getUid())) {
                String index = labels(pod).getOrDefault("batch.kubernetes.io/job-completion-index", "");
                String place = index.isEmpty() ? pod.getMetadata().getName() : controller.getUid() + "/" + index;
                newest.merge(place, pod, (one, other) -> NEWER.compare(one, other) >= 0 ? one : other);
            }
        }
        return newest.values().stream()
                .map(pod ->
                        new Placed(pod.getMetadata().getName(), pod.getSpec().getNodeName(), ranks(pod)))
                .sorted(Comparator.comparing(Placed::pod))
                .toList();
    }

    private static final Comparator<Pod> NEWER = Comparator.comparing(
                    (Pod pod) -> Objects.requireNonNullElse(pod.getMetadata().getCreationTimestamp(), ""))
            .thenComparing(pod -> pod.getMetadata().getName());

    private static Map<String, String> labels(Pod pod) {
        return Objects.requireNonNullElse(pod.getMetadata().getLabels(), Map.of());
    }

    /** As its launcher is told; 1 where the pod says nothing that can be read. */
    private static int ranks(Pod pod) {
        for (Container container : pod.getSpec().getContainers()) {
            List<String> command = container.getCommand();
            int at = command == null ? -1 : command.indexOf("--ranks");
            if (at >= 0 && at + 1 < command.size() && command.get(at + 1).matches("[0-9]{1,7}")) {
                return Integer.parseInt(command.get(at + 1));
            }
        }
        Map<String, String> annotations =
                Objects.requireNonNullElse(pod.getMetadata().getAnnotations(), Map.of());
        String asked = annotations.getOrDefault(LaunchApi.RANKS_PER_POD, "1").strip();
        return asked.matches("[0-9]{1,7}") ? Integer.parseInt(asked) : 1;
    }

    /** Those of the nodes; some more where there are many nodes. */
    List<FabricDevice> devices(@Nullable List<Placed> pods) throws Failure {
        TreeSet<String> nodes = new TreeSet<>();
        for (Placed pod : pods == null ? List.<Placed>of() : pods) {
            if (pod.node() != null) {
                nodes.add(pod.node());
            }
        }
        if (nodes.size() > MOST_ASKED) {
            return new ClusterFabrics(client, err)
                    .devices().stream()
                            .filter(device -> nodes.contains(device.getSpec().nodeName()))
                            .toList();
        }
        List<FabricDevice> devices = new ArrayList<>();
        try {
            for (String node : nodes) {
                devices.addAll(client.resources(FabricDevice.class)
                        .withField("spec.nodeName", node)
                        .list()
                        .getItems());
            }
        } catch (KubernetesClientException e) {
            throw Connection.refused(client, e, ClusterFabrics.NEEDED);
        }
        return devices;
    }

    /** What people call some switches, by id; of many that is not asked, and their ids stand for them. */
    Map<String, String> names(Set<String> ids) throws Failure {
        Map<String, String> names = new HashMap<>();
        if (ids.size() > MOST_ASKED) {
            return names;
        }
        try {
            for (String id : ids) {
                for (FabricSwitch one : client.resources(FabricSwitch.class)
                        .withField("spec.id", id)
                        .list()
                        .getItems()) {
                    if (one.getSpec().name() != null) {
                        names.putIfAbsent(id, one.getSpec().name());
                    }
                }
            }
        } catch (KubernetesClientException e) {
            throw Connection.refused(client, e, ClusterFabrics.NEEDED);
        }
        return names;
    }
}
