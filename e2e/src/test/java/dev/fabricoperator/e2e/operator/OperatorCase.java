/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceStatus;

import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.fabric.classify.FabricKind;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A controller as a process with its own rights, eight hosts and their dump; each test begins anew. */
abstract class OperatorCase {
    static final Duration LIMIT = Duration.ofSeconds(60);
    static final String FABRIC = "infiniband-0";
    static final Map<String, String> SETTINGS = Map.of(
            "FABRIC_OPERATOR_LEADER_ELECTION_LEASE_DURATION", "4s",
            "FABRIC_OPERATOR_LEADER_ELECTION_RENEW_DEADLINE", "3s",
            "FABRIC_OPERATOR_LEADER_ELECTION_RETRY_PERIOD", "500ms",
            "FABRIC_OPERATOR_SOURCE_POLL_INTERVAL", "1s");

    final ControlPlane cluster;
    final KubernetesClient admin;

    @TempDir
    Path directory;

    OperatorProcess operator;

    OperatorCase(ControlPlane cluster) {
        this.cluster = cluster;
        this.admin = cluster.admin();
    }

    @BeforeEach
    void eightHostsAndTheirDump() {
        Manifests.apply(cluster);
        for (int host = 1; host <= SmallFabric.HOSTS; host++) {
            admin.resource(SmallFabric.device(host)).create();
        }
        admin.resource(SmallFabric.upload(SmallFabric.dump())).create();
        operator = start();
        eventually(() -> {
            assertThat(status().kind()).isEqualTo(FabricKind.FatTree);
            assertThat(condition("Ready").status()).isEqualTo(ConditionStatus.True);
            assertThat(condition("Updating").status()).isEqualTo(ConditionStatus.False);
        });
    }

    @AfterEach
    void emptyTheCluster() {
        operator.kill();
        admin.configMaps().inNamespace(OperatorProcess.NAMESPACE).delete();
        admin.resources(FabricDevice.class).delete();
        admin.resources(FabricSwitch.class).delete();
        admin.resources(Fabric.class).delete();
        admin.leases().inNamespace(OperatorProcess.NAMESPACE).delete();
    }

    OperatorProcess start() {
        return start(Map.of());
    }

    final OperatorProcess start(Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.putAll(more);
        settings.put("FABRIC_OPERATOR_TOPOLOGY_DIRECTORY", directory.toString());
        return OperatorProcess.start(
                cluster, directory, "controller", List.of("-Xmx128m", "-XX:TieredStopAtLevel=1"), settings);
    }

    void eventually(ThrowingRunnable assertion) {
        Awaitility.await()
                .atMost(LIMIT)
                .pollInterval(Duration.ofMillis(100))
                .ignoreExceptions()
                .untilAsserted(assertion);
    }

    Fabric fabric() {
        return admin.resources(Fabric.class).withName(FABRIC).require();
    }

    FabricStatus status() {
        FabricStatus status = fabric().getStatus();
        assertThat(status).isNotNull();
        return status;
    }

    int vertices() {
        return Objects.requireNonNull(status().costMatrix()).vertices();
    }

    Condition condition(String type) {
        return status().conditions().stream()
                .filter(c -> c.type().equals(type))
                .findFirst()
                .orElseThrow();
    }

    FabricDeviceStatus device(int host) {
        return admin.resources(FabricDevice.class)
                .withName(SmallFabric.deviceName(host))
                .require()
                .getStatus();
    }

    Map<String, Integer> indices() {
        Map<String, Integer> indices = new TreeMap<>();
        for (FabricDevice device : admin.resources(FabricDevice.class).list().getItems()) {
            indices.put(device.getMetadata().getName(), device.getStatus().index());
        }
        return indices;
    }

    Map<String, String> versions() {
        Map<String, String> versions = new TreeMap<>();
        for (FabricDevice device : admin.resources(FabricDevice.class).list().getItems()) {
            versions.put(device.getMetadata().getName(), device.getMetadata().getResourceVersion());
        }
        return versions;
    }
}
