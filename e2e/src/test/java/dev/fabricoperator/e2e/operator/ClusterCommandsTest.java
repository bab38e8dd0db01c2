/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.agent.Agent;
import dev.fabricoperator.agent.AgentConfig;
import dev.fabricoperator.agent.AgentConfigBuilder;
import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionBuilder;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricJobSpec;
import dev.fabricoperator.crds.FabricJobStatusBuilder;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.JobAppSpec;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.crds.PortImpairment;
import dev.fabricoperator.e2e.cli.CommandLineProgram;
import dev.fabricoperator.e2e.cli.CommandLineProgram.Result;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ServiceAccountTokens;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.fabric.traffic.LinkFault;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The command line answers from the objects of a cluster what it answers from the file that they came from; and alerts and the
 * dashboard ask for what the programs export, of which the controller runs here anyway.
 */
@WithControlPlane(own = true)
class ClusterCommandsTest extends OperatorCase {
    ClusterCommandsTest(ControlPlane cluster) {
        super(cluster);
    }

    @Test
    void filesAndClusterAnswerTheSame() throws IOException {
        Path dump = Files.writeString(directory.resolve("net.txt"), SmallFabric.dump());

        for (List<String> question : List.of(
                List.of("groups", "--string"),
                List.of("path", "n1/mlx5_0", "n8/mlx5_0"),
                List.of("peers", "n1/mlx5_0"),
                List.of("geometry", "n3", "--view", "physical"),
                List.of("cost", "--row", "n1/mlx5_0"),
                List.of("cost", "--from-node", "n1", "--to-node", "n5"),
                List.of("topology", "-o", "wide"),
                List.of("check"))) {
            List<String> ofFile = new ArrayList<>(question);
            ofFile.add(dump.toString());
            Result file = run(ofFile);
            Result answer = run(onCluster(question));
            assertThat(file.exitCode()).as(file.err()).isZero();
            assertThat(answer.exitCode()).as(answer.err()).isZero();
            // A list that takes seconds on a busy machine says how far it is.
            assertThat(answer.err().lines().filter(line -> !line.matches("read \\d+ Fabric[A-Za-z]+")))
                    .isEmpty();
            assertThat(answer.out()).as("%s", question).isEqualTo(file.out());
        }
        assertThat(run(onCluster(List.of("diff", dump.toString()))).out()).hasLineCount(1);
    }

    @Test
    void whatOnlyTheOperatorFindsIsShown() {
        drainSpine("port one");
        eventually(() -> assertThat(run(onCluster(List.of("check"))).out())
                .contains("DrainNotUnderstood", "b000000000000001", "\"port one\""));
    }

    private void drainSpine(String what) {
        FabricSwitch spine = admin.resources(FabricSwitch.class).list().getItems().stream()
                .filter(s -> s.getSpec().id().equals("b000000000000001"))
                .findFirst()
                .orElseThrow();
        eventually(() -> admin.resources(FabricSwitch.class)
                .withName(spine.getMetadata().getName())
                .edit(object -> {
                    object.getMetadata().setAnnotations(Map.of(FabricApi.ANNOTATION_DRAIN, what));
                    return object;
                }));
    }

    @Test
    void aDrainedSwitchIsAFindingAndCostsFollow() throws IOException {
        drainSpine("all");
        eventually(() -> assertThat(run(onCluster(List.of("check"))).out()).contains("Drained", "spine1 is drained"));
        Result path = run(onCluster(List.of("path", "n1/mlx5_0", "n8/mlx5_0", "-o", "json")));
        Result cost = run(onCluster(List.of("cost", "--from", "n1/mlx5_0", "--to", "n8/mlx5_0", "-o", "json")));
        assertThat(path.exitCode()).as(path.err()).isZero();
        String costLine = cost.out()
                .lines()
                .filter(l -> l.contains("\"cost\""))
                .findFirst()
                .orElseThrow();
        assertThat(path.out()).contains(costLine.strip().replace(",", ""));
    }

