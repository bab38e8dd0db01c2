/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster.standin;

import dev.fabricoperator.e2e.cluster.NodeSpec;
import dev.fabricoperator.e2e.cluster.ServiceAccountTokens;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.function.Function;

/**
 * The requests of one node's kubelet, sent as {@code system:node:NAME} through the administrator's right to impersonate: no certificate is needed, so it works
 * on any cluster, and the API server allows just what it allows a kubelet.
 */
final class KubeletApi {
    private static final String LEASES = "kube-node-lease";
    private static final int LEASE_SECONDS = 40;
    private static final int BINDING_ATTEMPTS = 20;
    private static final Duration BINDING_PAUSE = Duration.ofMillis(200);
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

    private final KubernetesClient admin;
    private final NodeSpec node;
    private final Clock clock;
    private final RequestConfig asNode;

    KubeletApi(KubernetesClient admin, NodeSpec node, Clock clock) {
        this.admin = admin;
        this.node = node;
        this.clock = clock;
        this.asNode = new RequestConfigBuilder(admin.getConfiguration().getRequestConfig())
                .withImpersonateUsername("system:node:" + node.name())
                .withImpersonateGroups("system:nodes", "system:authenticated")
                .build();
    }

    private <T> T call(Function<NamespacedKubernetesClient, T> request) {
        try {
            return admin.adapt(NamespacedKubernetesClient.class)
                    .withRequestConfig(asNode)
                    .call(client -> request.apply(client));
        } catch (IllegalStateException e) {
            // Closed with the control plane, which is as good as away. Left to end the thread it would fail whichever
            // test waits just then.
            throw new KubernetesClientException(e.getMessage(), e);
        }
    }

    /** Creates the Node, or finds it, and reports it Ready. */
    void register() {
        Node object = new NodeBuilder()
                .withNewMetadata()
                .withName(node.name())
                .addToLabels(node.labels())
                .addToLabels("kubernetes.io/hostname", node.name())
                .addToLabels("kubernetes.io/os", "linux")
                .addToLabels("kubernetes.io/arch", "amd64")
                .endMetadata()
                .build();
        try {
            call(client -> client.resource(object).create());
        } catch (KubernetesClientException e) {
            if (e.getCode() != 409) {
                throw e;
            }
        }
        createLease();
        reportReady();
    }

    private void createLease() {
        try {
            call(client -> client.resource(lease()).create());
        } catch (KubernetesClientException e) {
            if (e.getCode() != 409) {
                throw e;
            }
            renewLease();
        }
    }

    boolean isReportedReady() {
        Node current = call(client -> client.nodes().withName(node.name()).get());
        return current != null
                && current.getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Ready")
                                && condition.getStatus().equals("True"));
    }

    void reportReady() {
        Map<String, Quantity> capacity =
                Map.of("cpu", new Quantity("64"), "memory", new Quantity("512Gi"), "pods", new Quantity("110"));
        Node status = new NodeBuilder()
                .withNewMetadata()
                .withName(node.name())
                .endMetadata()
                .withNewStatus()
                .withCapacity(capacity)
                .withAllocatable(capacity)
                .addNewAddress(node.internalIp(), "InternalIP")
                .addNewAddress(node.name(), "Hostname")
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .withReason("StandIn")
                .withMessage("a stand-in for a kubelet keeps this node ready")
                .withLastHeartbeatTime(now())
                .withLastTransitionTime(now())
                .endCondition()
                .withNewNodeInfo()
                .withArchitecture("amd64")
                .withOperatingSystem("linux")
                .withKubeletVersion("stand-in")
                .endNodeInfo()
                .endStatus()
                .build();
        call(client ->
                client.nodes().withName(node.name()).subresource("status").patch(MERGE, status));
    }

    /** The heartbeat: the controller manager calls a node NotReady when this stops. */
    void renewLease() {
        call(client -> client.leases().inNamespace(LEASES).withName(node.name()).patch(MERGE, lease()));
    }

    private Lease lease() {
        return new LeaseBuilder()
                .withNewMetadata()
                .withNamespace(LEASES)
                .withName(node.name())
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity(node.name())
                .withLeaseDurationSeconds(LEASE_SECONDS)
                .withRenewTime(ZonedDateTime.now(clock.withZone(ZoneOffset.UTC)))
                .endSpec()
                .build();
    }

    /** A token for the pod's service account, bound to the pod, hence with the node's name among its claims. */
    TokenRequest requestToken(Pod pod) throws InterruptedException {
        // Seven seconds more than an hour: the kubelet's own mark for "may be extended".
        TokenRequest request = ServiceAccountTokens.boundTo(pod, 3_607);
        for (int attempt = 1; ; attempt++) {
            try {
                return call(client -> client.serviceAccounts()
                        .inNamespace(pod.getMetadata().getNamespace())
                        .withName(pod.getSpec().getServiceAccountName())
                        .tokenRequest(request));
            } catch (KubernetesClientException e) {
                // The Node authorizer learns of a binding a moment after the pods' watchers do.
                if (e.getCode() != 403 || attempt == BINDING_ATTEMPTS) {
                    throw e;
                }
            }
            Thread.sleep(BINDING_PAUSE);
        }
    }

    void reportPod(Pod status) {
        call(client -> client.pods()
                .inNamespace(status.getMetadata().getNamespace())
                .withName(status.getMetadata().getName())
                .subresource("status")
                .patch(MERGE, status));
    }

    /** What a kubelet does when the last container of a deleted pod has ended. */
    void removePod(Pod pod) {
        call(client -> client.pods()
                .inNamespace(pod.getMetadata().getNamespace())
                .withName(pod.getMetadata().getName())
                .withGracePeriod(0)
                .delete());
    }

    /** Done by an administrator, not by the kubelet. */
    void removeNode() {
        admin.nodes().withName(node.name()).delete();
        admin.leases().inNamespace(LEASES).withName(node.name()).delete();
    }

    String now() {
        return DateTimeFormatter.ISO_INSTANT.format(clock.instant().truncatedTo(ChronoUnit.SECONDS));
    }
}
