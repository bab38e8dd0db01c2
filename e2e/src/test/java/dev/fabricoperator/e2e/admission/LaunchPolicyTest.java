/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.admission;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import io.fabric8.kubernetes.api.model.Container;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of pods while the operator is away, and when it is back. */
@WithControlPlane(own = true, needs = Component.CONTROLLER_MANAGER)
class LaunchPolicyTest {
    private static final String RING =
            "{restartPolicy: Never, containers: [{name: app, image: app:1, command: [/app/ring]}]}";
    private static final int REFUSALS = 6;

    @TempDir
    static Path directory;

    @Test
    void jobsWaitForTheOperatorAndAreWokenWhenItIsBack(ControlPlane controlPlane) throws Exception {
        try (AdmissionCase admission = new AdmissionCase(controlPlane, directory, "work")) {
            admission.awaitPolicy();
            admission.apply(AdmissionCase.job("ring", 3, "", RING));
            admission.apply(AdmissionCase.job("alone", 2, ", fabric-operator.dev/required: \"false\"", RING));
            admission.apply(AdmissionCase.job("slip", 1, "", RING).replace("launch: direct", "launch: Direct"));

            assertThat(admission.awaitPods("alone", 2))
                    .allSatisfy(pod -> assertThat(pod.getSpec().getContainers())
                            .extracting(Container::getName)
                            .containsExactly("app"));
            // The pauses of the Job controller grow meanwhile.
            eventually(() -> assertThat(admission.refusals("ring")).isGreaterThanOrEqualTo(REFUSALS));
            assertThat(admission.pods("ring")).isEmpty();
            assertThat(admission.pods("slip")).isEmpty();
            assertThat(admission.events("ring"))
                    .anySatisfy(message -> assertThat(message)
                            .contains("has not prepared this pod")
                            .contains("fabric-operator.dev/required"));

            OperatorProcess controller = admission.startController();
            admission.startServer();
            admission.awaitPods("ring", 3);
            assertThat(controlPlane
                            .admin()
                            .batch()
                            .v1()
                            .jobs()
                            .inNamespace("work")
                            .withName("ring")
                            .get()
                            .getMetadata()
                            .getAnnotations())
                    .as(controller.log())
                    .containsKey(LaunchApi.WOKEN);
            assertThat(controller.isAlive()).isTrue();
            eventually(() -> assertThat(admission.events("slip"))
                    .anySatisfy(message -> assertThat(message).contains("write direct or env")));
        }
    }

    /** As while an upgrade replaces the configurations, or where somebody has deleted them. */
    @Test
    void jobsWaitUntilTheWebhooksAreTrustedAndAreWokenThen(ControlPlane controlPlane) throws Exception {
        try (AdmissionCase admission = new AdmissionCase(controlPlane, directory, "untrusted")) {
            OperatorProcess controller = admission.startController();
            admission.startServer();
            admission.awaitWebhooks();
            admission
                    .admin
                    .admissionRegistration()
                    .v1()
                    .mutatingWebhookConfigurations()
                    .withLabel("app.kubernetes.io/part-of", "fabric-operator")
                    .delete();
            eventually(() -> assertThat(admission.bundles()).isEmpty());
            admission.awaitPolicy();
            admission.apply(AdmissionCase.job("ring", 3, "", RING));
            // The next pause of the Job controller is longer than what follows takes.
            eventually(() -> assertThat(admission.refusals("ring")).isGreaterThanOrEqualTo(REFUSALS - 1));

            // As it was when the server came.
            String before = woken(admission);

            Manifests.apply(controlPlane);

            admission.awaitPods("ring", 3);
            assertThat(woken(admission)).as(controller.log()).isNotEmpty().isNotEqualTo(before);
        }
    }

    private static String woken(AdmissionCase admission) {
        return admission
                .admin
                .batch()
                .v1()
                .jobs()
                .inNamespace(admission.namespace)
                .withName("ring")
                .get()
                .getMetadata()
                .getAnnotations()
                .getOrDefault(LaunchApi.WOKEN, "");
    }
}
