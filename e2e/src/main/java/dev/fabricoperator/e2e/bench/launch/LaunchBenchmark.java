/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.launch;

import dev.fabricoperator.e2e.job.DirectJob;
import dev.fabricoperator.e2e.job.HydraImages;
import dev.fabricoperator.e2e.job.LaunchCluster;
import dev.fabricoperator.e2e.job.MpiOperator;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.node.RealCluster;
import dev.fabricoperator.e2e.system.Command;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Launches one program in all ways, round by round, so that what the machine does meanwhile hits all alike.
 *
 * <p>Arguments: CSV file, rounds, nodes, ways (comma list), sizes ({@code 2}, {@code 4x4}).
 */
public final class LaunchBenchmark {
    private static final int IDLE_SECONDS = 15;
    /** Two ways that differ in nothing but whether pmixd looks at what pods send. */
    private static final String COUNTED = "direct";

    private static final String UNCOUNTED = "uncounted";

    private LaunchBenchmark() {}

    public static void main(String[] arguments) throws InterruptedException {
        Path csv = Path.of(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        List<String> ways = List.of(arguments[3].split(","));
        List<Size> sizes = Arrays.stream(arguments).skip(4).map(Size::parse).toList();
        long start = System.nanoTime();
        try (LaunchCluster launch = LaunchCluster.start(
                Integer.parseInt(arguments[2]),
                List.of(),
                text -> System.err.printf("%5.1f s  %s%n", (System.nanoTime() - start) / 1e9, text))) {
            RealCluster cluster = launch.cluster();
            String podShape = System.getenv("POD_SHAPE");
            if (podShape != null) {
                LaunchCluster.setServers(Command.kubectl(cluster), "FABRIC_OPERATOR_ADMISSION_POD_SHAPE=" + podShape);
            }
            List<Launcher> launchers = prepare(cluster, ways);
            LaunchTable table = run(launchers, sizes, rounds, csv);
            List<String> names = launchers.stream().map(Launcher::name).toList();
            table.print(System.out, sizes, names);
            sizes.forEach(size -> table.printPrograms(System.out, size, names));
            if (names.contains(COUNTED) && names.contains(UNCOUNTED)) {
                sizes.forEach(size -> table.printRatio(System.out, size, COUNTED, UNCOUNTED));
            }
            System.out.println(csv);
        }
    }

    static List<Launcher> prepare(RealCluster cluster, List<String> ways) throws InterruptedException {
        Path work = cluster.directory().resolve("launch");
        cluster.importImages(ProofImages.write(work, cluster.programs()));
        KubernetesClient admin = cluster.admin();
        DirectJob.optIn(admin, JobLauncher.NAMESPACE);
        List<Launcher> launchers = new ArrayList<>();
        for (String way : ways) {
            HydraImages mpi = hydra(way);
            String ofMpi = mpi == null ? way : way.substring(mpi.prefix().length() + 1);
            launchers.add(
                    switch (ofMpi) {
                        case "floor" -> new IndexedJob(cluster, work, IndexedJob.Kind.Floor, mpi);
                        case "empty" -> new IndexedJob(cluster, work, IndexedJob.Kind.Empty, mpi);
                        case "alone" -> new IndexedJob(cluster, work, IndexedJob.Kind.Alone, mpi);
                        case "direct" -> new IndexedJob(cluster, work, IndexedJob.Kind.Direct, mpi);
                        case "uncounted" -> new IndexedJob(cluster, work, IndexedJob.Kind.Uncounted, mpi);
                        case "told" -> new IndexedJob(cluster, work, IndexedJob.Kind.Told, mpi);
                        case "mpi-operator" -> new MpiOperatorJob(cluster, work, MpiOperatorJob.Kind.AtStartup, mpi);
                        case "mpi-operator-waits" ->
                            new MpiOperatorJob(cluster, work, MpiOperatorJob.Kind.WaitForWorkersReady, mpi);
                        case "mpi-operator-env" ->
                            new MpiOperatorJob(cluster, work, MpiOperatorJob.Kind.Environment, mpi);
                        case "mpi-operator-direct" ->
                            new MpiOperatorJob(cluster, work, MpiOperatorJob.Kind.Direct, mpi);
                        case "mpi-operator-told" -> new MpiOperatorJob(cluster, work, MpiOperatorJob.Kind.Told, mpi);
                        default -> throw new IllegalArgumentException("no way to launch is called " + way);
                    });
        }
        if (ways.stream().anyMatch(way -> hydra(way) != null)) {
            Path wheels = HydraImages.wheels()
                    .orElseThrow(() -> new IllegalStateException(
                            "no MPICH and Intel MPI of PyPI: run scripts/setup.sh mpi-wheels"));
            cluster.importImages(HydraImages.write(work, cluster.programs(), wheels));
        }
        if (ways.stream().anyMatch(way -> way.contains("mpi-operator"))) {
            MpiOperator.start(cluster);
        }
        return launchers;
    }

    /** Whose MPI, by what the name of the way begins with; {@code null}: Open MPI's. */
    private static @Nullable HydraImages hydra(String way) {
        return Arrays.stream(HydraImages.values())
                .filter(mpi -> way.startsWith(mpi.prefix() + "-"))
                .findFirst()
                .orElse(null);
    }

    private static LaunchTable run(List<Launcher> launchers, List<Size> sizes, int rounds, Path csv)
            throws InterruptedException {
        LaunchTable table = new LaunchTable();
        for (Size size : sizes) {
            // The first round finds everything cold and does not count.
            for (int round = 0; round <= rounds; round++) {
                if (round == 1) {
                    table.idle(size, MachineClock.busyShare(IDLE_SECONDS));
                }
                // Which way follows which may matter.
                for (Launcher launcher : round % 2 == 0 ? launchers : launchers.reversed()) {
                    String name = launcher.name() + "-" + size.pods() + "x" + size.ranksPerPod() + "-" + round;
                    try {
                        Launch launch = launcher.launch(name, size);
                        if (round > 0) {
                            table.add(size, launcher.name(), round, launch);
                        }
                        System.err.printf(
                                "%s round %d %s: up %.2f s, finished %.2f s%n",
                                size, round, launcher.name(), launch.up(), launch.seen());
                        launch.warnings().forEach(System.err::println);
                    } catch (LaunchFailedException e) {
                        if (round > 0) {
                            table.failed(size, launcher.name());
                        }
                        System.err.println(e.getMessage());
                    }
                }
            }
            table.write(csv);
        }
        return table;
    }
}
