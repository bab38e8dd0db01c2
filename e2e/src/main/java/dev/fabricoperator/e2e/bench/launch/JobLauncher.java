/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.launch;

import dev.fabricoperator.e2e.cluster.Cluster;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientTimeoutException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What the ways have in common: {@code kubectl apply}, the wait for the end, and the reading of what the ranks printed. */
abstract class JobLauncher implements Launcher {
    static final String NAMESPACE = "launch";
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final String FAILED = "Failed";
    private static final Pattern CLOCK =
            Pattern.compile("clock rank=(\\d+) size=(\\d+) main=([0-9.]+) init=([0-9.]+) allreduce=([0-9.]+)");
    private static final Pattern LINE = Pattern.compile("floor ([0-9.]+)");
    private static final Pattern JOINED =
            Pattern.compile("pmixd ([0-9.]+) launcher connected.*?pmixd ([0-9.]+) serving ", Pattern.DOTALL);

    private final Cluster cluster;
    private final Path directory;
    private final ResourceDefinitionContext type;
    private final String succeeded;

    /** @param succeeded the condition of a job that all went well with; "Failed" is the other one */
    JobLauncher(Cluster cluster, Path directory, ResourceDefinitionContext type, String succeeded) {
        this.cluster = cluster;
        this.directory = directory;
        this.type = type;
        this.succeeded = succeeded;
    }

    /** What is applied. */
    abstract String manifest(String name, Size size);

    /** Where the ranks' lines are, also those of attempts that failed. */
    abstract List<Pod> speakers(String name);

    private static int failedAttempts(List<Pod> pods) {
        int failed = 0;
        for (Pod pod : pods) {
            failed += hasEnded(pod, FAILED) ? 1 : 0;
            for (ContainerStatus status : pod.getStatus().getContainerStatuses()) {
                failed += status.getRestartCount();
            }
        }
        return failed;
    }

    private static boolean hasEnded(Pod pod, String phase) {
        return pod.getStatus().getPhase().equals(phase);
    }

    /** What each rank prints as the size of its world. */
    int ranksPerJob(Size size) {
        return size.ranks();
    }

    KubernetesClient admin() {
        return cluster.admin();
    }

    @Override
    public Launch launch(String name, Size size) throws InterruptedException {
        return launch(List.of(name), size).getFirst();
    }

    /** All of them at one time; what the machine worked is for all together. Returns when their pods are gone. */
    List<Launch> launch(List<String> names, Size size) throws InterruptedException {
        try {
            return launchAndDelete(names, size);
        } finally {
            awaitNoPods();
        }
    }

    /** The same without the wait for the end of their pods, which then is work beside the next launch. */
    List<Launch> launchAndDelete(List<String> names, Size size) throws InterruptedException {
        return launchAndDelete(names, size, Ended.UNSEEN);
    }

    /** Sees jobs that have ended, while their pods are there. */
    @FunctionalInterface
    interface Ended {
        Ended UNSEEN = (name, launch) -> {};

        /** @param launch {@code null} for one that failed */
        void seen(String name, @Nullable Launch launch);
    }