    @Test
    void watchTellsWhatIsThereAndRefreshTouchesTheFabric() throws IOException {
        Result watched = run(onCluster(List.of("watch", "--count", "1", "-o", "json")));
        assertThat(watched.exitCode()).as(watched.err()).isZero();
        assertThat(watched.out())
                .hasLineCount(1)
                .contains(
                        "\"fabric\":\"infiniband-0\"",
                        "\"event\":\"updated\"",
                        "\"generation\":" + status().generation());

        Result refreshed = run(onCluster(List.of("refresh")));
        assertThat(refreshed.out()).isEqualTo("fabric.fabric-operator.dev/infiniband-0 refreshed\n");
        assertThat(admin.resources(Fabric.class)
                        .withName(FABRIC)
                        .require()
                        .getMetadata()
                        .getAnnotations()
                        .get(FabricApi.ANNOTATION_REFRESH))
                .matches("2[0-9]{3}-.*Z");
        eventually(() -> assertThat(status().refreshed()).matches("2[0-9]{3}-.*Z"));
        assertThat(run(onCluster(List.of("groups", "--fabric", "nothing"))).exitCode())
                .isEqualTo(2);
    }

    @Test
    void jobsTellsWhoHasComeWhatIsWrongAndWhyThereIsASecondContainer() throws IOException {
        writeJob("default", "ring", JobPhase.Running, "ImageVolume", "");
        writeJob("default", "broken", JobPhase.Failed, "SecondContainer", "pod broken-2: rank 2 ended with code 7");
        writeJob("kube-public", "other", JobPhase.Running, "SecondContainer", "");
        String why = "node worker-3 has containerd://1.7.27, and image volumes need containerd 2.1";

        Result here = run(onCluster(List.of("jobs")));
        assertThat(here.exitCode()).as(here.err()).isZero();
        assertThat(here.out()).isEqualTo("""
                NAME     PHASE     ATTEMPT   PODS   RANKS   PMIXD             PROBLEM
                broken   Failed    1         4/4    8/8     SecondContainer   pod broken-2: rank 2 ended with code 7
                ring     Running   1         4/4    8/8     ImageVolume       <none>

                WHY A SECOND CONTAINER                                                         JOBS
                %s   broken
                """.formatted(why));
        assertThat(run(onCluster(List.of("jobs", "-A", "-o", "wide"))).out())
                .startsWith("NAMESPACE     NAME ")
                .contains("kube-public   other ", why + "   default/broken,kube-public/other");
        Result one = run(onCluster(List.of("jobs", "other", "-n", "kube-public", "-o", "json")));
        assertThat(one.out()).contains("\"readyPods\" : 4", "\"whySecondContainer\" : \"" + why + "\"");
        Result missing = run(onCluster(List.of("jobs", "other")));
        assertThat(missing.exitCode()).isEqualTo(2);
        assertThat(missing.err()).startsWith("error: no FabricJob 'other' in namespace default");
        assertThat(run(onCluster(List.of("jobs", "-n", "kube-system"))).out())
                .isEqualTo("No FabricJobs in namespace kube-system.\n");
        admin.resources(FabricJob.class).inAnyNamespace().delete();
    }

    @Test
    void statusTellsHowFabricsStandWhatIsWrongAndWhatToDo() throws IOException {
        Result shown = run(onCluster(List.of("status")));
        assertThat(shown.exitCode()).as(shown.err()).isZero();
        assertThat(shown.out())
                .containsPattern("(?m)^query API +NotInstalled$")
                .containsPattern("(?m)^infiniband-0 +True +[A-Za-z]+ +2x[0-9]+ +8 ")
                .containsPattern("(?m)^infiniband-0 +small +ibnetdiscover +SourceRead +3 +10 ")
                // The operator of this test runs outside of the cluster, whose Deployments have no pods.
                .containsPattern("(?m)^deployment fabric-operator-controller +NotReady +0 of 2 pods are Ready$")
                .contains(
                        "-> kubectl get pods -n fabric-operator -l app.kubernetes.io/part-of=fabric-operator -o wide\n");
        Result failing = run(onCluster(List.of("status", "--fail", "-o", "json")));
        assertThat(failing.exitCode()).isEqualTo(1);
        assertThat(failing.out()).contains("\"queryApi\" : \"NotInstalled\"", "\"reason\" : \"NotReady\"");
    }

