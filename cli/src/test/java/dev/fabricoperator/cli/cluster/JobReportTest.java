/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricDeviceStatusBuilder;
import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricJobSpec;
import dev.fabricoperator.crds.FabricJobStatusBuilder;
import dev.fabricoperator.crds.JobAppSpec;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.crds.JobPlacementStatusBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JobReportTest {
    private static FabricJob job(JobPhase phase, Condition... conditions) {
        FabricJob job = new FabricJob();
        job.setMetadata(
                new ObjectMetaBuilder().withNamespace("lab").withName("ring").build());
        job.setSpec(new FabricJobSpec(List.of(new JobAppSpec("ranks", 4, 2)), "index", 600L));
        job.setStatus(FabricJobStatusBuilder.builder()
                .phase(phase)
                .fabric("ib")
                .placement(JobPlacementStatusBuilder.builder()
                        .meanCost(30.0)
                        .bestMeanCost(20.0)
                        .build())
                .conditions(List.of(conditions))
                .build());
        return job;
    }

    private static FabricDevice device(String node, String fabric, String plane, @Nullable String at) {
        FabricDevice device = new FabricDevice();
        device.setMetadata(new ObjectMetaBuilder()
                .withName(node + "-" + fabric + "-" + plane)
                .build());
        device.setSpec(FabricDeviceSpecBuilder.builder().nodeName(node).build());
        device.setStatus(FabricDeviceStatusBuilder.builder()
                .fabric(fabric)
                .plane(plane)
                .switchId(at)
                .build());
        return device;
    }

    private static Pod pod(String name, String owner, @Nullable String index, String created, String... command) {
        PodBuilder pod = new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withCreationTimestamp(created)
                .addNewOwnerReference()
                .withController(true)
                .withKind("Job")
                .withUid(owner)
                .endOwnerReference()
                .endMetadata()
                .withNewSpec()
                .withNodeName("n-" + name)
                .addNewContainer()
                .withName("main")
                .withCommand(command)
                .endContainer()
                .endSpec();
        if (index != null) {
            pod.editMetadata()
                    .addToLabels("batch.kubernetes.io/job-completion-index", index)
                    .endMetadata();
        }
        return pod.build();
    }

    @Test
    void ranksAreSummedByNodeAndBySwitchOfEachPlane() {
        JobReport report = JobReport.of(
                job(JobPhase.Running),
                List.of(
                        new JobPods.Placed("ring-0", "n1", 2),
                        new JobPods.Placed("ring-1", "n1", 2),
                        new JobPods.Placed("ring-2", "n2", 2),
                        new JobPods.Placed("ring-3", null, 2)),
                List.of(
                        device("n1", "ib", "0", "leaf-a"),
                        device("n1", "ib", "1", "leaf-c"),
                        device("n2", "ib", "0", "leaf-b"),
                        device("n2", "ib", "1", "leaf-c"),
                        device("n2", "storage", "0", "other")),
                Map.of("leaf-a", "Leaf A"));
        assertThat(report.nodes())
                .containsExactly(
                        new JobReport.OnNode("n1", 4, List.of("ring-0", "ring-1"), List.of("leaf-a", "leaf-c")),
                        new JobReport.OnNode("n2", 2, List.of("ring-2"), List.of("leaf-b", "leaf-c")));
        assertThat(report.switches())
                .containsExactly(
                        new JobReport.AtSwitch("0", "leaf-a", "Leaf A", 4, List.of("n1")),
                        new JobReport.AtSwitch("0", "leaf-b", null, 2, List.of("n2")),
                        new JobReport.AtSwitch("1", "leaf-c", null, 6, List.of("n1", "n2")));
        assertThat(report.costOverBest()).isEqualTo(1.5);
        assertThat(report.next()).isNull();
    }

    @Test
    void withoutPodsThereIsWhatTheFabricJobSays() {
        JobReport report = JobReport.of(job(JobPhase.Assembling), null, List.of(), Map.of());
        assertThat(report.nodes()).isEmpty();
        assertThat(report.switches()).isEmpty();
        assertThat(report.next()).contains("kubectl get pods -n lab", "kubectl fabric explain POD -n lab");
    }

    @Test
    void whatToDoFollowsFromWhyAJobDoesNotRun() {
        Condition refused =
                new Condition("Whole", ConditionStatus.False, null, null, "CannotBeLaunched", "parallelism is 2");
        assertThat(JobReport.of(job(JobPhase.Failed, refused), List.of(), List.of(), Map.of())
                        .next())
                .startsWith("change what the message names");
        Condition unprepared =
                new Condition("Whole", ConditionStatus.False, null, null, "HostsNotPrepared", "3 pods wait");
        assertThat(JobReport.of(job(JobPhase.Assembling, unprepared), List.of(), List.of(), Map.of())
                        .next())
                .contains("preparer", "kubectl get pods -n lab -o wide");
        assertThat(JobReport.of(job(JobPhase.TimedOut), List.of(), List.of(), Map.of())
                        .next())
                .contains("fabric-operator.dev/assembly-timeout");
        assertThat(JobReport.of(job(JobPhase.Succeeded), List.of(), List.of(), Map.of())
                        .next())
                .isNull();
    }

    @Test
    void theNewestPodOfAPlaceCounts() {
        String[] launcher = {"/run/fabric-operator/launcher", "--ranks", "3", "--", "a.out"};
        List<JobPods.Placed> placed = JobPods.placed(Stream.of(
                        pod("ring-0-old", "uid", "0", "2026-01-01T00:00:00Z", launcher),
                        pod("ring-0-new", "uid", "0", "2026-01-01T00:01:00Z", launcher),
                        pod("ring-1", "uid", "1", "2026-01-01T00:00:00Z"),
                        pod("worker", "uid", null, "2026-01-01T00:00:00Z"))
                .map(JobPods::seen)
                .toList());
        assertThat(placed)
                .containsExactly(
                        new JobPods.Placed("ring-0-new", "n-ring-0-new", 3),
                        new JobPods.Placed("ring-1", "n-ring-1", 1),
                        new JobPods.Placed("worker", "n-worker", 1));
    }
}
