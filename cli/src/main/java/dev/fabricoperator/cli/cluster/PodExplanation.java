/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.crds.LaunchApi;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.io.File;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the operator has made of a pod, from where, and why not.
 *
 * @param pod {@code null} for what makes pods, none of which is there
 * @param launch {@code direct}, {@code env}, or {@code null} where the pod asks for neither
 * @param injected in the order in which a reader asks
 * @param warnings what the operator found doubtful when the pod was made
 * @param events warnings of the pod and of what made it, the newest last
 * @param next what to do, {@code null} where there is nothing
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record PodExplanation(
        String namespace,
        @Nullable String pod,
        @Nullable String node,
        @Nullable String launch,
        boolean optedIn,
        List<Injected> injected,
        List<String> warnings,
        List<String> events,
        @Nullable String next) {
    private static final String FIELD = "metadata.annotations['" + LaunchApi.DEVICE_VARIABLE;

    private static final int MOST_EVENTS = 10;
    /** Of a launcher only where that is a worker, too. */
    private static final String INDEX_IN_MPI_JOB = "training.kubeflow.org/replica-index";

    /** Kinds that make pods, in the order in which they are asked for. */
    private static final List<Workload> WORKLOADS = List.of(
            new Workload("batch", "v1", "Job", "jobs", "-l batch.kubernetes.io/job-name=%s"),
            new Workload("batch.volcano.sh", "v1alpha1", "Job", "jobs", "-l volcano.sh/job-name=%s"),
            new Workload("jobset.x-k8s.io", "v1alpha2", "JobSet", "jobsets", "-l jobset.sigs.k8s.io/jobset-name=%s"),
            new Workload("apps", "v1", "StatefulSet", "statefulsets", "%s-0"),
            new Workload("kubeflow.org", "v2beta1", "MPIJob", "mpijobs", "-l training.kubeflow.org/job-name=%s"));

    /** @param pods arguments of {@code kubectl get pods}, {@code %s} for its name */
    private record Workload(String group, String version, String kind, String plural, String pods) {
        ResourceDefinitionContext context() {
            return new ResourceDefinitionContext.Builder()
                    .withGroup(group)
                    .withVersion(version)
                    .withKind(kind)
                    .withPlural(plural)
                    .withNamespaced(true)
                    .build();
        }
    }

    /** @param from what it was made of: an annotation, a field, the devices of a node */
    public record Injected(String what, String value, String from) {}

    /**
     * Reads the pod of that name, or where there is none the Job, JobSet, StatefulSet, MPIJob or Volcano Job, of whose pods perhaps none was let in.
     *
     * @param namespace {@code null} for that of the kubeconfig's context
     */
    public static PodExplanation of(
            @Nullable String context, @Nullable File kubeconfig, @Nullable String namespace, String name)
            throws Failure {
        try (KubernetesClient client = Connection.open(context, kubeconfig, "start a cluster")) {
            String asked = Objects.requireNonNullElseGet(namespace, () -> Connection.currentNamespace(client));
            try {
                return read(client, asked, name);
            } catch (KubernetesClientException e) {
                throw Connection.refused(
                        client, e, "get on pods, jobs and namespaces, and list on events, in namespace " + asked);
            }
        }
    }

    static PodExplanation read(KubernetesClient client, String namespace, String name) throws Failure {
        Namespace of = client.namespaces().withName(namespace).get();
        boolean optedIn = of != null
                && of.getMetadata().getLabels() != null
                && LaunchApi.INJECTION_ENABLED.equals(
                        of.getMetadata().getLabels().get(LaunchApi.LABEL_INJECTION));
        Pod pod = client.pods().inNamespace(namespace).withName(name).get();
        if (pod != null) {
            OwnerReference owner = pod.getMetadata().getOwnerReferences().stream()
                    .filter(each -> Boolean.TRUE.equals(each.getController()))
                    .findFirst()
                    .orElse(null);
            List<String> events = new ArrayList<>(
                    newest(events(client, namespace, pod.getMetadata().getUid())));
            if (owner != null) {
                // Those of a large Job must not hide the pod's own.
                events.addAll(newest(events(client, namespace, owner.getUid())));
            }
            return explain(pod, optedIn, events);
        }
        return workload(client, namespace, name, optedIn);
    }

    private static PodExplanation workload(KubernetesClient client, String namespace, String name, boolean optedIn)
            throws Failure {
        List<String> hidden = new ArrayList<>();
        for (Workload kind : WORKLOADS) {
            HasMetadata found = null;
            try {
                found = client.genericKubernetesResources(kind.context())
                        .inNamespace(namespace)
                        .withName(name)
                        .get();
            } catch (KubernetesClientException e) {
                if (e.getCode() != HttpURLConnection.HTTP_FORBIDDEN) {
                    throw e;
                }
                hidden.add(kind.plural() + "." + kind.group());
            }
            if (found != null) {
                List<String> events =
                        newest(events(client, namespace, found.getMetadata().getUid()));
                return new PodExplanation(
                        namespace,
                        null,
                        null,
                        null,
                        optedIn,
                        List.of(),
                        List.of(),
                        events,
                        events.isEmpty()
                                ? "name one of its pods: 'kubectl get pods -n " + namespace + " "
                                        + kind.pods().formatted(name) + "'"
                                : "the last event says why no pod is made");
            }
        }
        throw Failure.wrongUsage("no pod, Job, JobSet, StatefulSet, MPIJob or Volcano Job '" + name + "' in namespace "
                + namespace + (hidden.isEmpty() ? "" : "; you may not get " + String.join(", ", hidden)));
    }

    private static List<String> newest(List<String> events) {
        return events.subList(Math.max(0, events.size() - MOST_EVENTS), events.size());
    }

    /** Oldest first; by UID, since Jobs of two kinds may have one name. */
    static List<String> events(KubernetesClient client, String namespace, String uid) {
        return Pages.read(
                        client.v1()
                                .events()
                                .inNamespace(namespace)
                                .withField("involvedObject.uid", uid)
                                .withField("type", "Warning"),
                        all -> true,
                        event -> Map.entry(time(event), sentence(event)))
                .stream()
                .sorted(Map.Entry.comparingByKey())
                .map(Map.Entry::getValue)
                .toList();
    }

    /** Of an event's last occurrence, as far as it says so; RFC 3339. */
    private static String time(Event event) {
        String last = event.getLastTimestamp();
        if (last == null && event.getEventTime() != null) {
            last = event.getEventTime().getTime();
        }
        return Objects.requireNonNullElse(
                last, Objects.requireNonNullElse(event.getMetadata().getCreationTimestamp(), ""));
    }

    private static String sentence(Event event) {
        return event.getInvolvedObject().getKind() + " "
                + event.getInvolvedObject().getName() + ": " + event.getReason() + ": " + event.getMessage();
    }

    static PodExplanation explain(Pod pod, boolean optedIn, List<String> events) {
        Map<String, String> annotations = new HashMap<>();
        if (pod.getMetadata().getAnnotations() != null) {
            annotations.putAll(pod.getMetadata().getAnnotations());
        }
        String launch = annotations.get(LaunchApi.LAUNCH);
        List<Injected> injected = new ArrayList<>();
        for (Container container : pod.getSpec().getContainers()) {
            describe(pod, container, annotations, injected);
        }
        String warnings = annotations.getOrDefault(LaunchApi.WARNINGS, "");
        return new PodExplanation(
                pod.getMetadata().getNamespace(),
                pod.getMetadata().getName(),
                pod.getSpec().getNodeName(),
                launch == null ? null : launch.strip(),
                optedIn,
                injected,
                warnings.isEmpty() ? List.of() : List.of(warnings.split("\n")),
                events,
                next(pod, launch, optedIn, !injected.isEmpty()));
    }

    private static void describe(
            Pod pod, Container container, Map<String, String> annotations, List<Injected> injected) {
        String name = "container " + container.getName();
        List<String> command = container.getCommand();
        if (container.getName().equals(LaunchApi.PMIXD_CONTAINER)) {
            injected.add(new Injected(
                    "PMIx server",
                    name,
                    annotations.getOrDefault(LaunchApi.SECOND_CONTAINER, "the image of PMIx servers")));
        } else if (!command.isEmpty()
                && (command.getFirst().equals(LaunchApi.IMAGE_VOLUME_LAUNCHER)
                        || command.getFirst().equals(LaunchApi.SECOND_CONTAINER_LAUNCHER))) {
            if (command.contains("--pmixd")) {
                injected.add(new Injected("PMIx server", "in " + name, "image volume " + imageVolume(pod)));
            }
            option(command, "--ranks")
                    .ifPresent(ranks -> injected.add(new Injected(
                            "ranks",
                            ranks,
                            annotations.containsKey(LaunchApi.RANKS_PER_POD)
                                    ? "annotation " + LaunchApi.RANKS_PER_POD
                                    : "default")));
            option(command, "--serve-runs")
                    .ifPresent(slots -> injected.add(
                            new Injected("ranks of mpirun", "up to " + slots, "spec.slotsPerWorker of the MPIJob")));
            option(command, "--with-mpirun")
                    .ifPresent(directory -> injected.add(new Injected(
                            "mpirun", "the launcher program, at the head of PATH", "links in " + directory)));
            option(command, "--await-hosts")
                    .ifPresent(hosts -> injected.add(
                            new Injected("wait", "for the SSH server of each worker", "hostfile " + hosts)));
            option(command, "--keep-environment")
                    .ifPresent(file -> injected.add(new Injected("variables of SSH sessions", file, "env of " + name)));
            int end = command.indexOf("--");
            injected.add(new Injected(
                    "command",
                    String.join(" ", command.subList(end + 1, command.size())),
                    "command and args of " + name + ", behind the launcher"));
        }
        Map<String, String> values = new HashMap<>();
        container.getEnv().forEach(variable -> values.put(variable.getName(), variable.getValue()));
        for (EnvVar variable : container.getEnv()) {
            String from = mpiSource(pod, variable, values);
            if (from != null) {
                injected.add(new Injected(variable.getName(), variable.getValue(), from));
            }
            String path =
                    variable.getValueFrom() == null || variable.getValueFrom().getFieldRef() == null
                            ? ""
                            : variable.getValueFrom().getFieldRef().getFieldPath();
            if (path.startsWith(FIELD)) {
                String annotation = path.substring("metadata.annotations['".length(), path.length() - 2);
                injected.add(new Injected(
                        variable.getName(),
                        annotations.getOrDefault(annotation, ""),
                        pod.getSpec().getNodeName() == null
                                ? "no node yet"
                                : "devices of node " + pod.getSpec().getNodeName()));
            }
        }
    }

    /**
     * What a variable of an MPIJob's launcher was made of: the MPI Operator's of Open MPI 4, or the launcher that each session starts;
     * {@code null} where its author has set it.
     */
    private static @Nullable String mpiSource(Pod pod, EnvVar variable, Map<String, String> values) {
        String name = variable.getName();
        if (variable.getValue() == null) {
            return null;
        }
        Map<String, String> labels =
                Objects.requireNonNullElse(pod.getMetadata().getLabels(), Map.of());
        if (name.equals("PRTE_MCA_plm_ssh_no_tree_spawn") && labels.containsKey(INDEX_IN_MPI_JOB)) {
            return "runLauncherAsWorker";
        }
        if (name.endsWith("_launch_agent")
                && variable.getValue().contains(LaunchApi.IMAGE_VOLUME_LAUNCHER + " --take-environment")) {
            return "variables of SSH sessions";
        }
        String before = name.replace("PRTE_MCA_prte_", "OMPI_MCA_orte_")
                .replace("PRTE_MCA_plm_ssh_args", "OMPI_MCA_plm_rsh_args");
        return !before.equals(name) && variable.getValue().equals(values.get(before)) ? before : null;
    }

    private static String imageVolume(Pod pod) {
        return pod.getSpec().getVolumes().stream()
                .filter(volume -> volume.getImage() != null)
                .map(Volume::getImage)
                .map(image -> Objects.toString(image.getReference(), "?"))
                .findFirst()
                .orElse("?");
    }

    private static Optional<String> option(List<String> command, String name) {
        int at = command.indexOf(name);
        int end = command.indexOf("--");
        return at > 0 && at + 1 < command.size() && (end < 0 || at < end)
                ? Optional.of(command.get(at + 1))
                : Optional.empty();
    }

    private static @Nullable String next(Pod pod, @Nullable String launch, boolean optedIn, boolean injected) {
        String namespace = pod.getMetadata().getNamespace();
        if (injected) {
            return null;
        }
        if (launch == null) {
            return "the pod asks for nothing: set the annotation " + LaunchApi.LAUNCH
                    + ": direct (or env) in its template";
        }
        if (!optedIn) {
            return "the namespace has not opted in: kubectl label namespace " + namespace + " "
                    + LaunchApi.LABEL_INJECTION + "=" + LaunchApi.INJECTION_ENABLED
                    + ", and let the pod be made again";
        }
        return "nothing was injected: the annotations opt out, or the pod was made before the namespace opted in or while the"
                + " operator was away; delete it, and its controller makes it again";
    }
}