    @Test
    void aJobIsShownWithItsRanksBySwitchAndIsDrawn() throws IOException {
        apply("""
                apiVersion: v1
                kind: Namespace
                metadata: {name: placed}
                ---
                apiVersion: v1
                kind: ServiceAccount
                metadata: {name: default, namespace: placed}
                ---
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: owner, namespace: placed}
                """);
        String uid = admin.configMaps()
                .inNamespace("placed")
                .withName("owner")
                .require()
                .getMetadata()
                .getUid();
        writeJob("placed", "ring", JobPhase.Running, "ImageVolume", "");
        eventually(() -> admin.resources(FabricJob.class)
                .inNamespace("placed")
                .withName("ring")
                .edit(job -> {
                    job.getMetadata()
                            .setOwnerReferences(List.of(new OwnerReferenceBuilder()
                                    .withApiVersion("v1")
                                    .withKind("ConfigMap")
                                    .withName("owner")
                                    .withUid(uid)
                                    .build()));
                    return job;
                }));
        for (String node : List.of("n1", "n2", "n5", "n6")) {
            apply("""
                    apiVersion: v1
                    kind: Pod
                    metadata:
                      name: ring-%1$s
                      namespace: placed
                      labels: {fabric-operator.dev/launch: direct}
                      annotations: {fabric-operator.dev/ranks-per-pod: "2"}
                      ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner, uid: %2$s, controller: true}]
                    spec:
                      nodeName: %1$s
                      containers: [{name: main, image: app}]
                    """.formatted(node, uid));
        }

        Result shown = run(onCluster(List.of("job", "ring", "-n", "placed")));
        assertThat(shown.exitCode()).as(shown.err()).isZero();
        assertThat(shown.err()).isEmpty();
        assertThat(shown.out())
                .containsPattern("(?m)^ring +Running +1 +4/4 +8/8 +4 ")
                .containsPattern("(?m)^0 +a000000000000001 +\\S+ +4 +2 +n\\[1-2\\]$")
                .containsPattern("(?m)^0 +a000000000000002 +\\S+ +4 +2 +n\\[5-6\\]$")
                .containsPattern("(?m)^n5 +2 +ring-n5 +a000000000000002$");
        assertThat(run(onCluster(List.of("job", "ring", "-n", "placed", "-o", "yaml")))
                        .out())
                .contains("node: \"n1\"", "phase: \"Running\"");
        assertThat(run(onCluster(List.of("job", "other", "-n", "placed"))).exitCode())
                .isEqualTo(2);
        Result map = run(onCluster(List.of("map", "job", "ring", "-n", "placed")));
        assertThat(map.exitCode()).as(map.err()).isZero();
        assertThat(map.out())
                .contains("job placed/ring: 8 ranks on 4 hosts\n", ": 4 ranks on n[1-2]; ", ": 4 ranks on n[5-6]; ");
        assertThat(run(onCluster(List.of("map", "job", "ring", "-n", "placed", "-o", "html")))
                        .out())
                .startsWith("<!DOCTYPE html>");
        admin.pods().inNamespace("placed").withGracePeriod(0).delete();
        admin.resources(FabricJob.class).inNamespace("placed").delete();
    }

    private void apply(String yaml) {
        admin.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
                .serverSideApply();
    }