    List<Launch> launchAndDelete(List<String> names, Size size, Ended ended) throws InterruptedException {
        Path file = directory.resolve(names.getFirst() + ".yaml");
        try {
            Files.writeString(
                    file, names.stream().map(name -> manifest(name, size)).collect(Collectors.joining("---\n")));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
        Map<String, Double> before = MachineClock.secondsByProgram();
        double busy = MachineClock.busySeconds();
        double begin = now();
        apply(file);
        try {
            for (String name : names) {
                awaitEnd(name);
            }
            double seen = now() - begin;
            double cpuSeconds = MachineClock.busySeconds() - busy;
            Map<String, Double> byProgram = MachineClock.secondsByProgram();
            byProgram.replaceAll((program, seconds) -> seconds - before.getOrDefault(program, 0.0));
            List<Launch> launches = names.stream()
                    .map(name -> timed(name, size, begin, seen, cpuSeconds, byProgram))
                    .toList();
            for (int i = 0; i < names.size(); i++) {
                ended.seen(names.get(i), launches.get(i));
            }
            return launches;
        } catch (LaunchFailedException e) {
            names.forEach(name -> ended.seen(name, null));
            throw e;
        } finally {
            names.forEach(name -> job(name).delete());
        }
    }

    private Resource<GenericKubernetesResource> job(String name) {
        return admin().genericKubernetesResources(type).inNamespace(NAMESPACE).withName(name);
    }

    // By a watch: to ask every few milliseconds takes a tenth of a processor from the pods.
    private void awaitEnd(String name) {
        try {
            GenericKubernetesResource job = job(name)
                    .waitUntilCondition(
                            each -> {
                                Map<String, String> conditions = conditions(each);
                                return conditions.containsKey(succeeded) || conditions.containsKey(FAILED);
                            },
                            LIMIT.toSeconds(),
                            TimeUnit.SECONDS);
            String failure = conditions(job).get(FAILED);
            if (failure != null) {
                throw new LaunchFailedException(name + " failed: " + failure);
            }
        } catch (KubernetesClientTimeoutException e) {
            throw new LaunchFailedException(name + " did not end within " + LIMIT.toSeconds() + " s: " + standing());
        }
    }

    /** Those that are true, with their messages. */
    private static Map<String, String> conditions(@Nullable GenericKubernetesResource job) {
        Map<String, String> conditions = new HashMap<>();
        Map<String, Object> status = job == null ? null : job.get("status");
        if (status != null && status.get("conditions") instanceof List<?> all) {
            for (Object each : all) {
                if (each instanceof Map<?, ?> condition && "True".equals(condition.get("status"))) {
                    conditions.put(String.valueOf(condition.get("type")), String.valueOf(condition.get("message")));
                }
            }
        }
        return conditions;
    }

    // Else the next launch pays for the end of this one.
    private void awaitNoPods() throws InterruptedException {
        double limit = now() + LIMIT.toSeconds();
        while (!admin().pods().inNamespace(NAMESPACE).list().getItems().isEmpty()) {
            if (now() > limit) {
                throw new IllegalStateException("pods do not go: " + standing());
            }
            Thread.sleep(100);
        }
    }

    private Launch timed(
            String name, Size size, double begin, double seen, double cpuSeconds, Map<String, Double> byProgram) {
        List<Double> up = new ArrayList<>();
        List<Double> reduced = new ArrayList<>();
        List<Double> waits = new ArrayList<>();
        List<Pod> pods = speakers(name);
        for (Pod pod : pods.stream().filter(pod -> hasEnded(pod, "Succeeded")).toList()) {
            String log = log(pod);
            Matcher clock = CLOCK.matcher(log);
            while (clock.find()) {
                if (Integer.parseInt(clock.group(2)) != ranksPerJob(size)) {
                    throw new LaunchFailedException(
                            name + " ran " + clock.group(2) + " ranks, not " + ranksPerJob(size) + ": " + log);
                }
                up.add(Double.parseDouble(clock.group(4)));
                reduced.add(Double.parseDouble(clock.group(5)));
            }
            Matcher joined = JOINED.matcher(log);
            while (joined.find()) {
                waits.add(Double.parseDouble(joined.group(2)) - Double.parseDouble(joined.group(1)));
            }
            Matcher line = LINE.matcher(log);
            while (line.find()) {
                up.add(Double.parseDouble(line.group(1)));
            }
        }
        int expected = reduced.isEmpty() || ranksPerJob(size) == 1 ? size.pods() : size.ranks();
        if (up.size() != expected) {
            throw new LaunchFailedException(
                    name + " printed " + up.size() + " lines, not " + expected + ": " + standing());
        }
        return new Launch(
                last(up) - begin,
                reduced.isEmpty() ? null : last(reduced) - begin,
                // The others wait for the last one.
                waits.stream().min(Double::compare).orElse(null),
                seen,
                cpuSeconds,
                byProgram,
                failedAttempts(pods),
                warnings(name));
    }

    private List<String> warnings(String name) {
        return admin().v1().events().inNamespace(NAMESPACE).withField("type", "Warning").list().getItems().stream()
                .filter(event -> event.getInvolvedObject().getName().startsWith(name + "-")
                        || event.getInvolvedObject().getName().equals(name))
                .map(event -> event.getInvolvedObject().getName() + " " + event.getReason() + ": " + event.getMessage())
                .toList();
    }

    private String log(Pod pod) {
        return admin().pods()
                .inNamespace(NAMESPACE)
                .withName(pod.getMetadata().getName())
                .inContainer(container())
                .getLog();
    }

    String container() {
        return "main";
    }

    private String standing() {
        StringBuilder all = new StringBuilder();
        for (Pod pod : admin().pods().inNamespace(NAMESPACE).list().getItems()) {
            all.append(pod.getMetadata().getName())
                    .append(' ')
                    .append(pod.getStatus().getPhase())
                    .append("; ");
        }
        return all.toString();
    }

    List<Pod> podsWith(String label, String value) {
        return admin().pods()
                .inNamespace(NAMESPACE)
                .withLabel(label, value)
                .list()
                .getItems();
    }

    private void apply(Path file) throws InterruptedException {
        try {
            Process kubectl = new ProcessBuilder(
                            cluster.kubectl().toString(),
                            "--kubeconfig",
                            cluster.kubeconfig().toString(),
                            "apply",
                            "-f",
                            file.toString())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(kubectl.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            if (!kubectl.waitFor(60, TimeUnit.SECONDS) || kubectl.exitValue() != 0) {
                throw new LaunchFailedException("kubectl apply: " + said.strip());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run kubectl", e);
        }
    }

    private static double last(List<Double> times) {
        return times.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    }

    static double now() {
        java.time.Instant now = java.time.Instant.now();
        return now.getEpochSecond() + now.getNano() / 1e9;
    }
}
