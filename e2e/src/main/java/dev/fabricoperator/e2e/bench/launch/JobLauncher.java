/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.launch;

import dev.fabricoperator.e2e.cluster.Cluster;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the ways have in common: {@code kubectl apply}, the wait for the end, and the reading of what the ranks printed. */
abstract class JobLauncher implements Launcher {
    static final String NAMESPACE = "launch";
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final Pattern CLOCK =
            Pattern.compile("clock rank=(\\d+) size=(\\d+) main=([0-9.]+) init=([0-9.]+) allreduce=([0-9.]+)");
    private static final Pattern LINE = Pattern.compile("floor ([0-9.]+)");

    private final Cluster cluster;
    private final Path directory;

    JobLauncher(Cluster cluster, Path directory) {
        this.cluster = cluster;
        this.directory = directory;
    }

    /** What is applied. */
    abstract String manifest(String name, Size size);

    /** Where the ranks' lines are. */
    abstract List<Pod> speakers(String name);

    /** Whether the job is finished; {@code false} while it runs. */
    abstract boolean isFinished(String name);

    abstract int failedAttempts(String name);

    abstract void delete(String name);

    KubernetesClient admin() {
        return cluster.admin();
    }

    @Override
    public Launch launch(String name, Size size) throws InterruptedException {
        Path file = directory.resolve(name + ".yaml");
        try {
            Files.writeString(file, manifest(name, size));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
        double busy = MachineClock.busySeconds();
        double begin = now();
        apply(file);
        double limit = begin + LIMIT.toSeconds();
        try {
            while (!isFinished(name)) {
                if (now() > limit) {
                    throw new LaunchFailedException(
                            name + " did not end within " + LIMIT.toSeconds() + " s: " + standing());
                }
                Thread.sleep(20);
            }
            double seen = now() - begin;
            return timed(name, size, begin, seen, MachineClock.busySeconds() - busy);
        } finally {
            delete(name);
            awaitNoPods();
        }
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

    private Launch timed(String name, Size size, double begin, double seen, double cpuSeconds) {
        List<Double> up = new ArrayList<>();
        List<Double> reduced = new ArrayList<>();
        for (Pod pod : speakers(name)) {
            String log = log(pod);
            Matcher clock = CLOCK.matcher(log);
            while (clock.find()) {
                if (Integer.parseInt(clock.group(2)) != size.ranks()) {
                    throw new LaunchFailedException(
                            name + " ran " + clock.group(2) + " ranks, not " + size.ranks() + ": " + log);
                }
                up.add(Double.parseDouble(clock.group(4)));
                reduced.add(Double.parseDouble(clock.group(5)));
            }
            Matcher line = LINE.matcher(log);
            while (line.find()) {
                up.add(Double.parseDouble(line.group(1)));
            }
        }
        int expected = reduced.isEmpty() ? size.pods() : size.ranks();
        if (up.size() != expected) {
            throw new LaunchFailedException(
                    name + " printed " + up.size() + " lines, not " + expected + ": " + standing());
        }
        return new Launch(
                last(up) - begin,
                reduced.isEmpty() ? null : last(reduced) - begin,
                seen,
                cpuSeconds,
                failedAttempts(name));
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