    @Test
    void whatWasInjectedIntoAPodIsExplainedAndWhyNot() throws IOException {
        admin.load(new ByteArrayInputStream("""
                apiVersion: v1
                kind: Namespace
                metadata: {name: explained, labels: {fabric-operator.dev/injection: enabled}}
                ---
                apiVersion: v1
                kind: ServiceAccount
                metadata: {name: default, namespace: explained}
                ---
                apiVersion: v1
                kind: Pod
                metadata:
                  name: worker
                  namespace: explained
                  annotations:
                    fabric-operator.dev/launch: env
                    fabric-operator.dev/env.UCX_NET_DEVICES: mlx5_0:1
                    fabric-operator.dev/warnings: "first\\nsecond"
                spec:
                  nodeName: n1
                  containers:
                  - name: main
                    image: app
                    command: [/run/fabric-operator/image/usr/local/bin/fabric-launcher, --keep-environment, /run/e, --names, A, --, /usr/sbin/sshd, -De]
                    env:
                    - {name: UCX_NET_DEVICES, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['fabric-operator.dev/env.UCX_NET_DEVICES']"}}}
                ---
                apiVersion: v1
                kind: Namespace
                metadata: {name: not-opted-in}
                ---
                apiVersion: v1
                kind: ServiceAccount
                metadata: {name: default, namespace: not-opted-in}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: forgotten, namespace: not-opted-in, annotations: {fabric-operator.dev/launch: direct}}
                spec: {containers: [{name: main, image: app}]}
                """.getBytes(StandardCharsets.UTF_8)))
                .serverSideApply();
        assertThat(run(onCluster(List.of("explain", "worker", "-n", "explained")))
                        .out())
                .isEqualTo("""
                POD                NODE   LAUNCH   NAMESPACE OPTED IN
                explained/worker   n1     env      yes

                INJECTED                    VALUE                FROM
                variables of SSH sessions   /run/e               env of container main
                command                     /usr/sbin/sshd -De   command and args of container main, behind the launcher
                UCX_NET_DEVICES             mlx5_0:1             devices of node n1

                WARNINGS
                first
                second
                """);
        assertThat(run(onCluster(List.of("explain", "forgotten", "-n", "not-opted-in", "-o", "json")))
                        .out())
                .contains(
                        "\"optedIn\" : false",
                        "kubectl label namespace not-opted-in fabric-operator.dev/injection=enabled");
        Result missing = run(onCluster(List.of("explain", "nobody", "-n", "explained")));
        assertThat(missing.exitCode()).isEqualTo(2);
        assertThat(missing.err())
                .startsWith(
                        "error: no pod, Job, JobSet, StatefulSet, MPIJob or Volcano Job 'nobody' in namespace explained");
        admin.pods()
                .inNamespace("explained")
                .withName("worker")
                .withGracePeriod(0)
                .delete();
        admin.pods()
                .inNamespace("not-opted-in")
                .withName("forgotten")
                .withGracePeriod(0)
                .delete();
    }

    private void writeJob(String namespace, String name, JobPhase phase, String podShape, String problem) {
        FabricJob job = new FabricJob();
        job.setMetadata(
                new ObjectMetaBuilder().withNamespace(namespace).withName(name).build());
        job.setSpec(new FabricJobSpec(List.of(new JobAppSpec("ranks", 4, 2)), "index", 600L));
        FabricJob created = admin.resource(job).create();
        boolean failed = phase == JobPhase.Failed;
        boolean imageVolume = podShape.equals("ImageVolume");
        created.setStatus(FabricJobStatusBuilder.builder()
                .nspace(name + ".1")
                .phase(phase)
                .attempt(1)
                .size(8)
                .readyRanks(8)
                .nodes(4)
                .conditions(List.of(
                        condition("Whole", true, "AllPodsJoined", "all 4 pods of attempt 1 have their map"),
                        condition("Finished", failed, failed ? "JobFailed" : "RanksRun", failed ? problem : ""),
                        condition(
                                "OneContainer",
                                imageVolume,
                                podShape,
                                "node worker-3 has containerd://1.7.27, and image volumes need containerd 2.1")))
                .build());
        admin.resource(created).updateStatus();
    }

    private static Condition condition(String type, boolean holds, String reason, String message) {
        return ConditionBuilder.builder()
                .type(type)
                .status(holds ? ConditionStatus.True : ConditionStatus.False)
                .reason(reason)
                .message(message)
                .build();
    }

