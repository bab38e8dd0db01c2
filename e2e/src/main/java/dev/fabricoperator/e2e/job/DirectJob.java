/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraintBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One Indexed Job by direct launch, followed to its end. */
public final class DirectJob {
    /** The launch failed, not the program. */
    public static final int LAUNCH_FAILED = 125;

    /** The job did not end in time. */
    public static final int TIMED_OUT = 124;

    /** Where jobs are run: a namespace that has opted in. */
    public static final String NAMESPACE = "jobs";

    private static final String CONTAINER = "ranks";
    private static final Duration LOOK = Duration.ofMillis(300);
    /** Events come from etcd each time: the API server keeps none of them in memory. */
    private static final long EVENTS_NANOS = 2_000_000_000;

    private final KubernetesClient client;
    private final Wanted wanted;
    private final UnaryOperator<Job> change;
    private final String name = "run-" + UUID.randomUUID().toString().substring(0, 8);
    private final Map<String, Thread> followed = new HashMap<>();
    private final Set<String> told = new HashSet<>();
    private long nextEventsNanos = System.nanoTime();

    /**
     * What to run.
     *
     * @param command empty for what the image itself starts, for which a user is needed
     * @param environment {@code NAME=VALUE}
     * @param rankOrder value of the annotation, {@code null} for none
     * @param tag whether lines begin with the pod's index
     */
    public record Wanted(
            String image,
            List<String> command,
            int pods,
            int ranksPerPod,
            List<String> environment,
            @Nullable Long user,
            @Nullable String rankOrder,
            boolean tag) {
        public Wanted {
            command = List.copyOf(command);
            environment = List.copyOf(environment);
        }
    }

    public DirectJob(KubernetesClient client, Wanted wanted) {
        this(client, wanted, job -> job);
    }

    /** @param change what else the Job should say */
    public DirectJob(KubernetesClient client, Wanted wanted, UnaryOperator<Job> change) {
        this.client = client;
        this.wanted = wanted;
        this.change = change;
    }

    public String name() {
        return name;
    }

    /** Makes the namespace of the jobs, when it is not there. */
    public static void optIn(KubernetesClient client) {
        optIn(client, NAMESPACE);
    }

