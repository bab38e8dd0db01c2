/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.system;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.NodeSpec;
import dev.fabricoperator.e2e.hostgen.DerivedHost;
import dev.fabricoperator.e2e.hostgen.Dumps;
import dev.fabricoperator.e2e.hostgen.HostTree;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import io.fabric8.kubernetes.client.dsl.PodResource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@WithControlPlane(
        own = true,
        needs = {Component.CONTROLLER_MANAGER, Component.SCHEDULER})
class AgentsTest {
    private static final Path NDR =
            Path.of(System.getProperty("fixtures"), "fabric/ib-ndr-dgx-topograph/ibnetdiscover.txt.gz");

    /** A program of the node's own has the agents' port; then no processor is left. */
    @Tag("long")
    @Test
    void whyAnAgentIsNotScheduledStandsInTheConditionWithItsNode(ControlPlane controlPlane, @TempDir Path directory)
            throws IOException {
        KubernetesClient client = controlPlane.admin();
        List<DerivedHost> hosts =
                DerivedHost.of(Dumps.cabling("ndr", Dumps.read(NDR))).subList(0, 2);
        String node = hosts.getFirst().nodeName();
        try (FabricSystem system =
                FabricSystem.install(controlPlane, directory.resolve("state"), Duration.ofMillis(500))) {
            system.join(hosts.stream().map(host -> layOut(host, directory)).toList());
            await().atMost(LIMIT).until(() -> inventory(system).contains("all 2 agents are Ready"));

            var squatter = client.resource(new PodBuilder()
                    .withNewMetadata()
                    .withNamespace("default")
                    .withName("squatter")
                    .endMetadata()
                    .withNewSpec()
                    .withNodeName(node)
                    .withServiceAccountName("default")
                    .addNewContainer()
                    .withName("squatter")
                    .withImage("registry.invalid/squatter")
                    .addNewPort()
                    .withContainerPort(8081)
                    .withHostPort(8081)
                    .endPort()
                    .endContainer()
                    .endSpec()
                    .build());
            squatter.create();
            agents(client).list().getItems().stream()
                    .filter(pod -> node.equals(pod.getSpec().getNodeName()))
                    .forEach(pod -> client.resource(pod).withGracePeriod(0).delete());
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(inventory(system))
                            .isEqualTo("1 of 2 agents are Ready; waiting for those on " + node
                                    + " (didn't have free ports for the requested pod ports)"));

            squatter.withGracePeriod(0).delete();
            await().atMost(LIMIT).until(() -> inventory(system).contains("all 2 agents are Ready"));

            eventually(() -> client.apps()
                    .daemonSets()
                    .inNamespace("fabric-operator")
                    .withName("fabric-agent")
                    .edit(set -> new DaemonSetBuilder(set)
                            .editSpec()
                            .editTemplate()
                            .editSpec()
                            .editFirstContainer()
                            .editResources()
                            .addToRequests("cpu", new Quantity("100000"))
                            .addToLimits("cpu", new Quantity("100000"))
                            .endResources()
                            .endContainer()
                            .endSpec()
                            .endTemplate()
                            .endSpec()
                            .build()));
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(inventory(system)).contains("(Insufficient cpu)"));
        }
    }

    private static FilterWatchListDeletable<Pod, PodList, PodResource> agents(KubernetesClient client) {
        return client.pods().inNamespace("fabric-operator").withLabel("app.kubernetes.io/name", "fabric-agent");
    }

    private static String inventory(FabricSystem system) {
        return system.fabrics().stream()
                .filter(fabric -> fabric.getStatus() != null)
                .flatMap(fabric -> fabric.getStatus().conditions().stream())
                .filter(condition -> condition.type().equals("InventoryComplete"))
                .map(Condition::message)
                .findFirst()
                .orElse("");
    }

    private static NodeSpec layOut(DerivedHost host, Path directory) {
        Path root = directory.resolve(host.nodeName());
        try {
            HostTree.write(host, root);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return new NodeSpec(host.nodeName(), root, "10.20.0.1", Map.of());
    }
}
