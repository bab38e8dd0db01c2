/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;

import dev.fabricoperator.e2e.cluster.Assets;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.Ports;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.node.RealCluster;
import dev.fabricoperator.e2e.operator.Manifests;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** LeaderWorkerSet's controller as a process, with its webhooks for the pods of one namespace. */
public final class LeaderWorkerSetController implements AutoCloseable {
    private final ControlPlane cluster;
    private final ServerProcess server;
    private final List<HasMetadata> webhooks;

    private LeaderWorkerSetController(ControlPlane cluster, ServerProcess server, List<HasMetadata> webhooks) {
        this.cluster = cluster;
        this.server = server;
        this.webhooks = webhooks;
    }

    /** Beside the cluster's API server. */
    @FunctionalInterface
    private interface Starter {
        ServerProcess start(String name, List<String> command, Map<String, String> environment);
    }

    /**
     * @param directory for settings and logs
     * @return empty where setup has not built it
     */
    static Optional<LeaderWorkerSetController> start(ControlPlane cluster, Path directory, String namespace) {
        return start(
                cluster,
                "127.0.0.1",
                directory,
                namespace,
                (name, command, environment) ->
                        ServerProcess.start(name, command, environment, directory.resolve("lws.log")));
    }

    /** As {@link #start(ControlPlane, Path, String)}, for a cluster with nodes. */
    public static Optional<LeaderWorkerSetController> start(RealCluster cluster, Path directory, String namespace) {
        String address = cluster.server().replaceAll("https://([^:/]+).*", "$1");
        return start(cluster.controlPlane(), address, directory, namespace, cluster::startServer);
    }

    private static Optional<LeaderWorkerSetController> start(
            ControlPlane cluster, String address, Path directory, String namespace, Starter starter) {
        return Assets.writtenBySetup("FABRIC_OPERATOR_LWS")
                .map(programs -> start(cluster, address, Path.of(programs), directory, namespace, starter));
    }

    private static LeaderWorkerSetController start(
            ControlPlane cluster, String address, Path programs, Path directory, String namespace, Starter starter) {
        Manifests.applyCustomResources(cluster.admin(), programs.resolve("lws.crd.yaml"));
        int port = Ports.free();
        Path certificates = directory.resolve("lws-certificates");
        cluster.writeServingCertificate(certificates, List.of(address));
        Path settings;
        try {
            settings = Files.writeString(directory.resolve("lws.yaml"), """
                    apiVersion: config.lws.x-k8s.io/v1alpha1
                    kind: Configuration
                    leaderElection: {leaderElect: false}
                    internalCertManagement: {enable: false}
                    metrics: {bindAddress: "0"}
                    health: {healthProbeBindAddress: "0"}
                    webhook: {host: "%s", port: %d, certDir: %s}
                    """.formatted(address, port, certificates));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the settings of LeaderWorkerSet's controller", e);
        }
        ServerProcess server = starter.start(
                "lws",
                List.of(programs.resolve("lws").toString(), "--config=" + settings),
                Map.of("KUBECONFIG", cluster.kubeconfig().toString()));
        server.awaitReady(() -> isListening(address, port), LIMIT);
        String authority =
                Base64.getEncoder().encodeToString(cluster.authorityPem().getBytes(StandardCharsets.UTF_8));
        List<HasMetadata> webhooks = cluster.admin()
                .load(new ByteArrayInputStream(webhooks("https://" + address + ":" + port, authority, namespace)
                        .getBytes(StandardCharsets.UTF_8)))
                .serverSideApply();
        return new LeaderWorkerSetController(cluster, server, webhooks);
    }

    private static boolean isListening(String address, int port) {
        try (Socket socket = new Socket(address, port)) {
            return socket.isConnected();
        } catch (IOException e) {
            // Not yet.
            return false;
        }
    }

    /** As config/webhook of LeaderWorkerSet has those that change something, by URL rather than Service, and for one namespace. */
    private static String webhooks(String server, String authority, String namespace) {
        return """
                apiVersion: admissionregistration.k8s.io/v1
                kind: MutatingWebhookConfiguration
                metadata: {name: lws-mutate}
                webhooks:
                  - name: mleaderworkerset.kb.io
                    admissionReviewVersions: [v1]
                    sideEffects: None
                    clientConfig: {url: "%1$s/mutate-leaderworkerset-x-k8s-io-v1-leaderworkerset", caBundle: %2$s}
                    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %3$s}}
                    rules:
                      - apiGroups: [leaderworkerset.x-k8s.io]
                        apiVersions: [v1]
                        resources: [leaderworkersets]
                        operations: [CREATE, UPDATE]
                  - name: mpod.kb.io
                    admissionReviewVersions: [v1]
                    sideEffects: None
                    clientConfig: {url: "%1$s/mutate--v1-pod", caBundle: %2$s}
                    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %3$s}}
                    objectSelector: {matchExpressions: [{key: leaderworkerset.sigs.k8s.io/name, operator: Exists}]}
                    rules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}]
                """.formatted(server, authority, namespace);
    }

    @Override
    public void close() {
        cluster.admin().resourceList(webhooks).delete();
        server.kill();
    }
}
