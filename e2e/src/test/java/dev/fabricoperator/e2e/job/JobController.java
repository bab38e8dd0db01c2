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

/** A controller of jobs as a process, with its webhooks for one namespace. */
public final class JobController implements AutoCloseable {
    private final ControlPlane cluster;
    private final ServerProcess server;
    private final List<HasMetadata> webhooks;

    private JobController(ControlPlane cluster, ServerProcess server, List<HasMetadata> webhooks) {
        this.cluster = cluster;
        this.server = server;
        this.webhooks = webhooks;
    }

    /** What setup has built. Settings have the places of address, port and certificates; webhooks those of URL, authority and namespace. */
    public enum Program {
        /** With those of its webhooks that change something. */
        LEADER_WORKER_SET("LWS", "lws", """
                apiVersion: config.lws.x-k8s.io/v1alpha1
                kind: Configuration
                leaderElection: {leaderElect: false}
                internalCertManagement: {enable: false}
                metrics: {bindAddress: "0"}
                health: {healthProbeBindAddress: "0"}
                webhook: {host: "%s", port: %d, certDir: %s}
                """, """
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
                """),
        JOB_SET(
                "JOBSET",
                "jobset",
                """
                apiVersion: config.jobset.x-k8s.io/v1alpha1
                kind: Configuration
                leaderElection: {leaderElect: false}
                internalCertManagement: {enable: false}
                metrics: {bindAddress: "0"}
                health: {healthProbeBindAddress: "0"}
                webhook: {host: "%s", port: %d, certDir: %s}
                """,
                jobSetWebhooks("Mutating", "mutate", "m", "CREATE") + "---\n"
                        + jobSetWebhooks("Validating", "validate", "v", "CREATE, UPDATE")),
        /** Kubeflow's. With JobSet's controller beside it, whose kind has to be there. */
        TRAINER(
                "TRAINER",
                "trainer-controller-manager",
                """
                apiVersion: config.trainer.kubeflow.org/v1alpha1
                kind: Configuration
                certManagement: {enable: false}
                metrics: {bindAddress: "0"}
                health: {healthProbeBindAddress: "0"}
                webhook: {host: "%s", port: %d}
                """,
                """
                apiVersion: admissionregistration.k8s.io/v1
                kind: ValidatingWebhookConfiguration
                metadata: {name: validator.trainer.kubeflow.org}
                webhooks:
                """ + trainerWebhook("clustertrainingruntime", "{}") + trainerWebhook("trainjob", """
                        {matchLabels: {kubernetes.io/metadata.name: %3$s}}"""));

        private final String variable;
        private final String file;
        private final String settings;
        private final String webhooks;

        Program(String variable, String file, String settings, String webhooks) {
            this.variable = "FABRIC_OPERATOR_" + variable;
            this.file = file;
            this.settings = settings;
            this.webhooks = webhooks;
        }

        private static String jobSetWebhooks(String kind, String verb, String letter, String operations) {
            return """
                    apiVersion: admissionregistration.k8s.io/v1
                    kind: [kind]WebhookConfiguration
                    metadata: {name: jobset-[verb]}
                    webhooks:
                      - name: [letter]jobset.kb.io
                        admissionReviewVersions: [v1]
                        sideEffects: None
                        clientConfig: {url: "%1$s/[verb]-jobset-x-k8s-io-v1alpha2-jobset", caBundle: %2$s}
                        namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %3$s}}
                        rules:
                          - apiGroups: [jobset.x-k8s.io]
                            apiVersions: [v1alpha2]
                            resources: [jobsets]
                            operations: [[operations]]
                      - name: [letter]pod.kb.io
                        admissionReviewVersions: [v1]
                        sideEffects: None
                        clientConfig: {url: "%1$s/[verb]--v1-pod", caBundle: %2$s}
                        namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %3$s}}
                        rules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}]
                    """.replace("[kind]", kind)
                    .replace("[verb]", verb)
                    .replace("[letter]", letter)
                    .replace("[operations]", operations);
        }

        private static String trainerWebhook(String kind, String namespaces) {
            return """
                      - name: validator.[kind].trainer.kubeflow.org
                        admissionReviewVersions: [v1]
                        sideEffects: None
                        clientConfig: {url: "%1$s/validate-trainer-kubeflow-org-v1alpha1-[kind]", caBundle: %2$s}
                        namespaceSelector: [namespaces]
                        rules:
                          - apiGroups: [trainer.kubeflow.org]
                            apiVersions: [v1alpha1]
                            resources: [[kind]s]
                            operations: [CREATE, UPDATE]
                    """.replace("[kind]", kind).replace("[namespaces]", namespaces);
        }
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
    public static Optional<JobController> start(
            Program program, ControlPlane cluster, Path directory, String namespace) {
        return start(
                program,
                cluster,
                "127.0.0.1",
                directory,
                namespace,
                (name, command, environment) ->
                        ServerProcess.start(name, command, environment, directory.resolve(name + ".log")));
    }

    /** As {@link #start(Program, ControlPlane, Path, String)}, for a cluster with nodes. */
    public static Optional<JobController> start(
            Program program, RealCluster cluster, Path directory, String namespace) {
        String address = cluster.server().replaceAll("https://([^:/]+).*", "$1");
        return start(program, cluster.controlPlane(), address, directory, namespace, cluster::startServer);
    }

    private static Optional<JobController> start(
            Program program, ControlPlane cluster, String address, Path directory, String namespace, Starter starter) {
        return Assets.writtenBySetup(program.variable)
                .map(programs -> start(program, Path.of(programs), cluster, address, directory, namespace, starter));
    }

    private static JobController start(
            Program program,
            Path programs,
            ControlPlane cluster,
            String address,
            Path directory,
            String namespace,
            Starter starter) {
        String name = program.file;
        Manifests.applyCustomResources(cluster.admin(), programs.resolve(name + ".crd.yaml"));
        int port = Ports.free();
        // Trainer has no setting for the place of certificates: below the directory for temporary files it is this one.
        Path temporary = directory.resolve(name);
        Path certificates = temporary.resolve("k8s-webhook-server/serving-certs");
        cluster.writeServingCertificate(certificates, List.of(address));
        Path settings;
        try {
            settings = Files.writeString(
                    directory.resolve(name + ".yaml"), program.settings.formatted(address, port, certificates));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the settings of " + name, e);
        }
        ServerProcess server = starter.start(
                name,
                List.of(programs.resolve(name).toString(), "--config=" + settings),
                Map.of("KUBECONFIG", cluster.kubeconfig().toString(), "TMPDIR", temporary.toString()));
        server.awaitReady(() -> isListening(address, port), LIMIT);
        String authority =
                Base64.getEncoder().encodeToString(cluster.authorityPem().getBytes(StandardCharsets.UTF_8));
        // As its manifests have them, by URL rather than Service, and for one namespace.
        String webhooks = program.webhooks.formatted("https://" + address + ":" + port, authority, namespace);
        return new JobController(
                cluster,
                server,
                cluster.admin()
                        .load(new ByteArrayInputStream(webhooks.getBytes(StandardCharsets.UTF_8)))
                        .serverSideApply());
    }

    private static boolean isListening(String address, int port) {
        try (Socket socket = new Socket(address, port)) {
            return socket.isConnected();
        } catch (IOException e) {
            // Not yet.
            return false;
        }
    }

    @Override
    public void close() {
        cluster.admin().resourceList(webhooks).delete();
        server.kill();
    }
}
