/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.CustomResources;
import dev.fabricoperator.e2e.cluster.FaultyApiServer;
import dev.fabricoperator.e2e.cluster.FaultyApiServer.Fault;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.CustomResource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A controller that finds an API server which does not say yet what it needs waits for it: one that ended would be started again after ever longer pauses. */
@WithControlPlane(own = true)
class ControllerStartTest {
    /** Waits for an answer for a fifth of the time that it does by default, and asks once. */
    private static final Map<String, String> SETTINGS = Map.of(
            "QUARKUS_KUBERNETES_CLIENT_REQUEST_TIMEOUT", "2S",
            "QUARKUS_KUBERNETES_CLIENT_REQUEST_RETRY_BACKOFF_LIMIT", "0");

    private static final Duration LATER_THAN_WAITED_FOR = Duration.ofSeconds(3);

    @TempDir
    Path directory;

    /** A test that takes something away gives it back. */
    @BeforeAll
    static void applyAll(ControlPlane cluster) {
        Manifests.apply(cluster);
    }

    @AfterEach
    void forgetTheLeader(ControlPlane cluster) {
        cluster.admin().leases().inNamespace(OperatorProcess.NAMESPACE).delete();
    }

    private OperatorProcess begin(Cluster cluster) {
        return OperatorProcess.begin(cluster, directory, "controller", SETTINGS);
    }

    private static boolean isLed(Cluster cluster) {
        return cluster.admin().leases().inNamespace(OperatorProcess.NAMESPACE).list().getItems().stream()
                .map(Lease::getSpec)
                .anyMatch(spec -> spec.getHolderIdentity() != null);
    }

    private static void awaitSilent(OperatorProcess controller, String what) {
        controller.await(
                "does not say that it waits",
                LIMIT,
                () -> controller.readiness().contains("\"silent\": \"" + what));
    }

    private static void assertThatItWaits(OperatorProcess controller, Cluster cluster) {
        awaitSilent(controller, "API server");
        assertThat(isLed(cluster)).isFalse();
    }

    private static void assertThatItLeads(OperatorProcess controller, Cluster cluster) {
        controller.await("does not lead", LIMIT, () -> isLed(cluster) && controller.isReady());
    }

    @Test
    void aControllerThatIsAnsweredTooLateWaitsAndLeads(ControlPlane cluster) {
        try (FaultyApiServer slow = FaultyApiServer.start(cluster, directory)) {
            slow.play(request -> new Fault.Late(LATER_THAN_WAITED_FOR));
            try (OperatorProcess controller = begin(slow)) {
                controller.await("asks no more", LIMIT, () -> slow.played() >= 4);
                assertThatItWaits(controller, cluster);
                slow.play(request -> Fault.NONE);
                assertThatItLeads(controller, cluster);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Fabric.class, FabricDevice.class})
    void aControllerThatFindsACustomResourceMissingWaitsForIt(
            Class<? extends CustomResource<?, ?>> kind, ControlPlane cluster) {
        CustomResources.delete(cluster.admin(), List.of(CustomResource.getCRDName(kind)));
        try (OperatorProcess controller = begin(cluster)) {
            awaitSilent(controller, kind == Fabric.class ? "API server" : "FabricDevice");
            Manifests.apply(cluster);
            assertThatItLeads(controller, cluster);
        } finally {
            Manifests.apply(cluster);
        }
    }

    @Test
    void aControllerThatWaitsEndsWhenItIsAskedTo(ControlPlane cluster) {
        try (FaultyApiServer silent = FaultyApiServer.start(cluster, directory)) {
            silent.play(request -> new Fault.Unheard());
            try (OperatorProcess controller = begin(silent)) {
                awaitSilent(controller, "API server");
                controller.terminate();
                assertThat(controller.log()).contains("fabric-operator stopped in");
            }
        }
    }

    @Test
    void aControllerThatMayNotReadFabricsWaitsForTheRight(ControlPlane cluster) {
        var bindings = cluster.admin().rbac().clusterRoleBindings();
        Objects.requireNonNull(bindings.withName("fabric-operator-controller").get());
        bindings.withName("fabric-operator-controller").delete();
        try (OperatorProcess controller = begin(cluster)) {
            assertThatItWaits(controller, cluster);
            Manifests.apply(cluster);
            assertThatItLeads(controller, cluster);
        } finally {
            Manifests.apply(cluster);
        }
    }

    @Test
    void aControllerThatMayNotHaveTheLeaseWaitsForTheRightAndSaysSo(ControlPlane cluster) {
        var bindings = cluster.admin().rbac().roleBindings().inNamespace(OperatorProcess.NAMESPACE);
        Objects.requireNonNull(bindings.withName("fabric-operator-controller").get());
        bindings.withName("fabric-operator-controller").delete();
        try (OperatorProcess controller = begin(cluster)) {
            controller.await("is silent", LIMIT, () -> controller.log().contains("may not get Lease"));
            assertThatItWaits(controller, cluster);
            Manifests.apply(cluster);
            assertThatItLeads(controller, cluster);
        }
    }
}
