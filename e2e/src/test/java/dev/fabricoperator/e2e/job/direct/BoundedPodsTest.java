/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import static dev.fabricoperator.e2e.job.direct.FaultCase.RANKS;
import static dev.fabricoperator.e2e.job.direct.FaultCase.annotated;
import static dev.fabricoperator.e2e.job.direct.FaultCase.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fabricoperator.e2e.junit.OnRealNodes;
import dev.fabricoperator.e2e.node.RealNode;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Pods whose resources are bounded or counted to the last: they keep their class, find their place and run. */
@OnRealNodes
@ExtendWith(LaunchClusterExtension.class)
class BoundedPodsTest {
    private final FaultCase faults;

    BoundedPodsTest(FaultCase faults) {
        this.faults = faults;
    }

    private static JobBuilder with(JobBuilder job, ResourceRequirements resources) {
        return job.editSpec()
                .editTemplate()
                .editSpec()
                .editContainer(0)
                .withResources(resources)
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec();
    }

    private static ResourceRequirements limits(String cpu, String memory) {
        return new ResourceRequirementsBuilder()
                .addToLimits("cpu", new Quantity(cpu))
                .addToLimits("memory", new Quantity(memory))
                .build();
    }

    private Pod runs(FaultCase where, JobBuilder job, String qosClass) {
        String name = job.buildMetadata().getName();
        where.create(job);
        where.awaitEnd(name, "Complete");
        Pod pod = where.pod(name, 0);
        assertThat(pod.getStatus().getQosClass()).isEqualTo(qosClass);
        assertThat(where.log(pod, RANKS)).contains("ring ok, collectives ok");
        return pod;
    }

    @Test
    void aGuaranteedPodStaysGuaranteedAndHasItsOneContainerWithItsOwnLimits() {
        Pod pod = runs(faults, with(job("guaranteed", 1, "mpi-proof", "1"), limits("300m", "256Mi")), "Guaranteed");

        assertThat(pod.getSpec().getContainers())
                .singleElement()
                .satisfies(container -> assertThat(container.getResources().getLimits())
                        .containsEntry("cpu", new Quantity("300m"))
                        .containsEntry("memory", new Quantity("256Mi")));
    }

    @Test
    void aPodThatIsGuaranteedAsAWholeSharesWhatItHasWithItsPmixd() {
        JobBuilder job = job("whole", 1, "mpi-proof", "1")
                .editSpec()
                .editTemplate()
                .editSpec()
                .withResources(limits("300m", "512Mi"))
                .endSpec()
                .endTemplate()
                .endSpec();

        runs(faults, job, "Guaranteed");
    }

    @Test
    void ranksThatAreBoundHaveACoreEach() {
        JobBuilder job = job("cores", 2, "sh", "-c", "grep Cpus_allowed_list /proc/self/status; exec mpi-proof 2")
                .editSpec()
                .editTemplate()
                .editMetadata()
                .addToAnnotations("fabric-operator.dev/ranks-per-pod", "2")
                .addToAnnotations("fabric-operator.dev/bind", "core")
                .endMetadata()
                .endTemplate()
                .endSpec();

        Pod pod = runs(faults, job, "BestEffort");
        String log = faults.log(pod, RANKS);
        List<String> allowed = log.lines()
                .filter(line -> line.contains("Cpus_allowed_list"))
                .map(line -> line.replaceAll(".*\\s", ""))
                .distinct()
                .toList();
        if (Runtime.getRuntime().availableProcessors() == 1) {
            assertThat(log).contains("the ranks are not bound: there are more ranks than cores");
        } else {
            assertThat(allowed).as(log).hasSize(2).doesNotContain(allAllowed());
        }
    }

    @Test
    void ranksOfAPodWithCpusOfItsOwnAreBoundToThese() {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "a kubelet keeps one CPU for what asks for none");
        JobBuilder job = annotated(
                with(
                        job("exclusive", 1, "sh", "-c", "grep Cpus_allowed_list /proc/self/status; exec mpi-proof 1"),
                        limits("1", "256Mi")),
                "bind",
                "core");

        Pod pod = runs(
                faults,
                job.editSpec()
                        .editTemplate()
                        .editSpec()
                        .addToNodeSelector("kubernetes.io/hostname", RealNode.EXCLUSIVE_CPUS)
                        .endSpec()
                        .endTemplate()
                        .endSpec(),
                "Guaranteed");

        assertThat(faults.log(pod, RANKS))
                .containsPattern("Cpus_allowed_list:\\s+\\d+\n")
                .doesNotContain("not bound");
    }

    private static String allAllowed() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("Cpus_allowed_list"))
                    .map(line -> line.replaceAll(".*\\s", ""))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aPodThatTakesAllThatIsLeftOfItsNodeStillFits() {
        BigDecimal taken =
                faults.admin.pods().inAnyNamespace().withField("spec.nodeName", "node-1").list().getItems().stream()
                        .flatMap(pod -> pod.getSpec().getContainers().stream())
                        .map(container -> container.getResources().getRequests())
                        .filter(Objects::nonNull)
                        .map(requests ->
                                requests.getOrDefault("cpu", new Quantity("0")).getNumericalAmount())
                        .reduce(BigDecimal.ZERO, BigDecimal::add);
        Quantity allocatable = Objects.requireNonNull(faults.admin
                .nodes()
                .withName("node-1")
                .get()
                .getStatus()
                .getAllocatable()
                .get("cpu"));
        BigDecimal free = allocatable.getNumericalAmount().subtract(taken);
        ResourceRequirements all = new ResourceRequirementsBuilder()
                .addToRequests("cpu", new Quantity(free.toPlainString()))
                .build();

        runs(
                faults,
                with(job("full", 1, "mpi-proof", "1"), all)
                        .editSpec()
                        .editTemplate()
                        .editSpec()
                        .addToNodeSelector("kubernetes.io/hostname", "node-1")
                        .endSpec()
                        .endTemplate()
                        .endSpec(),
                "Burstable");
    }

    @Test
    void aNamespaceWithALimitRangeAndAQuotaRunsJobsWithinThem() {
        FaultCase bounded = new FaultCase(faults.cluster, "bounded");
        faults.admin
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName("bounded")
                        .withLabels(Map.of("fabric-operator.dev/injection", "enabled"))
                        .endMetadata()
                        .build())
                .create();
        faults.admin
                .load(new ByteArrayInputStream("""
                apiVersion: v1
                kind: LimitRange
                metadata: {name: range}
                spec:
                  limits:
                    - type: Container
                      min: {cpu: 50m, memory: 64Mi}
                      max: {cpu: "1", memory: 300Mi}
                      maxLimitRequestRatio: {cpu: "4"}
                ---
                apiVersion: v1
                kind: ResourceQuota
                metadata: {name: quota}
                spec:
                  hard: {requests.cpu: "1", limits.cpu: "4", requests.memory: 1Gi, limits.memory: 2Gi, pods: "4"}
                """.getBytes(StandardCharsets.UTF_8)))
                .inNamespace("bounded")
                .create();

        runs(
                bounded,
                with(
                        job("within", 2, "mpi-proof", "1"),
                        new ResourceRequirementsBuilder(limits("800m", "256Mi"))
                                .addToRequests("cpu", new Quantity("200m"))
                                .addToRequests("memory", new Quantity("64Mi"))
                                .build()),
                "Burstable");
        faults.kubectl.run("delete", "namespace", "bounded", "--wait=false");
    }
}
