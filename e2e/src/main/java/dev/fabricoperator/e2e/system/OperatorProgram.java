/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.system;

import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.KubeconfigFile;
import dev.fabricoperator.e2e.cluster.Ports;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.cluster.standin.BoundPod;
import dev.fabricoperator.e2e.cluster.standin.PodRuntime;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One replica of the operator: the program that the image holds, as a process of this machine, with the environment of its pod's container and the pod's own
 * token, so that its RBAC rules hold.
 */
final class OperatorProgram implements PodRuntime.RunningPod {
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final ServerProcess process;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();
    private final URI readiness;

    private OperatorProgram(ServerProcess process, URI readiness) {
        this.process = process;
        this.readiness = readiness;
    }

    static OperatorProgram start(Cluster cluster, BoundPod bound, Path directory) throws IOException {
        String podName = bound.pod().getMetadata().getName();
        Path kubeconfig = directory.resolve(podName + ".kubeconfig");
        KubeconfigFile.writeWithToken(
                kubeconfig, cluster.server(), cluster.authorityPem(), Files.readString(bound.tokenFile()));
        int port = Ports.free();
        Map<String, String> environment = environmentOf(bound);
        environment.put("KUBECONFIG", kubeconfig.toString());
        // Every pod has an address of its own; here they share one.
        environment.put("QUARKUS_HTTP_HOST", "127.0.0.1");
        environment.put("QUARKUS_HTTP_PORT", Integer.toString(port));
        for (String server : List.of("QUERY", "ADMISSION", "JOBS")) {
            environment.put("FABRIC_OPERATOR_" + server + "_HOST", "127.0.0.1");
            environment.put("FABRIC_OPERATOR_" + server + "_PORT", Integer.toString(Ports.free()));
        }
        ServerProcess process = ServerProcess.start(
                podName,
                OperatorJvm.command(
                        environment.getOrDefault("FABRIC_OPERATOR_ROLE", "controller"),
                        List.of("-XX:TieredStopAtLevel=1", "-Xmx512m")),
                environment,
                directory.resolve(podName + ".log"));
        Files.writeString(directory.resolve(podName + ".pid"), process.pid() + "\n");
        return new OperatorProgram(process, URI.create("http://127.0.0.1:" + port + "/q/health/ready"));
    }

    private static Map<String, String> environmentOf(BoundPod bound) {
        Map<String, String> environment = new HashMap<>();
        Container container = bound.pod().getSpec().getContainers().getFirst();
        for (EnvVar variable : container.getEnv()) {
            String value = variable.getValue();
            if (value == null
                    && variable.getValueFrom() != null
                    && variable.getValueFrom().getFieldRef() != null) {
                value = fieldOf(bound, variable.getValueFrom().getFieldRef().getFieldPath());
            }
            if (value != null) {
                environment.put(variable.getName(), value);
            }
        }
        return environment;
    }

    private static String fieldOf(BoundPod bound, String path) {
        return switch (path) {
            case "metadata.name" -> bound.pod().getMetadata().getName();
            case "metadata.namespace" -> bound.pod().getMetadata().getNamespace();
            case "metadata.uid" -> bound.pod().getMetadata().getUid();
            case "spec.nodeName" -> bound.node().name();
            case "spec.serviceAccountName" -> bound.pod().getSpec().getServiceAccountName();
            case "status.podIP", "status.hostIP" -> bound.node().internalIp();
            default -> throw new IllegalArgumentException("a stand-in node does not know the field " + path);
        };
    }

    @Override
    public boolean isReady() {
        try {
            HttpRequest request = HttpRequest.newBuilder(readiness)
                    .timeout(Duration.ofSeconds(1))
                    .build();
            return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            // A probe that gets no answer has found it not ready.
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        http.shutdownNow();
        process.stop(GRACE);
    }
}
