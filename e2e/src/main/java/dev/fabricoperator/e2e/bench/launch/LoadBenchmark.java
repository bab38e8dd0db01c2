/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.launch;

import dev.fabricoperator.e2e.job.LaunchCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Direct launches one after the other in some lanes, then many at one time: how many fail, how long a job takes to be whole, and what the servers keep.
 *
 * <p>Arguments: launches of two pods, jobs of four pods at one time, nodes, lanes of launches.
 */
public final class LoadBenchmark {
    private static final Size PAIR = new Size(2, 1);
    private static final Size FOUR = new Size(4, 1);
    private static final int LINES = 10;

    private LoadBenchmark() {}

    public static void main(String[] arguments) throws InterruptedException {
        int launches = Integer.parseInt(arguments[0]);
        int atOnce = Integer.parseInt(arguments[1]);
        long start = System.nanoTime();
        try (LaunchCluster cluster = LaunchCluster.start(
                Integer.parseInt(arguments[2]),
                List.of(),
                text -> System.err.printf("%5.1f s  %s%n", (System.nanoTime() - start) / 1e9, text))) {
            JobLauncher launcher = (JobLauncher)
                    LaunchBenchmark.prepare(cluster.cluster(), List.of("told")).getFirst();
            oneAfterTheOther(launcher, launches, Integer.parseInt(arguments[3]));
            if (atOnce > 0) {
                atOneTime(launcher, atOnce);
            }
        }
    }

    // A Job is told to be complete two seconds after its pods' ends, in which little is done: in lanes beside each
    // other these overlap.
    private static void oneAfterTheOther(JobLauncher launcher, int launches, int lanes) throws InterruptedException {
        System.out.printf(
                "%-10s %7s %9s %19s %19s  %s%n",
                "launches", "failed", "attempts", "ranks up s, p50 p99", "assembly ms p50 p99", "servers' memory MB");
        Tally tally = new Tally(Math.max(1, launches / LINES));
        AtomicInteger next = new AtomicInteger();
        List<Thread> threads = IntStream.range(0, lanes)
                .mapToObj(lane -> Thread.ofVirtual().start(() -> {
                    for (int i = next.incrementAndGet(); i <= launches; i = next.incrementAndGet()) {
                        try {
                            tally.succeeded(launcher.launchAndDelete(List.of("pair-" + i), PAIR)
                                    .getFirst());
                        } catch (LaunchFailedException e) {
                            System.err.println(e.getMessage());
                            tally.failed();
                        } catch (InterruptedException e) {
                            return;
                        }
                    }
                }))
                .toList();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Of all lanes; prints a line each time that so many have ended. */
    private static final class Tally {
        private final int step;
        private final List<Launch> all = new ArrayList<>();
        private int failed;

        Tally(int step) {
            this.step = step;
        }

        synchronized void succeeded(Launch launch) {
            all.add(launch);
            ended();
        }

        synchronized void failed() {
            failed++;
            ended();
        }

        private void ended() {
            int count = all.size() + failed;
            if (count % step == 0) {
                print(Integer.toString(count), failed, all);
            }
        }
    }

    private static void atOneTime(JobLauncher launcher, int jobs) throws InterruptedException {
        List<String> names =
                IntStream.rangeClosed(1, jobs).mapToObj(i -> "four-" + i).toList();
        try {
            List<Launch> all = launcher.launch(names, FOUR);
            print(jobs + " at once", 0, all);
            System.out.printf("all seen finished after %.1f s%n", all.getFirst().seen());
        } catch (LaunchFailedException e) {
            System.out.println(jobs + " at once: " + e.getMessage());
        }
    }

    /** All so far; {@code failed} are not among them. */
    private static void print(String count, int failed, List<Launch> all) {
        if (all.isEmpty()) {
            System.out.printf("%-10s %7d%n", count, failed);
            return;
        }
        List<Double> up = all.stream().map(Launch::up).toList();
        List<Double> assembly =
                all.stream().map(Launch::assembly).filter(Objects::nonNull).toList();
        System.out.printf(
                "%-10s %7d %9d %9.2f %9.2f %9.0f %9.0f  %s%n",
                count,
                failed,
                all.stream().mapToInt(Launch::failedAttempts).sum(),
                Launch.median(up),
                Launch.percentile(up, 99),
                1000 * Launch.median(assembly),
                1000 * Launch.percentile(assembly, 99),
                serversResidentMegabytes());
        System.out.flush();
    }

    /** Of each replica, after the last launch; VmRSS of proc(5). */
    private static List<Long> serversResidentMegabytes() {
        List<Long> megabytes = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                try {
                    if (Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1)
                                    .contains("FABRIC_OPERATOR_ROLE=server")
                            && Files.readString(process.resolve("comm")).startsWith("java")) {
                        Files.readAllLines(process.resolve("status")).stream()
                                .filter(line -> line.startsWith("VmRSS:"))
                                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024)
                                .forEach(megabytes::add);
                    }
                } catch (IOException e) {
                    // It has ended meanwhile, or hides its environment even from root: then it is none that this
                    // program has started.
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read /proc", e);
        }
        return megabytes;
    }
}
