/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.demo;

import dev.fabricoperator.e2e.cluster.BlockingTasks;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.install.Helm;
import dev.fabricoperator.e2e.job.LaunchCluster;
import dev.fabricoperator.e2e.job.MpiOperator;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.node.NodePrograms;
import dev.fabricoperator.e2e.node.RealCluster;
import dev.fabricoperator.e2e.volcano.Volcano;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The demo on real nodes: the chart is installed, and the tutorial's page is run. A controller of jobs is started where the page first needs it. */
final class NodesStory implements AutoCloseable {
    private static final int NODES = 3;
    private static final Duration BUILD_LIMIT = Duration.ofMinutes(30);

    private final Progress progress;
    private final LaunchCluster launch;
    private final Path directory;
    private final Path state;
    private final boolean building;

    private NodesStory(Progress progress, LaunchCluster launch, Path state, Path directory, boolean building) {
        this.progress = progress;
        this.launch = launch;
        this.state = state;
        this.directory = directory;
        this.building = building;
    }

    /** Why it cannot be told here, in a sentence; empty when nothing is in the way. */
    static Optional<String> obstacle() {
        return NodePrograms.obstacle()
                .or(() -> LaunchCluster.missingImages().stream()
                        .findFirst()
                        .map(image -> "the operator's images are missing (" + image + "): run \"make images\""));
    }

    /**
     * Returns when everything is up that the tutorial needs at its beginning.
     *
     * @param building whether controllers of jobs are still being built; of each that is done, {@code state} has a file {@code NAME.built} with the build's exit code
     */
    static NodesStory begin(Progress progress, Path state, boolean building) throws IOException {
        Path directory = Files.createDirectories(state.resolve("tutorial"));
        Supplier<Path> write = () -> ProofImages.write(state.resolve("image"), NodePrograms.find());
        CompletableFuture<Path> image = BlockingTasks.start(write);
        LaunchCluster launch = LaunchCluster.start(NODES, List.of(), text -> progress.step("%s", text));
        try {
            RealCluster cluster = launch.cluster();
            progress.step("importing an image with Open MPI and a program");
            Path archive = image.join();
            cluster.importImages(archive);
            Files.delete(archive);
            return new NodesStory(progress, launch, state, directory, building);
        } catch (RuntimeException | IOException e) {
            launch.close();
            throw e;
        }
    }

    private void startWhatNeeds(String manifests) {
        if (manifests.contains("apiVersion: kubeflow.org/")) {
            awaitController("the MPI Operator", "mpi-operator", MpiOperator::directory);
            startMpiOperator();
        }
        if (manifests.contains("apiVersion: batch.volcano.sh/")) {
            Volcano volcano = awaitController("Volcano", "volcano", this::volcano);
            volcano.applyCustomResources();
            volcano.start();
            progress.step("Volcano is up");
        }
    }

    private void startMpiOperator() {
        try {
            MpiOperator.start(launch.cluster());
            progress.step("the MPI Operator is up");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the MPI Operator started", e);
        }
    }

    private Optional<Volcano> volcano() {
        RealCluster cluster = launch.cluster();
        return Volcano.find(cluster, directory, (name, command) -> cluster.startServer(name, command, Map.of()));
    }

    private <T> T awaitController(String name, String file, Supplier<Optional<T>> find) {
        if (building) {
            Path built = state.resolve(file + ".built");
            progress.await(BUILD_LIMIT, () -> Files.exists(built) ? "" : "the build of " + name);
            if (exitCode(built) != 0) {
                throw new IllegalStateException(name + " could not be built; why stands in "
                        + ProjectRoot.find().resolve("target/setup.log"));
            }
        }
        return find.get().orElseThrow(() -> new IllegalStateException(name + " is missing: run \"make setup\""));
    }

    private static int exitCode(Path file) {
        try {
            return Integer.parseInt(Files.readString(file).strip());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    Cluster cluster() {
        return launch.cluster();
    }

    void tell() {
        progress.show("helm list -A", Helm.of(launch.cluster()).run("list", "-A"));
        Tutorial tutorial = Tutorial.read();
        tutorial.play(launch.cluster(), directory, (step, output) -> show(tutorial, step, output));
    }

    private void show(Tutorial tutorial, Tutorial.Step step, String output) {
        switch (step) {
            case Tutorial.Section section -> {
                progress.line("");
                progress.step("%s", section.title());
                startWhatNeeds(tutorial.filesOf(section));
            }
            case Tutorial.SavedFile file -> progress.show("cat " + file.name(), file.text());
            case Tutorial.ShellCommand command -> progress.show(command.text(), output);
        }
    }

    @Override
    public void close() {
        launch.close();
    }
}
