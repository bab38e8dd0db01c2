/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricDeviceStatusBuilder;
import dev.fabricoperator.crds.ServerSideApply;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ServiceAccountTokens;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.view.mapping.ObjectNames;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The policy that keeps an agent to its own node, with tokens that the API server issued for pods bound to nodes. */
@WithControlPlane(own = true)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AgentPolicyTest {
    private static final String AGENT = "fabric-agent";
    private static final PatchContext APPLY = ServerSideApply.by(FabricApi.AGENT_FIELD_MANAGER);

    private Cluster cluster;
    private KubernetesClient admin;
    private KubernetesClient agentOfA;
    private KubernetesClient agentOfB;

    @BeforeAll
    void installAndWaitForThePolicy(Cluster cluster) {
        this.cluster = cluster;
        admin = cluster.admin();
        Manifests.apply(cluster);
        agentOfA = agent("policy-a");
        agentOfB = agent("policy-b");
        // A policy takes effect a moment after it was created.
        Awaitility.await().atMost(LIMIT).until(() -> {
            try {
                agentOfA.resource(device("policy-b", "probe0")).patch(APPLY);
                admin.resources(FabricDevice.class)
                        .withName("policy-b-probe0-1")
                        .delete();
                return false;
            } catch (KubernetesClientException e) {
                // Not for want of a role, which takes effect a moment later too.
                return e.getCode() == 403
                        && String.valueOf(e.getMessage()).contains("may not write a device of node policy-b");
            }
        });
    }

    @AfterEach
    void deleteDevices() {
        admin.resources(FabricDevice.class).delete();
    }

    @AfterAll
    void close() {
        agentOfA.close();
        agentOfB.close();
    }

    @Test
    void anAgentWritesAndDeletesDevicesOfItsOwnNode() {
        FabricDevice device = device("policy-a", "mlx5_0");
        device.getMetadata().getOwnerReferences().add(owner("policy-a", false));
        agentOfA.resource(device).patch(APPLY);
        device.setSpec(FabricDeviceSpecBuilder.from(device.getSpec()).withLid(7));
        agentOfA.resource(device).patch(APPLY);

        assertThat(get("policy-a-mlx5-0-1").getSpec().lid()).isEqualTo(7);
        agentOfA.resources(FabricDevice.class).withName("policy-a-mlx5-0-1").delete();
        assertThat(admin.resources(FabricDevice.class)
                        .withName("policy-a-mlx5-0-1")
                        .get())
                .isNull();
    }

    @Test
    void anAgentCannotCreateADeviceOfAnotherNode() {
        assertDenied(
                () -> agentOfA.resource(device("policy-b", "mlx5_0")).patch(APPLY),
                "the agent on node policy-a may not write a device of node policy-b");
    }

    @Test
    void anAgentCannotChangeOrDeleteADeviceOfAnotherNode() {
        agentOfB.resource(device("policy-b", "mlx5_0")).patch(APPLY);
        FabricDevice stolen = device("policy-b", "mlx5_0");
        stolen.setSpec(FabricDeviceSpecBuilder.from(stolen.getSpec()).withNodeName("policy-a"));

        assertDenied(() -> agentOfA.resource(device("policy-b", "mlx5_0")).patch(APPLY), "may not write");
        // The schema already says that nodeName is immutable, and speaks first.
        assertThatThrownBy(() -> agentOfA.resource(stolen).patch(APPLY)).isInstanceOf(KubernetesClientException.class);
        assertThat(get("policy-b-mlx5-0-1").getSpec().nodeName()).isEqualTo("policy-b");
        assertDenied(
                () -> agentOfA.resources(FabricDevice.class)
                        .withName("policy-b-mlx5-0-1")
                        .delete(),
                "may not touch a device of node policy-b");
    }

    @Test
    void anAgentCannotGiveItsDeviceAwayToAnotherNode() {
        agentOfA.resource(device("policy-a", "mlx5_0")).patch(APPLY);
        FabricDevice given = device("policy-a", "mlx5_0");
        given.setSpec(FabricDeviceSpecBuilder.from(given.getSpec()).withNodeName("policy-b"));
        assertThatThrownBy(() -> agentOfA.resource(given).patch(APPLY)).isInstanceOf(KubernetesClientException.class);
        assertThat(get("policy-a-mlx5-0-1").getSpec().nodeName()).isEqualTo("policy-a");
    }

    @Test
    void aNameIsDerivedFromTheNodeAndTheDevice() {
        FabricDevice squatter = device("policy-a", "mlx5_0");
        squatter.getMetadata().setName("policy-b-mlx5-0-1");
        assertDenied(() -> agentOfA.resource(squatter).patch(APPLY), "<node>-<osName>-<port>");

        FabricDevice hashed = device("policy-a", "Weird.Name");
        hashed.getMetadata().setName("policy-a-weird-name-1-8-0123abcd");
        agentOfA.resource(hashed).patch(APPLY);
        assertThat(get("policy-a-weird-name-1-8-0123abcd")).isNotNull();
    }

    @Test
    void anAgentCannotTakeTheNameOfADeviceOfANodeThatBeginsWithItsOwnNodesName() {
        try (KubernetesClient agentOfLonger = agent("policy-a-1")) {
            for (String device : List.of("mlx5_0", "bnxt_re0")) {
                String name = ObjectNames.device("policy-a-1", device, 1);
                FabricDevice squatter = device("policy-a", "1_" + device);
                squatter.getMetadata().setName(name);
                assertDenied(() -> agentOfA.resource(squatter).patch(APPLY), "<node>-<osName>-<port>");
                FabricDevice own = device("policy-a-1", device);
                own.getMetadata().setName(name);
                agentOfLonger.resource(own).patch(APPLY);
                assertThat(get(name).getSpec().nodeName()).isEqualTo("policy-a-1");
            }
        }
        FabricDevice own = device("policy-a", "1_mlx5_0");
        own.getMetadata().setName(ObjectNames.device("policy-a", "1_mlx5_0", 1));
        agentOfA.resource(own).patch(APPLY);
        assertThat(get(own.getMetadata().getName())).isNotNull();
    }

    @Test
    void theOwnerIsTheNodeAndBlocksNothing() {
        FabricDevice ofB = device("policy-a", "mlx5_0");
        ofB.getMetadata().getOwnerReferences().add(owner("policy-b", false));
        assertDenied(() -> agentOfA.resource(ofB).patch(APPLY), "owned by that Node only");

        FabricDevice blocking = device("policy-a", "mlx5_0");
        blocking.getMetadata().getOwnerReferences().add(owner("policy-a", true));
        assertDenied(() -> agentOfA.resource(blocking).patch(APPLY), "blockOwnerDeletion");

        FabricDevice undeletable = device("policy-a", "mlx5_0");
        undeletable.getMetadata().setFinalizers(List.of("example.org/never"));
        assertDenied(() -> agentOfA.resource(undeletable).patch(APPLY), "finalizers");
    }

    @Test
    void aStatusIsDeniedByThePolicyEvenWhereARoleWouldAllowIt() {
        admin.resource(new ClusterRoleBuilder()
                        .withNewMetadata()
                        .withName("policy-test-status")
                        .endMetadata()
                        .addNewRule()
                        .withApiGroups(FabricApi.GROUP)
                        .withResources("fabricdevices/status")
                        .withVerbs("patch")
                        .endRule()
                        .build())
                .serverSideApply();
        admin.resource(new ClusterRoleBindingBuilder()
                        .withNewMetadata()
                        .withName("policy-test-status")
                        .endMetadata()
                        .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "policy-test-status")
                        .addNewSubject(null, "ServiceAccount", AGENT, OperatorProcess.NAMESPACE)
                        .build())
                .serverSideApply();
        agentOfA.resource(device("policy-a", "mlx5_0")).patch(APPLY);
        FabricDevice status = new FabricDevice();
        status.setMetadata(new ObjectMetaBuilder().withName("policy-a-mlx5-0-1").build());
        status.setStatus(FabricDeviceStatusBuilder.builder().fabric("mine").build());
        Awaitility.await()
                .atMost(LIMIT)
                .untilAsserted(() -> assertDenied(
                        () -> agentOfA.resource(status).subresource("status").patch(APPLY),
                        "an agent does not write status"));
    }

    @Test
    void aTokenWithoutANodeIsDenied() {
        String unbound = ServiceAccountTokens.ofAccount(admin, OperatorProcess.NAMESPACE, AGENT);
        try (KubernetesClient nowhere = client(unbound)) {
            assertDenied(() -> nowhere.resource(device("policy-a", "mlx5_0")).patch(APPLY), "no node claim");
        }
    }

    private FabricDevice get(String name) {
        return admin.resources(FabricDevice.class).withName(name).require();
    }

    private static void assertDenied(ThrowingCallable write, String why) {
        assertThatThrownBy(write)
                .isInstanceOfSatisfying(
                        KubernetesClientException.class,
                        e -> assertThat(e.getCode()).isEqualTo(403))
                .hasMessageContaining(why);
    }

    private static FabricDevice device(String node, String osName) {
        FabricDevice device = new FabricDevice();
        device.setMetadata(new ObjectMetaBuilder()
                .withName(node + "-" + osName.replace('_', '-') + "-1")
                .build());
        device.setSpec(FabricDeviceSpecBuilder.builder()
                .nodeName(node)
                .osName(osName)
                .port(1)
                .deviceId(osName + "@" + node)
                .type(DeviceType.OpenFabrics)
                .family(Family.InfiniBand)
                .build());
        return device;
    }

    private OwnerReference owner(String node, boolean blocks) {
        return new OwnerReferenceBuilder()
                .withApiVersion("v1")
                .withKind("Node")
                .withName(node)
                .withUid(admin.nodes().withName(node).require().getMetadata().getUid())
                .withBlockOwnerDeletion(blocks)
                .build();
    }

    /** A client with the token of an agent's pod on a node. */
    private KubernetesClient agent(String node) {
        admin.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(node)
                        .endMetadata()
                        .build())
                .serverSideApply();
        Pod pod = admin.resource(new PodBuilder()
                        .withNewMetadata()
                        .withName(AGENT + "-" + node)
                        .withNamespace(OperatorProcess.NAMESPACE)
                        .endMetadata()
                        .withNewSpec()
                        .withNodeName(node)
                        .withServiceAccountName(AGENT)
                        .addNewContainer()
                        .withName("agent")
                        .withImage("none")
                        .endContainer()
                        .endSpec()
                        .build())
                .serverSideApply();
        return client(ServiceAccountTokens.ofPod(admin, pod));
    }

    private KubernetesClient client(String token) {
        Config config = Config.empty();
        config.setMasterUrl(cluster.server());
        config.setCaCertData(
                Base64.getEncoder().encodeToString(cluster.authorityPem().getBytes(StandardCharsets.UTF_8)));
        config.setOauthToken(token);
        return new KubernetesClientBuilder().withConfig(config).build();
    }
}
