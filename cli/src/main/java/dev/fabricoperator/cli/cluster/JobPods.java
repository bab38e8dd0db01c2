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
import dev.fabricoperator.view.mapping.FabricMember;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Listable;
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
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The pods of a directly launched job and the devices of their nodes, which its FabricJob does not list. */
final class JobPods {
    /** So many are asked for one by one; for more the whole list takes less. */
    private static final int MOST_ASKED = 256;

    private static final int ASKED_AT_ONE_TIME = 8;
    private static final String CONTROLLER_UID = "batch.kubernetes.io/controller-uid";
    private static final String JOBSET = "jobset.sigs.k8s.io/jobset-name";
    private static final String VOLCANO_JOB = "volcano.sh/job-name";

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

    /**
     * What is kept of a pod.
     *
     * @param place that it is for, of which there is one pod at a time
     * @param created RFC 3339
     */
    record Seen(String place, String created, Placed placed) {}

    /** The newest pods of the job, one for each of its places; {@code null} where they may not be read. */
    @Nullable
    List<Placed> of(FabricJob job) throws Failure {
        String namespace = job.getMetadata().getNamespace();
        try {
            return placed(pods(namespace, job.getMetadata().getOwnerReferences()));
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
                err.println("warning: you may not list pods and jobs in namespace " + namespace
                        + "; where the job is, is not shown");
                return null;
            }
            throw Connection.refused(client, e, "list on pods and jobs in namespace " + namespace);
        }
    }

    /** Labels only spare the pods of other jobs: whose a pod is, its owner says. */
    private List<Seen> pods(String namespace, List<OwnerReference> owners) {
        Set<String> uids = new HashSet<>();
        owners.forEach(owner -> uids.add(owner.getUid()));
        OwnerReference first = owners.isEmpty() ? new OwnerReference() : owners.getFirst();
        String group = Objects.requireNonNullElse(first.getApiVersion(), "").replaceFirst("/.*", "");
        var direct = client.pods().inNamespace(namespace).withLabel(LaunchApi.LAUNCH, LaunchApi.DIRECT);
        return switch (group + " " + first.getKind()) {
            case "batch Job" -> {
                List<Seen> labelled = pods(direct.withLabel(CONTROLLER_UID, first.getUid()), uids);
                // Kubernetes writes no such label where the Job has a manualSelector.
                yield labelled.isEmpty() ? pods(direct.withoutLabel(CONTROLLER_UID), uids) : labelled;
            }
            case "jobset.x-k8s.io JobSet" -> {
                List<String> jobs = Pages.read(
                        client.batch().v1().jobs().inNamespace(namespace).withLabel(JOBSET, first.getName()),
                        one -> isOf(uids, one),
                        one -> one.getMetadata().getUid());
                uids.addAll(jobs);
                yield pods(direct.withLabel(JOBSET, first.getName()), uids);
            }
            case "batch.volcano.sh Job" -> pods(direct.withLabel(VOLCANO_JOB, first.getName()), uids);
            default -> pods(direct, uids);
        };
    }

    private static List<Seen> pods(Listable<PodList> asked, Set<String> owners) {
        return Pages.read(asked, pod -> isOf(owners, pod), JobPods::seen);
    }

    private static boolean isOf(Set<String> owners, HasMetadata object) {
        OwnerReference controller = controller(object);
        return controller != null && owners.contains(controller.getUid());
    }

    private static @Nullable OwnerReference controller(HasMetadata object) {
        return object.getMetadata().getOwnerReferences().stream()
                .filter(owner -> Boolean.TRUE.equals(owner.getController()))
                .findFirst()
                .orElse(null);
    }

    static Seen seen(Pod pod) {
        ObjectMeta metadata = pod.getMetadata();
        OwnerReference controller = controller(pod);
        String index = labels(pod).getOrDefault("batch.kubernetes.io/job-completion-index", "");
        return new Seen(
                index.isEmpty() || controller == null ? metadata.getName() : controller.getUid() + "/" + index,
                Objects.requireNonNullElse(metadata.getCreationTimestamp(), ""),
                new Placed(metadata.getName(), pod.getSpec().getNodeName(), ranks(pod)));
    }

    /** A pod that was made anew stands beside the one that it is for until that is collected: the newest counts. */
    static List<Placed> placed(List<Seen> pods) {
        Map<String, Seen> newest = new HashMap<>();
        for (Seen pod : pods) {
            newest.merge(pod.place(), pod, BinaryOperator.maxBy(NEWER));
        }
        return newest.values().stream()
                .map(Seen::placed)
                .sorted(Comparator.comparing(Placed::pod))
                .toList();
    }

    private static final Comparator<Seen> NEWER = Comparator.comparing(Seen::created)
            .thenComparing(pod -> pod.placed().pod());

    private static Map<String, String> labels(Pod pod) {
        return Objects.requireNonNullElse(pod.getMetadata().getLabels(), Map.of());
    }

    /** As its launcher is told; 1 where the pod says nothing that can be read. */
    private static int ranks(Pod pod) {
        for (Container container : pod.getSpec().getContainers()) {
            List<String> command = container.getCommand();
            int at = command == null ? -1 : Math.max(command.indexOf("--ranks"), command.indexOf("--serve-runs"));
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
        return nodes.size() > MOST_ASKED
                ? new ClusterFabrics(client, err)
                        .devices(device -> nodes.contains(device.getSpec().nodeName()))
                : each(
                        nodes,
                        node ->
                                client
                                        .resources(FabricDevice.class)
                                        .withField("spec.nodeName", node)
                                        .list()
                                        .getItems()
                                        .stream()
                                        .filter(FabricMember::isKnown)
                                        .toList());
    }

    /** What people call some switches, by id; of many that is not asked, and their ids stand for them. */
    Map<String, String> names(Set<String> ids) throws Failure {
        Map<String, String> names = new HashMap<>();
        if (ids.size() <= MOST_ASKED) {
            List<FabricSwitch> switches = each(
                    ids,
                    id -> client.resources(FabricSwitch.class)
                            .withField("spec.id", id)
                            .list()
                            .getItems());
            for (FabricSwitch one : switches) {
                if (one.getSpec().name() != null) {
                    names.putIfAbsent(one.getSpec().id(), one.getSpec().name());
                }
            }
        }
        return names;
    }

    private <T> List<T> each(Set<String> keys, Function<String, List<T>> question) throws Failure {
        List<T> all = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(
                ASKED_AT_ONE_TIME, Thread.ofVirtual().factory())) {
            List<Future<List<T>>> asked = new ArrayList<>();
            keys.forEach(key -> asked.add(threads.submit(() -> answer(key, question))));
            try {
                for (Future<List<T>> one : asked) {
                    all.addAll(ClusterFabrics.arrived(one));
                }
            } catch (Failure e) {
                threads.shutdownNow();
                throw e;
            }
        }
        return all;
    }

    private <T> List<T> answer(String key, Function<String, List<T>> question) throws Failure {
        try {
            return question.apply(key);
        } catch (KubernetesClientException e) {
            throw Connection.refused(client, e, ClusterFabrics.NEEDED);
        }
    }
}
