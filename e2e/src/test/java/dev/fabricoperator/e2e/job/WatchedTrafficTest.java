/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import static dev.fabricoperator.e2e.job.JobCase.now;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.Ports;
import dev.fabricoperator.e2e.junit.ClassNamespace;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.ServiceEndpoints;
import dev.fabricoperator.e2e.query.MachineAddress;
import dev.fabricoperator.e2e.query.QueryClient;
import dev.fabricoperator.e2e.query.Users;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.TrafficReport;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two replicas share the jobs; people reach either of them. */
@WithControlPlane(own = true, needs = Component.CONTROLLER_MANAGER)
class WatchedTrafficTest {
    private static final String USER = "watcher";

    private final ControlPlane cluster;

    WatchedTrafficTest(ControlPlane cluster) {
        this.cluster = cluster;
    }

    /** With the ClusterRole view in a namespace. */
    private String viewer(String namespace) {
        String token = new Users(cluster).stranger(USER);
        cluster.admin()
                .resource(new RoleBindingBuilder()
                        .withNewMetadata()
                        .withName(USER)
                        .withNamespace(namespace)
                        .endMetadata()
                        .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "view")
                        .addNewSubject("", "ServiceAccount", USER, "default")
                        .build())
                .create();
        return token;
    }

    private static TrafficReport report(String pod, long millis) {
        return TrafficReport.of(new TrafficReport.Pod(0, millis, true, 0, List.of()), List.of())
                .named(List.of(pod));
    }

    private static JobFabricUpdate told(CompletableFuture<JobFabricUpdate> update) throws Exception {
        return update.get(1, TimeUnit.MINUTES);
    }

    @Test
    void whoAsksAnyReplicaIsToldWhatAJobSendsNowAndThePodStopsWhenNobodyHasAskedForSomeSeconds(
            @ClassNamespace String namespace, @TempDir Path directory) throws Exception {
        String address = MachineAddress.find();
        try (JobCase jobs = new JobCase(cluster, directory)) {
            cluster.writeServingCertificate(
                    directory.resolve("tls"),
                    List.of("fabric-operator-jobs.fabric-operator.svc", address, "127.0.0.1"));
            List<OperatorProcess> replicas = new ArrayList<>();
            for (int replica = 0; replica < 2; replica++) {
                replicas.add(jobs.startServer(Map.of(
                        "FABRIC_OPERATOR_JOBS_PORT", Integer.toString(Ports.free()),
                        "FABRIC_OPERATOR_JOBS_HOST", address,
                        "FABRIC_OPERATOR_JOBS_ADDRESS", address)));
            }
            ServiceEndpoints.point(
                    cluster,
                    "fabric-operator-jobs",
                    replicas.stream().map(OperatorProcess::jobs).toList());
            String token = viewer(namespace);
            jobs.createNode("n1");
            Pod pod = jobs.pods(jobs.createJobOnNode(namespace, "ring", 1, "n1"), 1)
                    .getFirst();
            String name = pod.getMetadata().getName();
            PodSide first = jobs.side(replicas.getFirst().jobs(), pod);
            assertThat(now(first.joinUntilAnswered(JobCase.report(0, 0, -1, 1))).statusCode())
                    .isEqualTo(200);
            String path = "/apis/query.fabric-operator.dev/v1alpha1/namespaces/" + namespace + "/jobs/ring/traffic";
            long millis = 0;
            for (OperatorProcess replica : replicas) {
                try (QueryClient viewer = new QueryClient(replica.query(), cluster.authorityPem(), token)) {
                    CompletableFuture<JobFabricUpdate> wanted = first.awaitTrafficWanted(0, false);
                    eventually(() -> assertThat(viewer.get(path).statusCode()).isIn(200, 404));
                    assertThat(told(wanted)).isEqualTo(new JobFabricUpdate.TrafficWanted(true));

                    // Each second, as pmixd does; the replica that is asked may be the other one.
                    for (int second = 1; second <= 3; second++) {
                        millis += 1_000;
                        double seconds = millis / 1_000.0;
                        TrafficReport report = report(name, millis);
                        // Where this machine stalls nobody watches any more, and a report is refused for some seconds.
                        eventually(() -> {
                            assertThat(viewer.get(path).statusCode()).isIn(200, 404);
                            HttpResponse<byte[]> heard = now(first.tellTraffic(0, report));
                            assertThat(heard.statusCode())
                                    .as(PodSide.text(heard))
                                    .isEqualTo(204);
                        });
                        eventually(() -> {
                            JsonNode answer = viewer.json(path);
                            assertThat(answer.path("seconds").asDouble())
                                    .as(answer.toString())
                                    .isEqualTo(seconds);
                        });
                        Thread.sleep(700);
                    }
                    assertThat(told(first.awaitTrafficWanted(0, true)))
                            .isEqualTo(new JobFabricUpdate.TrafficWanted(false));
                }
            }
        }
    }
}