    /** Makes a namespace in which jobs may be launched directly, when it is not there. */
    public static void optIn(KubernetesClient client, String namespace) {
        client.namespaces()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(namespace)
                        .addToLabels("fabric-operator.dev/injection", "enabled")
                        .endMetadata()
                        .build())
                .serverSideApply();
    }

    /** The Job as it is given to the API server. */
    Job job() {
        Map<String, String> annotations = new HashMap<>(Map.of(
                "fabric-operator.dev/launch",
                "direct",
                "fabric-operator.dev/ranks-per-pod",
                Integer.toString(wanted.ranksPerPod())));
        if (wanted.rankOrder() != null) {
            annotations.put("fabric-operator.dev/rank-order", wanted.rankOrder());
        }
        return change.apply(new JobBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(NAMESPACE)
                .endMetadata()
                .withNewSpec()
                .withCompletions(wanted.pods())
                .withParallelism(wanted.pods())
                .withCompletionMode("Indexed")
                .withBackoffLimit(0)
                .withNewTemplate()
                .withNewMetadata()
                .withAnnotations(annotations)
                .endMetadata()
                .withNewSpec()
                .withRestartPolicy("Never")
                .withAutomountServiceAccountToken(false)
                .withTerminationGracePeriodSeconds(5L)
                .withContainers(new ContainerBuilder()
                        .withName(CONTAINER)
                        .withImage(wanted.image())
                        .withImagePullPolicy("Never")
                        .withCommand(wanted.command())
                        .withEnv(wanted.environment().stream()
                                .map(DirectJob::variable)
                                .toList())
                        .withSecurityContext(
                                wanted.user() == null
                                        ? null
                                        : new SecurityContextBuilder()
                                                .withRunAsUser(wanted.user())
                                                .withRunAsGroup(wanted.command().isEmpty() ? wanted.user() : null)
                                                .build())
                        .build())
                .endSpec()
                .endTemplate()
                .endSpec()
                .build());
    }

    /** Its pods go to the nodes in turn. */
    public static Job spread(Job job) {
        return new JobBuilder(job)
                .editSpec()
                .editTemplate()
                .editSpec()
                .addToTopologySpreadConstraints(new TopologySpreadConstraintBuilder()
                        .withMaxSkew(1)
                        .withTopologyKey("kubernetes.io/hostname")
                        .withWhenUnsatisfiable("DoNotSchedule")
                        .withLabelSelector(new LabelSelectorBuilder()
                                .addToMatchLabels("job-name", job.getMetadata().getName())
                                .build())
                        .build())
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }

    private static EnvVar variable(String text) {
        int equals = text.indexOf('=');
        if (equals <= 0) {
            throw new IllegalArgumentException("not NAME=VALUE: " + text);
        }
        return new EnvVar(text.substring(0, equals), text.substring(equals + 1), null);
    }

    /**
     * Runs it to its end and prints what the ranks print.
     *
     * @return 0, the first failing container's code, or one of the codes above
     */
    public int run(Duration limit, PrintStream out) {
        optIn(client);
        long deadline = System.nanoTime() + limit.toNanos();
        client.resource(job()).create();
        int code;
        while (true) {
            List<Pod> pods = pods();
            pods.forEach(pod -> follow(pod, out));
            tellEvents();
            Job seen = client.batch()
                    .v1()
                    .jobs()
                    .inNamespace(NAMESPACE)
                    .withName(name)
                    .get();
            if (has(seen, "Complete")) {
                code = 0;
                break;
            }
            if (has(seen, "Failed")) {
                code = failure(pods());
                break;
            }
            if (System.nanoTime() > deadline) {
                System.err.println("run-job: not ended within " + limit.toSeconds() + " s");
                client.batch().v1().jobs().inNamespace(NAMESPACE).withName(name).delete();
                code = TIMED_OUT;
                break;
            }
            sleep();
        }
        for (Pod pod : pods()) {
            follow(pod, out);
        }
        followed.values().forEach(DirectJob::join);
        nextEventsNanos = System.nanoTime();
        tellEvents();
        out.flush();
        return code;
    }

    private List<Pod> pods() {
        return client.pods()
                .inNamespace(NAMESPACE)
                .withLabel("job-name", name)
                .list()
                .getItems();
    }

    private static boolean has(@Nullable Job job, String condition) {
        return job != null
                && job.getStatus() != null
                && job.getStatus().getConditions().stream()
                        .anyMatch(c ->
                                c.getType().equals(condition) && c.getStatus().equals("True"));
    }

    // The first that failed by its own doing: those after it were ended for its sake.
    private static int failure(List<Pod> pods) {
        return pods.stream()
                .flatMap(pod -> pod.getStatus().getContainerStatuses().stream())
                .filter(status -> status.getName().equals(CONTAINER))
                .map(ContainerStatus::getState)
                .filter(state ->
                        state.getTerminated() != null && state.getTerminated().getExitCode() != 0)
                .map(state -> state.getTerminated())
                .min(Comparator.comparing(state -> String.valueOf(state.getFinishedAt())))
                .map(state -> state.getExitCode())
                .orElse(LAUNCH_FAILED);
    }

    private void follow(Pod pod, PrintStream out) {
        String uid = pod.getMetadata().getUid();
        if (followed.containsKey(uid) || !hasStarted(pod)) {
            return;
        }
        String index = pod.getMetadata().getAnnotations().getOrDefault("batch.kubernetes.io/job-completion-index", "?");
        String before = wanted.tag() ? "[" + index + "] " : "";
        followed.put(uid, Thread.ofVirtual().start(() -> copy(pod.getMetadata().getName(), before, out)));
    }

    private static boolean hasStarted(Pod pod) {
        return pod.getStatus().getContainerStatuses().stream()
                .filter(status -> status.getName().equals(CONTAINER))
                .anyMatch(status -> status.getState().getRunning() != null
                        || status.getState().getTerminated() != null);
    }

    private void copy(String pod, String before, PrintStream out) {
        try (var log = client.pods()
                        .inNamespace(NAMESPACE)
                        .withName(pod)
                        .inContainer(CONTAINER)
                        .watchLog();
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(log.getOutput(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                synchronized (out) {
                    out.println(before + line);
                }
            }
        } catch (IOException | KubernetesClientException e) {
            System.err.println("run-job: the output of " + pod + " broke off: " + e.getMessage());
        }
    }

    // What keeps pods from running stands in Events only: a refusal, too little room, an image that is not there.
    private void tellEvents() {
        if (System.nanoTime() - nextEventsNanos < 0) {
            return;
        }
        nextEventsNanos = System.nanoTime() + EVENTS_NANOS;
        for (Event event : client.v1()
                .events()
                .inNamespace(NAMESPACE)
                .withField("type", "Warning")
                .list()
                .getItems()) {
            if (event.getInvolvedObject().getName().startsWith(name)
                    && told.add(event.getReason() + event.getMessage())) {
                System.err.println("run-job: " + event.getInvolvedObject().getName() + ": " + event.getMessage());
            }
        }
    }

    /** Prints the job's FabricJob as {@code kubectl get -o yaml} would. */
    public void printFabricJob(PrintStream out) {
        GenericKubernetesResource found = client.genericKubernetesResources("fabric-operator.dev/v1alpha1", "FabricJob")
                .inNamespace(NAMESPACE)
                .withName(name)
                .get();
        if (found == null) {
            System.err.println("run-job: there is no FabricJob " + name);
            return;
        }
        found.getMetadata().setManagedFields(List.of());
        out.print(Serialization.asYaml(found));
        out.flush();
    }

    private static void join(Thread thread) {
        try {
            thread.join(Duration.ofSeconds(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(LOOK);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a job runs", e);
        }
    }
}
