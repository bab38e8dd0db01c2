/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.cluster.ServiceAccountTokens;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.system.Command;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The policy of the sample that keeps a preparer of hosts to one condition of its node's pods. */
@WithControlPlane(own = true)
class PreparerPolicyTest {
    private static final String NODE = "prepared";

    private final Cluster cluster;
    private final KubernetesClient admin;

    PreparerPolicyTest(Cluster cluster) {
        this.cluster = cluster;
        this.admin = cluster.admin();
    }

    @Test
    void aPreparerChangesNothingOfAPodButItsOneCondition() {
        Manifests.apply(cluster);
        Command.kubectl(cluster)
                .run(
                        "apply",
                        "--server-side",
                        "-f",
                        ProjectRoot.find()
                                .resolve("config/samples/host-preparer/rights.yaml")
                                .toString());
        admin.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(NODE)
                        .endMetadata()
                        .build())
                .serverSideApply();
        Pod holder = pod("fabric-host-preparer", "preparer");
        Pod rank = pod(OperatorProcess.NAMESPACE, "rank");
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl(cluster.server())
                .withCaCertData(cluster.authorityPem())
                .withOauthToken(ServiceAccountTokens.ofPod(admin, holder))
                .build();
        try (KubernetesClient preparer =
                new KubernetesClientBuilder().withConfig(config).build()) {
            // A policy and a role take effect a moment after they were created; what changes nothing is no business of
            // theirs.
            AtomicInteger probes = new AtomicInteger();
            Awaitility.await()
                    .atMost(LIMIT)
                    .untilAsserted(() -> assertThatThrownBy(() -> patch(
                                    preparer,
                                    rank,
                                    "{\"status\": {\"message\": \"probe " + probes.incrementAndGet() + "\"}}"))
                            .hasMessageContaining("a preparer writes the condition"));
            for (String more : new String[] {
                "\"status\": {\"observedGeneration\": 7}",
                "\"status\": {\"allocatedResources\": {\"cpu\": \"1\"}}",
                "\"metadata\": {\"labels\": {\"app\": \"somebody-elses\"}}",
                "\"metadata\": {\"annotations\": {\"a\": \"b\"}}",
                "\"metadata\": {\"finalizers\": [\"example.com/never\"]}"
            }) {
                assertThatThrownBy(() -> patch(preparer, rank, "{" + more + "}"))
                        .as(more)
                        .isInstanceOf(KubernetesClientException.class)
                        .hasMessageContaining("a preparer");
            }

            patch(
                    preparer,
                    rank,
                    "{\"status\": {\"conditions\": [{\"type\": \"" + LaunchApi.HOST_PREPARED
                            + "\", \"status\": \"True\"}]}}");
            assertThat(admin.resource(rank).get().getStatus().getConditions())
                    .extracting(PodCondition::getType)
                    .contains(LaunchApi.HOST_PREPARED);
        }
    }

    private static void patch(KubernetesClient preparer, Pod pod, String change) {
        preparer.pods()
                .inNamespace(pod.getMetadata().getNamespace())
                .withName(pod.getMetadata().getName())
                .subresource("status")
                .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), change);
    }

    private Pod pod(String namespace, String name) {
        return admin.resource(new PodBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withNamespace(namespace)
                        .endMetadata()
                        .withNewSpec()
                        .withNodeName(NODE)
                        .withServiceAccountName(
                                name.equals("preparer") ? "fabric-host-preparer" : "fabric-operator-server")
                        .addNewContainer()
                        .withName("only")
                        .withImage("none")
                        .endContainer()
                        .endSpec()
                        .build())
                .serverSideApply();
    }
}
