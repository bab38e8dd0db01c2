/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.crds.DeviceSelectorBuilder;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricJobSpec;
import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.FabricSpec;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FabricSwitchSpecBuilder;
import dev.fabricoperator.crds.HostPreparationBuilder;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.crds.NamedValue;
import dev.fabricoperator.crds.ServerSideApply;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.system.Command;
import dev.fabricoperator.fabric.device.Family;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the service accounts of the controller and of the sweeper can write, with the rights and under the policies of {@code config/}. */
@WithControlPlane(own = true)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WriterPolicyTest {
    private static final String NAMESPACE = "writer-policy";
    private static final String JOB = "/apis/batch/v1/namespaces/" + NAMESPACE + "/jobs/ring";
    private static final String API_SERVICE =
            "/apis/apiregistration.k8s.io/v1/apiservices/v1alpha1.query.fabric-operator.dev";
    private static final String WEBHOOKS =
            "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/fabric-launch-pods";
    private static final String MERGE_PATCH = "application/merge-patch+json";
    private static final String JSON_PATCH = "application/json-patch+json";
    private static final PatchContext APPLY = ServerSideApply.by("writer-policy");

    private Cluster cluster;
    private KubernetesClient admin;
    private KubernetesClient controller;
    private KubernetesClient sweeper;

    @BeforeAll
    void installAndWaitForThePolicies(Cluster cluster) {
        this.cluster = cluster;
        admin = cluster.admin();
        Manifests.apply(cluster);
        Manifests.applySweeper(cluster);
        controller = as("fabric-operator-controller");
        sweeper = as("fabric-sweeper");
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .serverSideApply();
        createJob();
        // A policy takes effect a moment after it was created. Only dry runs: a Job that has been resumed once would be
        // refused no more.
        Awaitility.await().atMost(LIMIT).untilAsserted(() -> {
            assertForbidden(
                    () -> patch(JOB + "?dryRun=All", MERGE_PATCH, "{\"spec\":{\"suspend\":false}}"),
                    "changes no Job's spec");
            assertForbidden(
                    () -> sweeper.resource(fabricSwitch("probe", "infiniband"))
                            .dryRun()
                            .patch(APPLY),
                    "the sweeper writes");
        });
    }

    @BeforeEach
    void createJob() {
        admin.batch().v1().jobs().inNamespace(NAMESPACE).load(stream("""
                apiVersion: batch/v1
                kind: Job
                metadata: {name: ring, annotations: {example.org/kept: "1"}, labels: {team: a}}
                spec:
                  suspend: true
                  template: {spec: {restartPolicy: Never, containers: [{name: app, image: app}]}}
                """)).serverSideApply();
    }

    @AfterEach
    void deleteJobsAndSwitches() {
        admin.resources(FabricSwitch.class).delete();
        admin.batch().v1().jobs().inNamespace(NAMESPACE).delete();
    }

    @AfterAll
    void close() {
        controller.close();
        sweeper.close();
    }

    @Test
    void theControllerWakesAJobByOneAnnotation() {
        patchJob("{\"metadata\":{\"annotations\":{\"" + LaunchApi.WOKEN + "\":\"now\"}}}");
        patchJob("{\"metadata\":{\"annotations\":{\"" + LaunchApi.WOKEN + "\":\"later\"}}}");

        assertThat(admin.batch()
                        .v1()
                        .jobs()
                        .inNamespace(NAMESPACE)
                        .withName("ring")
                        .require()
                        .getMetadata()
                        .getAnnotations())
                .containsEntry(LaunchApi.WOKEN, "later")
                .containsEntry("example.org/kept", "1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"spec\":{\"suspend\":false}}",
                "{\"spec\":{\"backoffLimit\":0}}",
                "{\"metadata\":{\"annotations\":{\"example.org/kept\":\"2\"}}}",
                "{\"metadata\":{\"annotations\":{\"example.org/kept\":null}}}",
                "{\"metadata\":{\"annotations\":{\"example.org/new\":\"1\"}}}",
                "{\"metadata\":{\"labels\":{\"team\":\"b\"}}}",
                "{\"metadata\":{\"labels\":null}}",
                "{\"metadata\":{\"finalizers\":[\"example.org/never\"]}}",
                "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"n\",\"uid\":\"u\"}]}}",
            })
    void theControllerChangesNothingElseOfAJob(String patch) {
        assertForbidden(() -> patchJob(patch), "the controller of fabric-operator changes no");
    }

    /** What a Fabric says of variables is set in the processes of every tenant. */
    @Test
    void theControllerCreatesFabricsThatSelectDevicesAndChangesNone() {
        FabricSpec plain = FabricSpecBuilder.builder()
                .selector(DeviceSelectorBuilder.builder()
                        .families(List.of(Family.RoCE))
                        .build())
                .build();
        FabricSpec prepared = FabricSpecBuilder.builder(plain)
                .hostPreparation(HostPreparationBuilder.builder()
                        .env(List.of(new NamedValue("FI_PROVIDER", "verbs")))
                        .build())
                .build();
        try {
            assertThat(controller.resource(fabric("roce-0", plain, true)).create())
                    .isNotNull();
            assertForbidden(
                    () -> controller.resource(fabric("roce-1", prepared, true)).create(),
                    "creates Fabrics that say which devices are theirs");
            assertForbidden(
                    () -> controller.resource(fabric("roce-1", plain, false)).create(), "with its own label only");
            assertForbidden(
                    () -> controller.resource(fabric("roce-0", prepared, true)).patch(APPLY), "cannot patch resource");
            assertForbidden(
                    () -> controller.resource(fabric("roce-0", plain, true)).delete(), "cannot delete resource");
        } finally {
            admin.resources(Fabric.class).delete();
        }
    }

    private static final String FABRIC_JOB =
            "/apis/fabric-operator.dev/v1alpha1/namespaces/" + NAMESPACE + "/fabricjobs/ring";
    private static final String FINISHED = """
            {"type": "Finished", "status": "True", "reason": "JobSucceeded", "message": "the Job is Complete"}""";
    private static final String ONE_CONTAINER = """
            {"type": "OneContainer", "status": "True", "reason": "ImageVolumes", "message": "as the server said"}""";

    /** @param phase that it has, {@code null} for one that no server has written a status of */
    private void serve(@Nullable String phase) {
        FabricJob job = new FabricJob();
        job.setMetadata(new ObjectMetaBuilder()
                .withNamespace(NAMESPACE)
                .withName("ring")
                .build());
        job.setSpec(new FabricJobSpec(List.of(), null, 600L));
        admin.resource(job).delete();
        admin.resource(job).create();
        if (phase != null) {
            patch(admin, FABRIC_JOB + "/status", MERGE_PATCH, """
                    {"status": {"phase": "%s", "attempt": 1, "size": 4, "nodes": 2, "conditions": [%s]}}""".formatted(phase, ONE_CONTAINER));
        }
    }

    /** As the controller does, with nothing of what the server has said. */
    private void tell(String status) {
        patch(
                FABRIC_JOB + "/status?fieldManager=fabric-job-end&force=true",
                "application/apply-patch+yaml",
                """
                {"apiVersion": "fabric-operator.dev/v1alpha1", "kind": "FabricJob", "metadata": {"name": "ring"}, "status": %s}""".formatted(status));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Assembling", "Running", "Failed", "TimedOut"})
    void theControllerTellsThatAJobHasEnded(String phase) {
        serve(phase.isEmpty() ? null : phase);
        tell("{\"phase\": \"Succeeded\", \"conditions\": [" + FINISHED + "]}");

        FabricJobStatus told = admin.resources(FabricJob.class)
                .inNamespace(NAMESPACE)
                .withName("ring")
                .require()
                .getStatus();
        assertThat(told.phase()).isEqualTo(JobPhase.Succeeded);
        assertThat(told.size()).isEqualTo(phase.isEmpty() ? null : 4);
        assertThat(told.conditions()).hasSize(phase.isEmpty() ? 1 : 2);
    }

    @Test
    void theControllerTellsNothingElseOfAJob() {
        serve("Running");
        String ended = "\"phase\": \"Failed\", \"conditions\": [" + FINISHED;
        String nothingElse = "tells that it has ended, and nothing else";
        String phaseAlone = "changes its phase and how it finished, and nothing else";
        assertForbidden(() -> tell("{\"phase\": \"TimedOut\", \"conditions\": [" + FINISHED + "]}"), nothingElse);
        assertForbidden(() -> tell("{\"phase\": \"Succeeded\"}"), nothingElse);
        assertForbidden(
                () -> tell("{\"phase\": \"Failed\", \"conditions\": [" + FINISHED.replace("True", "False") + "]}"),
                nothingElse);
        assertForbidden(
                () -> tell("{" + ended + ", " + ONE_CONTAINER.replace("True", "False") + "]}"),
                "changes no condition but Finished and Whole");
        for (String more : List.of(
                "\"attempt\": 2",
                "\"size\": 5",
                "\"readyRanks\": 4",
                "\"nodes\": 1",
                "\"nspace\": \"other\"",
                "\"fabric\": \"other\"",
                "\"missing\": [\"ring-3\"]",
                "\"missingTotal\": 1",
                "\"waitingSince\": \"2026-01-01T00:00:00Z\"",
                "\"placement\": {\"worstCost\": 7}")) {
            assertForbidden(() -> tell("{" + ended + "], " + more + "}"), phaseAlone);
        }
        assertForbidden(
                () -> patch(FABRIC_JOB, MERGE_PATCH, "{\"spec\":{\"assemblyTimeoutSeconds\":1}}"), "cannot patch");

        serve("Succeeded");
        assertForbidden(() -> tell("{" + ended + "]}"), "changes no FabricJob that is complete");
    }

    @Test
    void everyFieldOfAFabricJobsStatusIsThePolicysOrTheServers() throws IOException {
        String policy = Files.readString(
                ProjectRoot.find().resolve("charts/fabric-operator/config/admission/controller-ends-jobs.yaml"));
        for (RecordComponent field : FabricJobStatus.class.getRecordComponents()) {
            if (!field.getName().equals("phase") && !field.getName().equals("conditions")) {
                assertThat(policy).contains("object.?status.?" + field.getName() + " == oldObject");
            }
        }
    }

    private static Fabric fabric(String name, FabricSpec spec, boolean labelled) {
        Fabric object = new Fabric();
        object.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .addToLabels(labelled ? Map.of(FabricApi.LABEL_AUTO_CREATED, "true") : Map.of())
                .build());
        object.setSpec(spec);
        return object;
    }

    @Test
    void theControllerWritesTheAuthorityOfTheApiServiceAndNothingElseOfIt() {
        Command.kubectl(cluster)
                .run(
                        "apply",
                        "--server-side",
                        "-k",
                        ProjectRoot.find().resolve("config/query-apiservice").toString());
        try {
            String bundle =
                    Base64.getEncoder().encodeToString(cluster.authorityPem().getBytes(StandardCharsets.UTF_8));
            patchApiService("{\"spec\":{\"caBundle\":\"" + bundle + "\"}}");

            assertThat(admin.raw(API_SERVICE)).contains(bundle);
            for (String patch : new String[] {
                "{\"spec\":{\"service\":{\"namespace\":\"elsewhere\"}}}",
                "{\"spec\":{\"groupPriorityMinimum\":2000}}",
                "{\"spec\":{\"caBundle\":null,\"insecureSkipTLSVerify\":true}}",
                "{\"metadata\":{\"annotations\":{\"a\":\"b\"}}}"
            }) {
                assertForbidden(() -> patchApiService(patch), "controller of fabric-operator changes no");
            }
        } finally {
            admin.raw(API_SERVICE, "DELETE", null);
        }
    }

    @Test
    void theControllerWritesTheAuthorityOfTheWebhooksAndNothingElseOfThem() {
        String bundle =
                Base64.getEncoder().encodeToString(cluster.authorityPem().getBytes(StandardCharsets.UTF_8));
        patch(WEBHOOKS, JSON_PATCH, operation("add", "/webhooks/0/clientConfig/caBundle", "\"" + bundle + "\""));

        assertThat(admin.raw(WEBHOOKS)).contains(bundle);
        for (String patch : new String[] {
            operation("replace", "/webhooks/0/rules/0/resources", "[\"*\"]"),
            operation("replace", "/webhooks/0/clientConfig/service/namespace", "\"elsewhere\""),
            operation("replace", "/webhooks/0/namespaceSelector", "{}"),
            operation("replace", "/webhooks/0/matchConditions", "[]"),
            operation("replace", "/webhooks/0/failurePolicy", "\"Fail\""),
            "[{\"op\":\"remove\",\"path\":\"/webhooks/0\"}]",
        }) {
            assertForbidden(
                    () -> patch(WEBHOOKS, JSON_PATCH, patch),
                    "of a webhook the controller of fabric-operator changes nothing");
        }
        assertForbidden(
                () -> patch(WEBHOOKS, MERGE_PATCH, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"),
                "the controller of fabric-operator changes no");
    }

    @Test
    void theControllerLabelsANodeAndSaysItsPlaceToSlinkyAndChangesNothingElseOfIt() {
        admin.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName("worker")
                        .addToLabels("zone", "a")
                        .addToAnnotations("kept", "a")
                        .endMetadata()
                        .build())
                .create();
        String node = "/api/v1/nodes/worker";
        try {
            Awaitility.await()
                    .atMost(LIMIT)
                    .untilAsserted(() -> assertForbidden(
                            () -> patch(node + "?dryRun=All", MERGE_PATCH, "{\"spec\":{\"unschedulable\":true}}"),
                            "changes nothing of a Node but labels"));
            for (String value : new String[] {"\"infiniband-0\"", "\"other\"", "null"}) {
                for (String key : new String[] {
                    "fabric-operator.dev/fabric",
                    "fabric-operator.dev/tier-12",
                    "hall-2.ib-0.fabric-operator.dev/tier-3",
                    "fabric.topograph.run/tier-0"
                }) {
                    patch(node, MERGE_PATCH, "{\"metadata\":{\"labels\":{\"" + key + "\":" + value + "}}}");
                }
            }
            for (String value : new String[] {"\"infiniband-0:S-a000,roce-1:leaf_1\"", "\"other:b\"", "null"}) {
                for (String key : new String[] {"topology.slinky.slurm.net/spec", "fabric-operator.dev/slinky-spec"}) {
                    patch(node, MERGE_PATCH, "{\"metadata\":{\"annotations\":{\"" + key + "\":" + value + "}}}");
                }
            }
            ObjectMeta left = admin.nodes().withName("worker").require().getMetadata();
            assertThat(left.getLabels()).isEqualTo(Map.of("zone", "a"));
            assertThat(left.getAnnotations()).isEqualTo(Map.of("kept", "a"));
            for (String patch : new String[] {
                "{\"spec\":{\"taints\":[{\"key\":\"a\",\"effect\":\"NoSchedule\"}]}}",
                "{\"metadata\":{\"annotations\":{\"a\":\"b\"}}}",
                "{\"metadata\":{\"annotations\":{\"kept\":null}}}",
                "{\"metadata\":{\"annotations\":null}}",
                "{\"metadata\":{\"annotations\":{\"topology.slinky.slurm.net/spec\":\"a:b c\"}}}",
                "{\"metadata\":{\"annotations\":{\"topology.slinky.slurm.net/line\":\"a:b\"}}}",
                "{\"metadata\":{\"finalizers\":[\"example.org/never\"]}}",
                "{\"metadata\":{\"labels\":{\"zone\":\"b\"}}}",
                "{\"metadata\":{\"labels\":{\"zone\":null}}}",
                "{\"metadata\":{\"labels\":null}}",
                "{\"metadata\":{\"labels\":{\"node-role.kubernetes.io/control-plane\":\"\"}}}",
                "{\"metadata\":{\"labels\":{\"fabric-operator.dev/tier-x\":\"a\"}}}",
                "{\"metadata\":{\"labels\":{\"a.fabric-operator.dev/fabric\":\"a\"}}}",
                "{\"metadata\":{\"labels\":{\"a.fabric-operator.dev/tier-x\":\"a\"}}}",
                "{\"metadata\":{\"labels\":{\"afabric-operator.dev/tier-1\":\"a\"}}}",
                "{\"metadata\":{\"labels\":{\"fabric-operatorxdev/fabric\":\"a\"}}}",
                "{\"metadata\":{\"labels\":{\"fabric-operator.dev/fabric\":\"a\",\"b\":\"c\"}}}",
            }) {
                assertForbidden(() -> patch(node, MERGE_PATCH, patch), "the controller of fabric-operator changes no");
            }
            assertForbidden(
                    () -> patch(node + "/status", MERGE_PATCH, "{\"status\":{\"capacity\":{\"a/b\":\"1\"}}}"), "");
            assertForbidden(() -> controller.nodes().withName("worker").delete(), "");
        } finally {
            admin.nodes().withName("worker").delete();
        }
    }

    private static String operation(String name, String path, String value) {
        return "[{\"op\":\"" + name + "\",\"path\":\"" + path + "\",\"value\":" + value + "}]";
    }

    @Test
    void theSweeperWritesAndDeletesTheSwitchesOfItsSource() {
        sweeper.resource(fabricSwitch("infiniband.0002c903", "infiniband")).patch(APPLY);
        FabricSwitch changed = fabricSwitch("infiniband.0002c903", "infiniband");
        changed.setSpec(FabricSwitchSpecBuilder.builder()
                .id("infiniband.0002c903")
                .name("spine")
                .build());
        sweeper.resource(changed).patch(APPLY);
        sweeper.resources(FabricSwitch.class).withName("infiniband.0002c903").delete();

        assertThat(admin.resources(FabricSwitch.class)
                        .withName("infiniband.0002c903")
                        .get())
                .isNull();
    }

    @Test
    void theSweeperCannotTouchWhatPeopleAndOtherSourcesHaveWritten() {
        admin.resource(fabricSwitch("infiniband.mine", "ufm")).create();
        admin.resource(fabricSwitch("spine-1", "ufm")).create();

        assertForbidden(
                () -> sweeper.resource(fabricSwitch("spine-2", "infiniband")).patch(APPLY),
                "the sweeper writes FabricSwitches");
        assertForbidden(
                () -> sweeper.resource(fabricSwitch("infiniband.1", "ufm")).patch(APPLY),
                "the sweeper writes FabricSwitches");
        for (String name : new String[] {"infiniband.mine", "spine-1"}) {
            assertForbidden(
                    () -> sweeper.resource(fabricSwitch(name, "infiniband")).patch(APPLY), "the sweeper");
            assertForbidden(
                    () -> sweeper.resources(FabricSwitch.class).withName(name).delete(),
                    "may not touch a FabricSwitch of the source ufm");
            assertThat(admin.resources(FabricSwitch.class)
                            .withName(name)
                            .require()
                            .getMetadata()
                            .getLabels())
                    .containsEntry(FabricApi.LABEL_SOURCE, "ufm");
        }
    }

    private void patchJob(String patch) {
        patch(JOB, MERGE_PATCH, patch);
    }

    private void patchApiService(String patch) {
        patch(API_SERVICE, MERGE_PATCH, patch);
    }

    /** A bare patch by the controller: fabric8's reads the object before. */
    private void patch(String path, String type, String patch) {
        patch(controller, path, type, patch);
    }

    private void patch(KubernetesClient client, String path, String type, String patch) {
        HttpClient http = client.getHttpClient();
        HttpResponse<String> response = http.sendAsync(
                        http.newHttpRequestBuilder()
                                .uri(URI.create(cluster.server()).resolve(path))
                                .method("PATCH", type, patch)
                                .build(),
                        String.class)
                .join();
        if (response.code() != 200) {
            throw new KubernetesClientException(response.body(), response.code(), null);
        }
    }

    private static FabricSwitch fabricSwitch(String name, String source) {
        FabricSwitch object = new FabricSwitch();
        object.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .addToLabels(FabricApi.LABEL_SOURCE, source)
                .build());
        object.setSpec(FabricSwitchSpecBuilder.builder().id(name).build());
        return object;
    }

    private static ByteArrayInputStream stream(String yaml) {
        return new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8));
    }

    private static void assertForbidden(ThrowingCallable write, String why) {
        assertThatThrownBy(write)
                .isInstanceOfSatisfying(
                        KubernetesClientException.class,
                        e -> assertThat(e.getCode()).isEqualTo(403))
                .hasMessageContaining(why);
    }

    private KubernetesClient as(String serviceAccount) {
        return new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(admin.getConfiguration())
                        .withImpersonateUsername(
                                "system:serviceaccount:" + OperatorProcess.NAMESPACE + ":" + serviceAccount)
                        .withImpersonateGroups("system:serviceaccounts", "system:authenticated")
                        .build())
                .build();
    }
}
