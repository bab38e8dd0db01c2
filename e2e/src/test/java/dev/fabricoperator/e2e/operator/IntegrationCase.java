/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FabricSwitchSpecBuilder;
import dev.fabricoperator.crds.PeerRef;
import dev.fabricoperator.crds.SwitchPortSpec;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.volcano.TreeFabric;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A fabric of two pods, three leaves each and three nodes below each leaf, of which other systems are told. */
public abstract class IntegrationCase {
    protected static final TreeFabric TREE = new TreeFabric(2, 3, 3);
    protected static final String FABRIC = "infiniband-0";
    protected static final String WRITES = "fabric_operator_integration_writes_total";
    private static final Duration QUIET = Duration.ofSeconds(3);
    private static final Map<String, String> SETTINGS = Map.of(
            "FABRIC_OPERATOR_INTEGRATIONS_INTERVAL", "1s",
            "FABRIC_OPERATOR_COALESCING_CREATION_QUIET", "1s",
            "FABRIC_OPERATOR_DAMPING_CHANGES", "1000");

    protected final ControlPlane cluster;
    protected final KubernetesClient admin;

    protected IntegrationCase(ControlPlane cluster) {
        this.cluster = cluster;
        this.admin = cluster.admin();
    }

    /** With the operator's manifests. */
    protected static void createFabric(ControlPlane cluster) {
        KubernetesClient admin = cluster.admin();
        Manifests.apply(cluster);
        TREE.nodeObjects().forEach(node -> admin.resource(node).create());
        TREE.switchObjects().forEach(node -> admin.resource(node).create());
        TREE.deviceObjects().forEach(device -> admin.resource(device).create());
    }

    protected static OperatorProcess startOperator(ControlPlane cluster, Path directory, Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.putAll(more);
        return OperatorProcess.start(cluster, directory, "controller", OperatorProcess.BRIEF, settings);
    }

    /** Writes so far, without those that an API server could not answer at the time, and that were tried again. */
    protected static double written(OperatorProcess operator) {
        return operator.metric(WRITES) - operator.metric(WRITES, "outcome=\"again\"");
    }

    protected static void pause() {
        Awaitility.await().pollDelay(QUIET).atMost(LIMIT).until(() -> true);
    }

    protected @Nullable Condition condition(String type) {
        Fabric fabric = admin.resources(Fabric.class).withName(FABRIC).get();
        if (fabric == null || fabric.getStatus() == null) {
            return null;
        }
        return fabric.getStatus().conditions().stream()
                .filter(condition -> condition.type().equals(type))
                .findFirst()
                .orElse(null);
    }

    protected void edit(Consumer<Fabric> by) {
        eventually(() -> admin.resources(Fabric.class).withName(FABRIC).edit(fabric -> {
            by.accept(fabric);
            return fabric;
        }));
    }

    protected void moveNodeThreeFromLeafOneToLeafZero() {
        List<SwitchPortSpec> from = new ArrayList<>(ports(1));
        SwitchPortSpec moved = from.removeFirst();
        List<SwitchPortSpec> to = new ArrayList<>(ports(0));
        PeerRef peer = Objects.requireNonNull(moved.peer());
        to.add(new SwitchPortSpec(20, peer, moved.state(), moved.speedBitsPerSecond(), moved.width(), null));
        set(1, from);
        set(0, to);
    }

    protected List<SwitchPortSpec> ports(int leaf) {
        return admin.resources(FabricSwitch.class)
                .withName(TREE.leafName(leaf))
                .require()
                .getSpec()
                .ports();
    }

    protected void set(int leaf, List<SwitchPortSpec> ports) {
        eventually(() -> admin.resources(FabricSwitch.class)
                .withName(TREE.leafName(leaf))
                .edit(object -> {
                    object.setSpec(FabricSwitchSpecBuilder.builder(object.getSpec())
                            .ports(ports)
                            .build());
                    return object;
                }));
    }

    /** Resource versions of Nodes by name. */
    protected Map<String, String> nodeVersions() {
        Map<String, String> versions = new HashMap<>();
        admin.nodes()
                .list()
                .getItems()
                .forEach(node -> versions.put(
                        node.getMetadata().getName(), node.getMetadata().getResourceVersion()));
        return versions;
    }
}
