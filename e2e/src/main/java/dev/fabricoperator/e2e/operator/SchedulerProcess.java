/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import dev.fabricoperator.e2e.cluster.Assets;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.Ports;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.Config;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** kube-scheduler as a process, for clusters that are started without one. */
public final class SchedulerProcess {
    private SchedulerProcess() {}

    /** @param extenderPort where the operator's scheduler extender listens, on 127.0.0.1; {@code null}: there is none */
    public static ServerProcess start(ControlPlane cluster, Path directory, @Nullable Integer extenderPort)
            throws IOException {
        Path kubeconfig = directory.resolve("scheduler.kubeconfig");
        cluster.writeKubeconfig(kubeconfig, "system:kube-scheduler", null);
        Path file = directory.resolve("scheduler.yaml");
        Files.writeString(file, """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                clientConnection: {kubeconfig: %s}
                leaderElection: {leaderElect: false}
                percentageOfNodesToScore: 100
                %s
                """.formatted(
                kubeconfig, extenderPort == null ? "" : extender(cluster, directory, kubeconfig, extenderPort)));
        return ServerProcess.start(
                "kube-scheduler",
                List.of(
                        Assets.find().program(Component.SCHEDULER).toString(),
                        "--config=" + file,
                        "--authentication-kubeconfig=" + kubeconfig,
                        "--authorization-kubeconfig=" + kubeconfig,
                        "--bind-address=127.0.0.1",
                        "--secure-port=" + Ports.free(),
                        "--cert-dir=" + directory.resolve("scheduler-certificates")),
                Map.of(),
                directory.resolve("kube-scheduler.log"));
    }

    private static String extender(ControlPlane cluster, Path directory, Path kubeconfig, int port) throws IOException {
        Config config = Config.fromKubeconfig(kubeconfig.toFile());
        Path certificate = directory.resolve("scheduler.crt");
        Path key = directory.resolve("scheduler.key");
        Path authority = directory.resolve("extender-ca.crt");
        write(certificate, config.getClientCertData());
        write(key, config.getClientKeyData());
        Secret serving = cluster.admin()
                .secrets()
                .inNamespace(OperatorProcess.NAMESPACE)
                .withName("fabric-operator-serving")
                .require();
        write(authority, serving.getData().get("ca.crt"));
        return """
                extenders:
                  - urlPrefix: https://127.0.0.1:%d
                    prioritizeVerb: prioritize
                    weight: 200
                    enableHTTPS: true
                    httpTimeout: 30s
                    nodeCacheCapable: true
                    ignorable: true
                    tlsConfig:
                      serverName: fabric-operator-query.fabric-operator.svc
                      certFile: %s
                      keyFile: %s
                      caFile: %s
                """.formatted(port, certificate, key, authority);
    }

    private static void write(Path file, @Nullable String base64) throws IOException {
        Files.write(
                file,
                Base64.getMimeDecoder().decode(Objects.requireNonNull(base64).getBytes(StandardCharsets.US_ASCII)));
    }
}
