/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Pods of real Jobs through the CREATE webhook. */
@WithControlPlane(own = true, needs = Component.CONTROLLER_MANAGER)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PodInjectionTest {
    private static final String RING =
            "{restartPolicy: Never, containers: [{name: app, image: app:1, command: [/app/ring]}]}";

    @TempDir
    static Path directory;

    private AdmissionCase admission;

    @BeforeAll
    void start(ControlPlane controlPlane) {
        admission = new AdmissionCase(controlPlane, directory, "work");
        admission.startController();
        admission.startServer();
        AdmissionCase.eventually(() -> assertThat(controlPlane
                        .admin()
                        .admissionRegistration()
                        .v1()
                        .mutatingWebhookConfigurations()
                        .withName("fabric-operator")
                        .get()
                        .getWebhooks())
                .allSatisfy(webhook ->
                        assertThat(webhook.getClientConfig().getCaBundle()).isNotEmpty()));
    }

    @AfterAll
    void stop() throws Exception {
        admission.close();
    }

    @Test
    void thePodsOfAnIndexedJobGetThePmixServerFirstAndTheLauncherBeforeTheirCommand() {
        admission.apply(AdmissionCase.job("ring", 3, "", RING));
        List<Pod> pods = admission.awaitPods("ring", 3);
        for (Pod pod : pods) {
            assertThat(pod.getSpec().getContainers().getFirst().getName()).isEqualTo(LaunchApi.PMIXD_CONTAINER);
            assertThat(AdmissionCase.container(pod, "app").getCommand())
                    .containsExactly("/run/fabric-operator/launcher", "--ranks", "1", "--", "/app/ring");
            assertThat(AdmissionCase.container(pod, LaunchApi.PMIXD_CONTAINER).getEnv())
                    .extracting(EnvVar::getName)
                    .contains("FABRIC_JOB_SERVICE", "FABRIC_JOB_SERVICE_CA", "POD_IP");
            assertThat(pod.getMetadata().getLabels()).containsEntry(LaunchApi.LAUNCH, LaunchApi.DIRECT);
            assertThat(pod.getStatus().getQosClass()).isEqualTo("BestEffort");
        }
    }
}
