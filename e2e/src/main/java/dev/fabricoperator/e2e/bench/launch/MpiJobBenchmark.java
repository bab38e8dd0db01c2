/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.launch;

import dev.fabricoperator.e2e.job.LaunchCluster;
import dev.fabricoperator.e2e.system.Command;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * MPIJobs by direct launch of two and of four workers in turn, one after the other, beside a lane of other jobs that never stops. What counts is the worst of them: a launch that
 * meets something that is not known yet must not wait for long. Of each one that takes longer than the limit the logs of all that has to do with it are kept.
 *
 * <p>Arguments: CSV file, to which rows are added; MPIJobs; nodes; limit in seconds until all ranks are past MPI_Init; seconds after which no other MPIJob begins.
 */
public final class MpiJobBenchmark {
    private static final List<Size> SIZES = List.of(new Size(2, 1), new Size(4, 1));
    private static final List<String> WAYS = List.of("mpi-operator-told", "floor", "direct", "mpi-operator-waits");
    private static final Size BESIDE = new Size(2, 1);
    private static final String OPERATOR = "fabric-operator";

    private final Command kubectl;
    private final JobLauncher measured;
    private final List<JobLauncher> others;
    private final Path csv;
    private final double limitSeconds;
    private final Map<Size, List<Launch>> launches = new LinkedHashMap<>();
    private int failed;

    private MpiJobBenchmark(Command kubectl, List<Launcher> launchers, Path csv, double limitSeconds) {
        this.kubectl = kubectl;
        this.measured = (JobLauncher) launchers.getFirst();
        this.others = launchers.stream().skip(1).map(JobLauncher.class::cast).toList();
        this.csv = csv;
        this.limitSeconds = limitSeconds;
        SIZES.forEach(size -> launches.put(size, new ArrayList<>()));
    }

    public static void main(String[] arguments) throws InterruptedException, IOException {
        long start = System.nanoTime();
        Path csv = Path.of(arguments[0]);
        // Also for the logs of slow jobs, the first of which may come before the first row.
        Files.createDirectories(csv.toAbsolutePath().getParent());
        try (LaunchCluster launch = LaunchCluster.start(
                Integer.parseInt(arguments[2]),
                List.of(),
                text -> System.err.printf("%5.1f s  %s%n", (System.nanoTime() - start) / 1e9, text))) {
            MpiJobBenchmark benchmark = new MpiJobBenchmark(
                    Command.kubectl(launch.cluster()),
                    LaunchBenchmark.prepare(launch.cluster(), WAYS),
                    csv,
                    Double.parseDouble(arguments[3]));
            benchmark.run(
                    Integer.parseInt(arguments[1]),
                    System.nanoTime() + (long) (Double.parseDouble(arguments[4]) * 1e9));
            benchmark.print();
        }
    }

    private void run(int jobs, long endNanos) throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        Thread beside = Thread.ofVirtual().start(() -> runOthers(over));
        try {
            // The first one of each size finds everything cold and does not count.
            for (int i = -SIZES.size(); i < jobs && System.nanoTime() < endNanos; i++) {
                launch(i, SIZES.get(Math.floorMod(i, SIZES.size())));
            }
        } finally {
            over.set(true);
            beside.join();
        }
    }

    private void launch(int number, Size size) throws InterruptedException {
        String name = "mpi-" + size.pods() + "-" + (number + SIZES.size());
        try {
            Launch launch =
                    measured.launchAndDelete(List.of(name), size, this::ended).getFirst();
            if (number >= 0) {
                Objects.requireNonNull(launches.get(size)).add(launch);
                write("%d,%d,%.3f,%.3f,%d%n"
                        .formatted(number, size.pods(), launch.up(), launch.seen(), launch.failedAttempts()));
            }
        } catch (LaunchFailedException e) {
            failed++;
            System.err.println(e.getMessage());
        }
    }

    private void runOthers(AtomicBoolean over) {
        for (int i = 0; !over.get(); i++) {
            JobLauncher next = others.get(i % others.size());
            try {
                next.launchAndDelete(List.of("beside-" + next.name() + "-" + i), BESIDE);
            } catch (LaunchFailedException e) {
                System.err.println("beside: " + e.getMessage());
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void ended(String name, @Nullable Launch launch) {
        if (launch != null && launch.up() <= limitSeconds) {
            return;
        }
        StringBuilder all = new StringBuilder();
        for (Pod pod : measured.podsWith("training.kubeflow.org/job-name", name)) {
            all.append(said(
                    "-n",
                    JobLauncher.NAMESPACE,
                    "logs",
                    "--timestamps",
                    pod.getMetadata().getName()));
        }
        all.append(said("-n", JobLauncher.NAMESPACE, "get", "events", "-o", "wide"));
        all.append(said("-n", JobLauncher.NAMESPACE, "get", "pods,mpijobs,jobs", "-o", "yaml"));
        all.append(said(
                "-n",
                OPERATOR,
                "logs",
                "--prefix",
                "--timestamps",
                "--since=60s",
                "-l",
                "app.kubernetes.io/component=server",
                "--tail=-1"));
        Path file = csv.resolveSibling(name + ".log");
        try {
            Files.writeString(file, all);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
        System.err.printf(
                "%s: %s, see %s%n", name, launch == null ? "failed" : "up after %.2f s".formatted(launch.up()), file);
    }

    private String said(String... arguments) {
        String said;
        try {
            said = kubectl.run(arguments);
        } catch (RuntimeException e) {
            said = String.valueOf(e.getMessage());
        }
        return "==== " + String.join(" ", arguments) + System.lineSeparator() + said + System.lineSeparator();
    }

    private void write(String line) {
        try {
            Files.writeString(csv, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + csv, e);
        }
    }

    private void print() {
        System.out.printf(
                "%-12s %6s %8s %8s %8s %8s %12s%n",
                "workers", "jobs", "up p50", "p90", "p99", "worst", "> " + limitSeconds + " s");
        launches.forEach((size, all) -> {
            List<Double> up = all.stream().map(Launch::up).toList();
            if (!up.isEmpty()) {
                System.out.printf(
                        "%-12d %6d %8.2f %8.2f %8.2f %8.2f %12d%n",
                        size.pods(),
                        up.size(),
                        Launch.median(up),
                        Launch.percentile(up, 90),
                        Launch.percentile(up, 99),
                        Launch.percentile(up, 100),
                        up.stream().filter(seconds -> seconds > limitSeconds).count());
            }
        });
        System.out.printf(
                "failed for good: %d; attempts that failed before: %d%n",
                failed,
                launches.values().stream()
                        .flatMap(List::stream)
                        .mapToInt(Launch::failedAttempts)
                        .sum());
        System.out.println(csv);
    }
}
