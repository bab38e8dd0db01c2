/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import static dev.fabricoperator.e2e.job.direct.FaultCase.RANKS;
import static dev.fabricoperator.e2e.job.direct.FaultCase.annotated;
import static dev.fabricoperator.e2e.job.direct.FaultCase.held;
import static dev.fabricoperator.e2e.job.direct.FaultCase.job;
import static dev.fabricoperator.e2e.job.direct.FaultCase.soon;
import static dev.fabricoperator.e2e.job.direct.FaultCase.status;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.junit.OnRealNodes;
import dev.fabricoperator.e2e.node.RealNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Jobs that do not find room for all of their pods. Every node has ten places, a resource that nobody else uses. */
@OnRealNodes
@ExtendWith(LaunchClusterExtension.class)
class AssemblyFaultsTest {
    private static final String PLACES = "example.org/places";

    private final FaultCase faults;

    AssemblyFaultsTest(FaultCase faults) {
        this.faults = faults;
    }

    @BeforeAll
    static void makePlaces(FaultCase faults) {
        // Two nodes have places, however many the cluster has.
        List<String> nodes =
                faults.cluster.nodes().stream().map(RealNode::name).limit(2).toList();
        // The kubelet writes it too.
        nodes.forEach(node ->
                eventually(() -> faults.admin.nodes().withName(node).editStatus(found -> {
                    found.getStatus().getCapacity().put(PLACES, new Quantity("10"));
                    return found;
                })));
        soon().until(() -> nodes.stream()
                .allMatch(node -> Objects.requireNonNull(
                                faults.admin.nodes().withName(node).get())
                        .getStatus()
                        .getAllocatable()
                        .containsKey(PLACES)));
    }

    private static JobBuilder taking(JobBuilder job, int places) {
        return job.editSpec()
                .editTemplate()
                .editSpec()
                .editContainer(0)
                .editOrNewResources()
                .addToLimits(PLACES, new Quantity(Integer.toString(places)))
                .endResources()
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec();
    }

    @Test
    void theOneOfManyPodsThatFindsNoRoomIsNamedAndTheOthersReleaseWhatTheyHold() {
        faults.create(annotated(taking(job("large", 3, "mpi-proof", "1"), 9), "assembly-timeout", "20s"));

        FabricJobStatus told = faults.awaitPhase("large", JobPhase.TimedOut);
        assertThat(told.missing()).hasSize(1);
        // The Job controller makes others in their place.
        List<Pod> waited = IntStream.range(0, 3)
                .filter(index -> !told.missing().contains("index " + index))
                .mapToObj(index -> faults.pods("large").stream()
                        .filter(pod -> Integer.toString(index)
                                .equals(pod.getMetadata().getLabels().get("batch.kubernetes.io/job-completion-index")))
                        .min(Comparator.comparing(pod -> pod.getMetadata().getCreationTimestamp()))
                        .orElseThrow())
                .toList();
        assertThat(told.readyRanks()).isEqualTo(2);
        String missing = told.missing().getFirst();
        soon().untilAsserted(() ->
                assertThat(faults.events("large")).contains("AssemblyTimedOut: 1 of 3 pods have not come: " + missing));
        assertThat(faults.servers())
                .anySatisfy(server -> assertThat(faults.kubectl.run(
                                "-n",
                                "fabric-operator",
                                "logs",
                                server.getMetadata().getName()))
                        .contains("jobs/large did not become whole: 1 of 3 pods have not come: " + missing));
        soon().untilAsserted(() -> assertThat(waited)
                .hasSize(2)
                .allSatisfy(pod ->
                        assertThat(faults.now(pod).getStatus().getPhase()).isEqualTo("Failed")));
        assertThat(waited).allSatisfy(pod -> {
            assertThat(status(faults.now(pod), RANKS).getState().getTerminated().getExitCode())
                    .isEqualTo(124);
            assertThat(faults.log(pod, RANKS))
                    .contains("the job did not become whole within 20 s: 1 of 3 pods have not come: " + missing);
        });
        faults.kubectl.run("-n", faults.namespace, "delete", "job", "large");
    }

    @Tag("long")
    @Test
    void ofTwoJobsThatEachTakeSixtyPercentOneGivesWayAndBothRun() {
        // Three pods of four places: 12 of 20. A node has room for two such pods, so that four of the six find a place.
        faults.create(annotated(held(taking(job("patient", 3, "mpi-proof", "1"), 4)), "assembly-timeout", "240s"));
        // Long enough for the pause before the Job controller's retry, and for two pods to start one after the other.
        faults.create(annotated(held(taking(job("hasty", 3, "mpi-proof", "1"), 4)), "assembly-timeout", "40s")
                .editSpec()
                .withBackoffLimit(12)
                .endSpec());
        for (String name : List.of("patient", "hasty")) {
            for (int index = 0; index < 2; index++) {
                faults.open(faults.pod(name, index));
                faults.pod(name, index, pod -> pod.getSpec().getNodeName() != null);
            }
        }
        faults.open(faults.pod("patient", 2));
        faults.open(faults.pod("hasty", 2));

        soon().untilAsserted(() ->
                assertThat(faults.events("hasty")).contains("AssemblyTimedOut: 1 of 3 pods have not come: index 2"));
        faults.awaitEnd("patient", "Complete");
        assertThat(faults.fabricJob("patient").attempt()).isZero();
        List<Pod> gaveWay = faults.pods("hasty").stream()
                .filter(pod -> "Failed".equals(pod.getStatus().getPhase()))
                .toList();
        assertThat(gaveWay)
                .allSatisfy(pod -> assertThat(
                                status(pod, RANKS).getState().getTerminated().getExitCode())
                        .isEqualTo(124));
        faults.openUntilEnd("hasty");
        faults.awaitEnd("hasty", "Complete");
        soon().untilAsserted(
                        () -> assertThat(faults.fabricJob("hasty").attempt()).isPositive());
    }
}
