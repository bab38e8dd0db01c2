/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.e2e.demo.Tutorial;
import dev.fabricoperator.e2e.job.MpiOperator;
import dev.fabricoperator.e2e.junit.OnRealNodes;
import dev.fabricoperator.e2e.node.RealCluster;
import dev.fabricoperator.e2e.volcano.Volcano;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code docs/tutorial.md}, as a reader types it. */
@OnRealNodes
class TutorialTest {
    private final RealCluster cluster;

    TutorialTest(RealCluster cluster) {
        this.cluster = cluster;
    }

    @AfterEach
    void deleteNamespace() {
        cluster.admin().namespaces().withName("tutorial").delete();
    }

    @Test
    void everyCommandOfTheTutorialPrintsWhatThePageShows(@TempDir Path directory) throws InterruptedException {
        Optional<Volcano> found =
                Volcano.find(cluster, directory, (name, command) -> cluster.startServer(name, command, Map.of()));
        Assumptions.assumeTrue(
                found.isPresent() && MpiOperator.directory().isPresent(),
                "no Volcano or MPI Operator: run \"make setup\" as root");
        try (Volcano volcano = found.get()) {
            volcano.applyCustomResources();
            volcano.start();
            MpiOperator.start(cluster);
            Tutorial tutorial = Tutorial.read();
            assertThat(tutorial.steps()).hasAtLeastOneElementOfType(Tutorial.ShellCommand.class);
            tutorial.play(cluster, directory, TutorialTest::compare);
        }
    }

    private static void compare(Tutorial.Step step, String printed) {
        if (step instanceof Tutorial.ShellCommand command) {
            assertThat(ExpectedOutput.missing(command.output(), printed))
                    .as(() -> "of what the page shows below \"" + command.text() + "\", where this was printed:\n"
                            + printed)
                    .isEmpty();
        }
    }
}
