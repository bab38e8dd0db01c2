/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import static dev.fabricoperator.e2e.job.direct.FaultCase.RANKS;
import static dev.fabricoperator.e2e.job.direct.FaultCase.soon;
import static dev.fabricoperator.e2e.job.direct.FaultCase.uid;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.job.JobController;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.junit.OnRealNodes;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** StatefulSets and LeaderWorkerSets, whose programs serve until they are deleted, as their own controllers make their pods, on real nodes. */
@OnRealNodes
@ExtendWith(LaunchClusterExtension.class)
class ServingSetsTest {
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

    private final FaultCase faults;

    ServingSetsTest(FaultCase faults) {
        this.faults = faults;
    }

    private HasMetadata create(String manifest) {
        return faults.admin
                .load(new ByteArrayInputStream(manifest.getBytes(StandardCharsets.UTF_8)))
                .inNamespace(faults.namespace)
                .create()
                .getFirst();
    }

    private static String container() {
        return """
                {name: ranks, image: "%s", imagePullPolicy: Never, command: [mpi-steady, "1000", "1000"],
                 env: [{name: OMPI_MCA_mpi_yield_when_idle, value: "1"}]}""".formatted(ProofImages.PLAIN);
    }

    private void setReplicas(HasMetadata set, int replicas) {
        faults.admin.resource(set).patch(MERGE, "{\"spec\": {\"replicas\": %d}}".formatted(replicas));
    }

    private @Nullable Pod found(String name) {
        return faults.admin.pods().inNamespace(faults.namespace).withName(name).get();
    }

    private Pod pod(String name) {
        soon().until(() -> found(name) != null);
        return Objects.requireNonNull(found(name));
    }

    private void awaitRun(String pod, int attempt, int ranks) {
        faults.awaitLog(pod(pod), RANKS, "steady: attempt " + attempt + " rank 0 of " + ranks + " begins");
    }

    @Test
    void theRanksOfAStatefulSetGoOnWithAReplacedPodARestartedContainerAndOtherReplicas() {
        HasMetadata set = create("""
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: standing}
                spec:
                  replicas: 3
                  podManagementPolicy: Parallel
                  selector: {matchLabels: {app: standing}}
                  template:
                    metadata:
                      labels: {app: standing}
                      annotations: {fabric-operator.dev/launch: direct}
                    spec:
                      automountServiceAccountToken: false
                      terminationGracePeriodSeconds: 1
                      containers:
                        - %s
                """.formatted(container()));
        awaitRun("standing-0", 0, 3);
        Pod survivor = pod("standing-0");

        faults.remove(pod("standing-1"));
        awaitRun("standing-0", 1, 3);

        faults.kill(pod("standing-2"), RANKS);
        awaitRun("standing-0", 2, 3);

        setReplicas(set, 2);
        awaitRun("standing-0", 3, 2);

        setReplicas(set, 3);
        awaitRun("standing-0", 4, 3);
        assertThat(uid(faults.now(survivor))).isEqualTo(uid(survivor));
        assertThat(FaultCase.status(faults.now(survivor), RANKS).getRestartCount())
                .as("the launcher has run on")
                .isZero();
        assertThat(faults.awaitPhase("standing", JobPhase.Running).attempt()).isEqualTo(4);

        setReplicas(set, 0);
        faults.awaitPhase("standing", JobPhase.Failed);
        faults.admin.resource(set).delete();
    }

    @Test
    void aGroupOfALeaderWorkerSetBeginsAnewAsAWholeAndTheOtherGoesOn(@TempDir Path work) {
        var controller =
                JobController.start(JobController.Program.LEADER_WORKER_SET, faults.cluster, work, faults.namespace);
        Assumptions.assumeTrue(controller.isPresent(), "no LeaderWorkerSet controller: run \"make setup\"");
        try (var running = controller.get()) {
            HasMetadata set = create("""
                    apiVersion: leaderworkerset.x-k8s.io/v1
                    kind: LeaderWorkerSet
                    metadata: {name: groups}
                    spec:
                      replicas: 2
                      leaderWorkerTemplate:
                        size: 2
                        workerTemplate:
                          metadata:
                            annotations: {fabric-operator.dev/launch: direct}
                          spec:
                            automountServiceAccountToken: false
                            terminationGracePeriodSeconds: 1
                            containers:
                              - %s
                    """.formatted(container()));
            awaitRun("groups-0", 0, 2);
            awaitRun("groups-1", 0, 2);
            Pod leader = pod("groups-0");
            Pod other = pod("groups-1");

            faults.kill(pod("groups-0-1"), RANKS);

            soon().until(
                            () -> found("groups-0"),
                            found -> found != null && !uid(found).equals(uid(leader)));
            awaitRun("groups-0", 1, 2);
            assertThat(uid(faults.now(other))).isEqualTo(uid(other));
            assertThat(faults.fabricJob("groups-1").attempt()).isZero();

            setReplicas(set, 1);
            faults.awaitPhase("groups-1", JobPhase.Failed);
            assertThat(faults.fabricJob("groups-0").phase()).isEqualTo(JobPhase.Running);
            faults.admin.resource(set).delete();
        }
    }
}
