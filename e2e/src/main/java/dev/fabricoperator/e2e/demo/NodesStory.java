/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.demo;

import dev.fabricoperator.e2e.cluster.BlockingTasks;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.install.Helm;
import dev.fabricoperator.e2e.job.LaunchCluster;
import dev.fabricoperator.e2e.job.MpiOperator;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.node.NodePrograms;
import dev.fabricoperator.e2e.node.RealCluster;
import dev.fabricoperator.e2e.volcano.Volcano;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The demo on real nodes: the chart is installed, and the tutorial's page is run. */
final class NodesStory implements AutoCloseable {
    private static final int NODES = 3;

    private final Progress progress;
    private final LaunchCluster launch;
    private final Path directory;

    private NodesStory(Progress progress, LaunchCluster launch, Path directory) {
        this.progress = progress;
        this.launch = launch;
        this.directory = directory;
    }

    /** Why it cannot be told here, in a sentence; empty when nothing is in the way. */
    static Optional<String> obstacle() {
        return NodePrograms.obstacle()
                .or(() -> LaunchCluster.missingImages().stream()
                        .findFirst()
                        .map(image -> "the operator's images are missing (" + image + "): run \"make images\""))
                .or(() -> MpiOperator.directory().isEmpty()
                        ? Optional.of("the MPI Operator is missing: run \"make setup\" as root")
                        : Optional.empty());
    }

    /** Returns when everything that the tutorial needs is up. */
    static NodesStory begin(Progress progress, Path state) throws IOException, InterruptedException {
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
            startOthers(cluster, directory);
            progress.step("the MPI Operator and Volcano are up");
            return new NodesStory(progress, launch, directory);
        } catch (RuntimeException | IOException | InterruptedException e) {
            launch.close();
            throw e;
        }
    }

    private static void startOthers(RealCluster cluster, Path directory) throws IOException, InterruptedException {
        Volcano volcano = Volcano.find(
                        cluster, directory, (name, command) -> cluster.startServer(name, command, Map.of()))
                .orElseThrow(() -> new IllegalStateException("Volcano is missing: run \"make setup\" as root"));
        volcano.applyCustomResources();
        volcano.start();
        MpiOperator.start(cluster);
    }

    Cluster cluster() {
        return launch.cluster();
    }

    void tell() {
        progress.show("helm list -A", Helm.of(launch.cluster()).run("list", "-A"));
        Tutorial.read().play(launch.cluster(), directory, this::show);
    }

    private void show(Tutorial.Step step, String output) {
        switch (step) {
            case Tutorial.Section section -> {
                progress.line("");
                progress.step("%s", section.title());
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
