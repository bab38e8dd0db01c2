/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import static dev.fabricoperator.e2e.job.direct.FaultCase.job;
import static dev.fabricoperator.e2e.job.direct.FaultCase.uid;
import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.job.DirectJob;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.junit.OnRealNodes;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Containers without a command, in real pods: nothing of ours stands before the program that the image starts. */
@OnRealNodes
@ExtendWith(LaunchClusterExtension.class)
class OwnEntrypointTest {
    private final FaultCase faults;

    OwnEntrypointTest(FaultCase faults) {
        this.faults = faults;
    }

    @Test
    void thePodsOfAnImageThatStartsItsProgramItselfAreOneJob() {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        DirectJob own = new DirectJob(
                faults.admin,
                new DirectJob.Wanted(
                        ProofImages.OWN,
                        List.of(),
                        3,
                        1,
                        List.of("OMPI_MCA_mpi_yield_when_idle=1"),
                        1000L,
                        null,
                        false));

        int code = own.run(LIMIT, new PrintStream(output, true, StandardCharsets.UTF_8));

        assertThat(output.toString(StandardCharsets.UTF_8))
                .contains("proof: ring ok, collectives ok, 3 ranks on 3 nodes");
        assertThat(code).isZero();
    }

    @Test
    void whereAPodIsLostTheOthersRanksEndWithTheirServersAndTheNextAttemptIsMadeOfNewPods() {
        // Rank 1 waits for rank 0 in MPI_Init.
        String script =
                "echo begins; [ $PMIX_RANK = 0 ] && until [ -e /goes-on ]; do sleep 0.1; done; exec mpi-proof 1";
        faults.create(job("sidecar", 2)
                .editSpec()
                .withBackoffLimit(6)
                .editTemplate()
                .editSpec()
                .editFirstContainer()
                .withArgs("sh", "-c", script)
                .withSecurityContext(new SecurityContextBuilder()
                        .withRunAsUser(1000L)
                        .withRunAsGroup(1000L)
                        .build())
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec());
        Pod dies = faults.pod("sidecar", 0);
        Pod waits = faults.pod("sidecar", 1);
        faults.awaitLog(dies, FaultCase.RANKS, "begins");
        faults.awaitLog(waits, FaultCase.RANKS, "begins");

        faults.remove(dies);
        FaultCase.soon().until(() -> faults.pods("sidecar").stream().noneMatch(pod -> uid(pod).equals(uid(dies))));
        faults.makeFileUntilEnd("sidecar", "goes-on");

        Job end = faults.awaitEnd("sidecar", "Complete");
        assertThat(end.getStatus().getSucceeded()).isEqualTo(2);
        assertThat(faults.pods("sidecar"))
                .filteredOn(pod -> "Succeeded".equals(pod.getStatus().getPhase()))
                .hasSize(2)
                .noneMatch(pod -> uid(pod).equals(uid(waits)));
        assertThat(faults.awaitPhase("sidecar", JobPhase.Succeeded).attempt()).isPositive();
    }
}
