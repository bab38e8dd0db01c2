/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import static dev.fabricoperator.e2e.job.direct.FaultCase.RANKS;
import static dev.fabricoperator.e2e.job.direct.FaultCase.job;
import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.install.Helm;
import dev.fabricoperator.e2e.job.LaunchCluster;
import dev.fabricoperator.e2e.junit.OnRealNodes;
import dev.fabricoperator.e2e.system.Command;
import io.fabric8.kubernetes.api.model.HostAlias;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The operator as a release of Helm, on real nodes. */
@OnRealNodes
@ExtendWith(LaunchClusterExtension.class)
class ReleaseTest {
    private static final String NAMESPACE = "fabric-operator";
    private static final String ANNOTATION = "example.org/upgraded";
    private static final List<String> ROLES = List.of("controller", "server");

    private final FaultCase faults;
    private final Command helm;

    ReleaseTest(FaultCase faults) {
        this.faults = faults;
        this.helm = Helm.of(faults.cluster);
    }

    @Test
    void theReleaseIsDeployedAndADrainCanTakeOneReplicaOfEachRole() {
        assertThat(helm.run("status", LaunchCluster.RELEASE, "--namespace", NAMESPACE))
                .contains("STATUS: deployed");
        for (String role : ROLES) {
            // Replicas of a rollout before may still end.
            eventually(() -> {
                assertThat(deployment(role).getStatus().getAvailableReplicas())
                        .as(role)
                        .isEqualTo(2);
                List<Pod> replicas = faults.admin
                        .pods()
                        .inNamespace(NAMESPACE)
                        .withLabels(Map.of(
                                "app.kubernetes.io/name", "fabric-operator", "app.kubernetes.io/component", role))
                        .list()
                        .getItems();
                assertThat(replicas)
                        .as(role)
                        .extracting(pod -> pod.getSpec().getNodeName())
                        .doesNotHaveDuplicates();
            });
            eventually(() -> assertThat(faults.admin
                            .policy()
                            .v1()
                            .podDisruptionBudget()
                            .inNamespace(NAMESPACE)
                            .withName("fabric-operator-" + role)
                            .require()
                            .getStatus()
                            .getDisruptionsAllowed())
                    .as(role)
                    .isEqualTo(1));
        }
    }

    /** The pod that "helm test" makes, sent to a server's own address: these nodes have no kube-proxy, and with it no Service but by name. */
    @Test
    void thePodOfHelmTestIsAnswered() {
        String hook = helm.run("get", "hooks", LaunchCluster.RELEASE, "--namespace", NAMESPACE)
                .replace(
                        "https://fabric-operator-query.fabric-operator.svc",
                        "https://fabric-operator-query.fabric-operator.svc:8443");
        String server = faults.servers().getFirst().getStatus().getPodIP();
        Pod pod = faults.admin
                .pods()
                .load(new ByteArrayInputStream(hook.getBytes(StandardCharsets.UTF_8)))
                .item();
        pod.getSpec()
                .setHostAliases(List.of(new HostAlias(List.of("fabric-operator-query.fabric-operator.svc"), server)));
        var created = faults.admin.pods().inNamespace(NAMESPACE).resource(pod);
        created.create();
        try {
            created.waitUntilCondition(
                    now -> now != null
                            && List.of("Succeeded", "Failed")
                                    .contains(now.getStatus().getPhase()),
                    LIMIT.toSeconds(),
                    TimeUnit.SECONDS);
            assertThat(created.getLog()).contains("v1alpha1 answers");
        } finally {
            created.delete();
        }
    }

    @Test
    @Tag("long")
    void jobsRunOnWhileTheReleaseIsUpgradedAndRolledBack() {
        faults.create(job("runs-through-an-upgrade", 2, "mpi-steady", "1000", "0"));
        Pod runs = faults.pod("runs-through-an-upgrade", 0);
        faults.awaitLog(runs, RANKS, "steady: attempt 0 rank 0 of 2 begins");

        helm.run(
                "upgrade",
                LaunchCluster.RELEASE,
                Helm.chart().toString(),
                "--namespace",
                NAMESPACE,
                "--post-renderer",
                LaunchCluster.postRenderer(faults.cluster).toString(),
                "--set",
                "images.pullPolicy=Never",
                "--set-string",
                "controller.podAnnotations.example\\.org/upgraded=yes,server.podAnnotations.example\\.org/upgraded=yes",
                "--wait",
                "--timeout",
                "240s");
        assertThat(annotated()).allMatch(Boolean::booleanValue);
        faults.create(job("never-pulls", 2, "mpi-proof", "1"));
        faults.awaitEnd("never-pulls", "Complete");
        assertThat(faults.pod("never-pulls", 0).getSpec().getVolumes())
                .filteredOn(volume -> volume.getImage() != null)
                .singleElement()
                .satisfies(
                        volume -> assertThat(volume.getImage().getPullPolicy()).isEqualTo("Never"));
        helm.run("rollback", LaunchCluster.RELEASE, "--namespace", NAMESPACE, "--wait", "--timeout", "240s");

        assertThat(annotated()).noneMatch(Boolean::booleanValue);
        assertThat(faults.fabricJob("runs-through-an-upgrade").phase()).isEqualTo(JobPhase.Running);
        assertThat(faults.fabricJob("runs-through-an-upgrade").attempt()).isZero();
        assertThat(faults.log(runs, RANKS)).doesNotContain("attempt 1");
        faults.kubectl.run("-n", faults.namespace, "delete", "job", "runs-through-an-upgrade", "never-pulls");
    }

    /** Of each role. */
    private List<Boolean> annotated() {
        return ROLES.stream()
                .map(role ->
                        deployment(role).getSpec().getTemplate().getMetadata().getAnnotations())
                .map(annotations ->
                        Objects.requireNonNullElse(annotations, Map.of()).containsKey(ANNOTATION))
                .toList();
    }

    private Deployment deployment(String role) {
        return faults.admin
                .apps()
                .deployments()
                .inNamespace(NAMESPACE)
                .withName("fabric-operator-" + role)
                .require();
    }
}
