/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.job.DirectJob;
import dev.fabricoperator.e2e.job.LaunchCluster;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.node.NodePrograms;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Containers without a command, in real pods: nothing of ours stands before the program that the image starts. */
@Tag("long")
class OwnEntrypointTest {
    private static @Nullable LaunchCluster cluster;

    @TempDir
    static Path work;

    @BeforeAll
    static void start() {
        NodePrograms.obstacle().ifPresent(reason -> Assumptions.abort(reason));
        Assumptions.assumeTrue(
                LaunchCluster.missingImages().isEmpty(), "the operator's images are missing: run \"make images\"");
        cluster = LaunchCluster.start(2, List.of(ProofImages.write(work, NodePrograms.find())), text -> {});
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static KubernetesClient client() {
        return Objects.requireNonNull(cluster).cluster().admin();
    }

    @Test
    void thePodsOfAnImageThatStartsItsProgramItselfAreOneJob() {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        DirectJob job = new DirectJob(
                client(),
                new DirectJob.Wanted(
                        ProofImages.OWN,
                        List.of(),
                        3,
                        1,
                        List.of("OMPI_MCA_mpi_yield_when_idle=1"),
                        1000L,
                        null,
                        false));

        int code = job.run(Duration.ofSeconds(120), new PrintStream(output, true, StandardCharsets.UTF_8));

        assertThat(output.toString(StandardCharsets.UTF_8))
                .contains("proof: ring ok, collectives ok, 3 ranks on 3 nodes");
        assertThat(code).isZero();
    }

    @Test
    void whereAPodIsLostTheOthersRanksEndWithTheirServersAndTheNextAttemptIsMadeOfNewPods()
            throws InterruptedException {
        DirectJob.optIn(client());
        // Rank 1 waits for rank 0 in MPI_Init.
        client().resource(job("lost", "[ $PMIX_RANK = 0 ] && sleep 10; exec mpi-proof 1"))
                .create();
        Pod first = await("lost", "0");
        Pod second = await("lost", "1");
        TimeUnit.SECONDS.sleep(3);
        client().resource(first).delete();

        Job ended = client().batch()
                .v1()
                .jobs()
                .inNamespace(DirectJob.NAMESPACE)
                .withName("lost")
                .waitUntilCondition(
                        seen -> seen != null
                                && seen.getStatus() != null
                                && seen.getStatus().getCompletionTime() != null,
                        150,
                        TimeUnit.SECONDS);

        assertThat(ended.getStatus().getSucceeded()).isEqualTo(2);
        assertThat(succeeded("lost", "1")).doesNotContain(second.getMetadata().getUid());
        FabricJob job = client().resources(FabricJob.class)
                .inNamespace(DirectJob.NAMESPACE)
                .withName("lost")
                .waitUntilCondition(
                        seen -> seen != null
                                && seen.getStatus() != null
                                && seen.getStatus().phase() == JobPhase.Succeeded,
                        20,
                        TimeUnit.SECONDS);
        assertThat(job.getStatus().attempt()).isPositive();
    }

    private static Pod await(String job, String index) {
        return client().pods()
                .inNamespace(DirectJob.NAMESPACE)
                .withLabel("job-name", job)
                .withLabel("batch.kubernetes.io/job-completion-index", index)
                .waitUntilCondition(
                        pod -> pod != null
                                && pod.getStatus().getContainerStatuses().stream()
                                        .anyMatch(c -> c.getState().getRunning() != null),
                        60,
                        TimeUnit.SECONDS);
    }

    /** UIDs of the pods of an index that have succeeded. */
    private static List<String> succeeded(String job, String index) {
        return client()
                .pods()
                .inNamespace(DirectJob.NAMESPACE)
                .withLabel("job-name", job)
                .withLabel("batch.kubernetes.io/job-completion-index", index)
                .list()
                .getItems()
                .stream()
                .filter(pod -> "Succeeded".equals(pod.getStatus().getPhase()))
                .map(pod -> pod.getMetadata().getUid())
                .toList();
    }

    private static Job job(String name, String script) {
        return new JobBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(DirectJob.NAMESPACE)
                .endMetadata()
                .withNewSpec()
                .withCompletions(2)
                .withParallelism(2)
                .withCompletionMode("Indexed")
                .withBackoffLimit(6)
                .withNewTemplate()
                .withNewMetadata()
                .addToAnnotations("fabric-operator.dev/launch", "direct")
                .endMetadata()
                .withNewSpec()
                .withRestartPolicy("Never")
                .withAutomountServiceAccountToken(false)
                .withTerminationGracePeriodSeconds(3L)
                .addNewContainer()
                .withName("ranks")
                .withImage(ProofImages.PLAIN)
                .withImagePullPolicy("Never")
                .withArgs("sh", "-c", script)
                .withSecurityContext(new SecurityContextBuilder()
                        .withRunAsUser(1000L)
                        .withRunAsGroup(1000L)
                        .build())
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }
}