    /** What counts something is there when there was one. */
    @Test
    void alertsAndTheDashboardNameMetricsAndLabelsThatThereAre() throws Exception {
        Map<String, String> expressions = Monitoring.expressions();
        assertThat(expressions).hasSizeGreaterThan(40);
        // Of two sources the Fabric says whether they agree.
        ConfigMap second = SmallFabric.upload(SmallFabric.dump());
        second.getMetadata().setName("second");
        admin.resource(second).create();
        // Of one with a link that may be about to fail it says that, too.
        eventually(() -> admin.resources(FabricDevice.class)
                .withName(SmallFabric.deviceName(1))
                .edit(device -> {
                    device.setSpec(FabricDeviceSpecBuilder.builder(device.getSpec())
                            .impairments(List.of(new PortImpairment(
                                    LinkFault.SymbolErrors,
                                    "/sys/symbol_error",
                                    40L,
                                    10L,
                                    2L,
                                    60L,
                                    300L,
                                    "2026-01-02T03:04:05Z")))
                            .build());
                    return device;
                }));
        try (OperatorProcess server =
                        OperatorProcess.start(cluster, directory, "server", OperatorProcess.BRIEF, Map.of());
                HttpClient http = HttpClient.newBuilder()
                        .sslContext(TrustingAnybody.context())
                        .build();
                Agent agent = agent()) {
            // What counts answers is there when there was one.
            String token = ServiceAccountTokens.ofAccount(admin, OperatorProcess.NAMESPACE, "fabric-agent");
            http.send(
                    HttpRequest.newBuilder(server.query().resolve("/apis/query.fabric-operator.dev/v1alpha1/fabrics"))
                            .header("Authorization", "Bearer " + token)
                            .build(),
                    HttpResponse.BodyHandlers.discarding());
            http.send(
                    HttpRequest.newBuilder(server.webhook().resolve("/pods"))
                            .POST(HttpRequest.BodyPublishers.ofString("{}"))
                            .build(),
                    HttpResponse.BodyHandlers.discarding());
            http.send(
                    HttpRequest.newBuilder(server.jobs().resolve("/v1/watch"))
                            .header("Authorization", "Bearer " + token)
                            .build(),
                    HttpResponse.BodyHandlers.discarding());
            eventually(() -> {
                Monitoring exported = new Monitoring();
                exported.scrape(http, operator.health().resolve("/q/metrics"));
                exported.scrape(http, server.health().resolve("/q/metrics"));
                exported.scrape(http, URI.create("http://127.0.0.1:" + agent.metricsPort() + "/metrics"));
                assertThat(exported.metrics())
                        .contains(
                                "fabric_operator_fabric_condition",
                                "fabric_operator_query_seconds_count",
                                "fabric_operator_admission_seconds_count",
                                "fabric_operator_jobs_seconds_count");
                assertThat(exported.labelsOf("fabric_operator_fabric_condition").get("type"))
                        .contains("SourcesAgree");
                expressions.forEach(exported::assertThatThereIsWhatIsAskedFor);
            });
        }
    }

    /** Its host has nothing, and its token is none: it has metrics all the same. */
    private Agent agent() throws IOException {
        Path token = Files.writeString(directory.resolve("agent.token"), "none");
        Path authority = Files.writeString(directory.resolve("agent.ca.crt"), cluster.authorityPem());
        AgentConfig config = AgentConfig.of(
                Files.createDirectories(directory.resolve("host")),
                "n1",
                URI.create(cluster.server()),
                token,
                authority);
        Agent agent =
                new Agent(AgentConfigBuilder.builder(config).metricsPort(0).build());
        agent.start();
        return agent;
    }

    private List<String> onCluster(List<String> question) {
        return CommandLineProgram.onCluster(cluster, question);
    }

    private Result run(List<String> words) throws IOException {
        return CommandLineProgram.inProcess(words);
    }
}
