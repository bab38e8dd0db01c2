/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.admission;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.SmallFabric;
import dev.fabricoperator.e2e.system.Command;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.LimitRangeBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeSystemInfoBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pods of real Jobs through the CREATE webhook. */
@WithControlPlane(own = true, needs = Component.CONTROLLER_MANAGER)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PodInjectionTest {
    private static final String RING =
            "{restartPolicy: Never, containers: [{name: app, image: app:1, command: [/app/ring]}]}";

    private static final String UCX = "fabric-operator.dev/env.UCX_NET_DEVICES";

    @TempDir
    static Path directory;

    private AdmissionCase admission;

    @BeforeAll
    void start(ControlPlane controlPlane) {
        admission = new AdmissionCase(controlPlane, directory, "work");
        admission.startController();
        admission.startServer();
        admission.awaitWebhooks();
    }

    @Test
    void podsLearnTheirPlaceAndThoseOfLaunchEnvTheDevicesOfTheirNodeWhenTheyAreBound() {
        admission.admin.resource(SmallFabric.upload(SmallFabric.dump())).create();
        for (int host = 1; host <= SmallFabric.HOSTS; host++) {
            admission.admin.resource(SmallFabric.device(host)).create();
        }
        admission
                .admin
                .resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName("n1")
                        .endMetadata()
                        .build())
                .create();
        int[] tries = new int[1];
        // The server learns of the device a moment after it was written, and a pod is bound once.
        eventually(() -> assertBoundPodKnowsItsDevices("train-" + tries[0]++));
        Map<String, String> place = Map.of(
                "fabric-operator.dev/fabric",
                "infiniband-0",
                "fabric-operator.dev/switch",
                "a000000000000001",
                "fabric-operator.dev/group",
                "0");
        Map<String, String> said = new HashMap<>();
        eventually(() -> {
            String job = "plain-" + tries[0]++;
            admission.apply(AdmissionCase.job(job, 1, "", RING)
                    .replace(
                            "annotations: {fabric-operator.dev/launch: direct}",
                            "labels: {fabric-operator.dev/switch: mine}"));
            Pod pod = admission.awaitPods(job, 1).getFirst();
            bind("work", pod.getMetadata().getName());
            Pod bound = admission
                    .admin
                    .pods()
                    .inNamespace("work")
                    .withName(pod.getMetadata().getName())
                    .get();
            said.putAll(Map.of("pod", bound.getMetadata().getName()));
            assertThat(bound.getMetadata().getLabels()).containsAllEntriesOf(place);
        });
        assertThatThrownBy(() -> admission
                        .admin
                        .pods()
                        .inNamespace("work")
                        .withName(said.get("pod"))
                        .patch(
                                PatchContext.of(PatchType.JSON_MERGE),
                                "{\"metadata\": {\"labels\": {\"fabric-operator.dev/switch\": \"another\"}}}"))
                .hasMessageContaining("says where the pod is");
    }

    private void assertBoundPodKnowsItsDevices(String job) {
        admission.apply(AdmissionCase.job(job, 1, "", RING).replace("launch: direct", "launch: env"));
        Pod pod = admission.awaitPods(job, 1).getFirst();
        String name = pod.getMetadata().getName();
        assertThat(AdmissionCase.container(pod, "app").getEnv())
                .extracting(EnvVar::getName)
                .contains("UCX_NET_DEVICES", "NCCL_IB_HCA", "FI_EFA_IFACE");
        assertThat(pod.getMetadata().getAnnotations()).containsEntry(UCX, "all");

        bind("work", name);

        Pod bound = admission.admin.pods().inNamespace("work").withName(name).get();
        assertThat(bound.getSpec().getNodeName()).isEqualTo("n1");
        assertThat(bound.getMetadata().getAnnotations())
                .containsEntry(UCX, "mlx5_0:1")
                .containsEntry("fabric-operator.dev/env.NCCL_IB_HCA", "=mlx5_0:1")
                .containsEntry("fabric-operator.dev/env.FI_EFA_IFACE", "all")
                .hasEntrySatisfying(
                        LaunchApi.PLACE,
                        place -> assertThat(place)
                                .startsWith("{\"schemaVersion\":1,\"pod\":\"" + name
                                        + "\",\"node\":\"n1\",\"fabrics\":[{" + "\"name\":\"infiniband-0\",\"kind\":\"")
                                .contains(
                                        "\"switch\":\"a000000000000001\",\"group\":0,\"planes\":[\"0\"],\"devices\":[{\"name\":\"mlx5_0\",\"plane\":\"0\",",
                                        "\"peersLeftOut\":"));
    }

    @Test
    void aGateKeepsAPodFromRunningThatWasNeverPrepared() {
        admission.apply(gated("gated"));
        Pod prepared = admission.awaitPods("gated", 1).getFirst();
        assertThat(prepared.getSpec().getSchedulingGates()).isEmpty();
        assertThat(prepared.getMetadata().getLabels()).containsEntry("fabric-operator.dev/launch", "direct");

        // Neither the webhook nor the policy is asked there, as after the release is uninstalled.
        AdmissionCase without = admission.in("without", Map.of("fabric-operator.dev/injection", "disabled"));
        without.apply(gated("gated"));
        Pod held = without.awaitPods("gated", 1).getFirst();
        assertThat(held.getSpec().getSchedulingGates())
                .extracting(PodSchedulingGate::getName)
                .containsExactly("fabric-operator.dev/launch");
        assertThat(held.getStatus().getConditions())
                .extracting(PodCondition::getReason)
                .containsExactly("SchedulingGated");
        assertThatThrownBy(() -> bind("without", held.getMetadata().getName()))
                .as("whatever scheduler asks")
                .hasMessageContaining("non-empty .spec.schedulingGates");
    }

    private static String gated(String job) {
        return AdmissionCase.job(
                job, 1, "", RING.replaceFirst("\\{", "{schedulingGates: [{name: fabric-operator.dev/launch}], "));
    }

    private void bind(String namespace, String pod) {
        admission.admin.raw(
                "/api/v1/namespaces/" + namespace + "/pods/" + pod + "/binding",
                "POST",
                Map.of(
                        "apiVersion",
                        "v1",
                        "kind",
                        "Binding",
                        "metadata",
                        Map.of("name", pod, "namespace", namespace),
                        "target",
                        Map.of("apiVersion", "v1", "kind", "Node", "name", "n1")));
    }

    @Test
    void whatCannotBeLaunchedIsSaidInTheEventsOfTheJob() {
        admission.apply(AdmissionCase.job("few", 4, "", RING).replace("parallelism: 4", "parallelism: 2"));
        eventually(() -> assertThat(admission.events("few"))
                .anySatisfy(message -> assertThat(message).contains("set parallelism to 4")));
        assertThat(admission.pods("few")).isEmpty();
    }

    /** The API server knows labels of namespaces, and takes a change up a moment later. */
    @Test
    void aNamespaceDecidesByItsLabelWhetherJobsNeedPmix() {
        AdmissionCase strict = admission.in("strict", Map.of("fabric-operator.dev/require-pmix", "true"));
        int[] tries = new int[1];
        assertRequiresPmix(strict, "strict-" + tries[0]++, true);
        eventually(() -> admission
                .admin
                .namespaces()
                .withName("strict")
                .edit(namespace -> new NamespaceBuilder(namespace)
                        .editMetadata()
                        .removeFromLabels("fabric-operator.dev/require-pmix")
                        .endMetadata()
                        .build()));
        eventually(() -> assertRequiresPmix(strict, "strict-" + tries[0]++, false));
    }

    @Test
    void aPodIsToldOfItsClusterByTheUidOfKubeSystem() {
        String uid = admission
                .admin
                .namespaces()
                .withName("kube-system")
                .get()
                .getMetadata()
                .getUid();
        int[] tries = new int[1];
        // The server learns of it a moment after it has started.
        eventually(() -> {
            String job = "cluster-" + tries[0]++;
            admission.apply(AdmissionCase.job(job, 1, "", RING));
            assertThat(admission.awaitPods(job, 1).getFirst().getSpec().getContainers())
                    .flatExtracting(Container::getEnv)
                    .anyMatch(variable ->
                            variable.getName().endsWith("FABRIC_CLUSTER_ID") && uid.equals(variable.getValue()));
        });
    }

    private static void assertRequiresPmix(AdmissionCase in, String job, boolean required) {
        in.apply(AdmissionCase.job(job, 1, "", RING));
        Pod pod = in.awaitPods(job, 1).getFirst();
        assertThat(pod.getMetadata().getLabels()).containsEntry("fabric-operator.dev/launch", "direct");
        assertThat(pod.getSpec().getContainers().stream()
                        .flatMap(container -> container.getEnv().stream())
                        .anyMatch(variable -> variable.getName().endsWith("FABRIC_REQUIRE_PMIX")
                                && variable.getValue().equals("true")))
                .isEqualTo(required);
    }

    @Test
    void aRestrictedNamespaceWithBoundsAndAQuotaTakesThePods() {
        KubernetesClient admin = admission.admin;
        AdmissionCase bounded = admission.in("bounded", Map.of("pod-security.kubernetes.io/enforce", "restricted"));
        admin.resource(new LimitRangeBuilder()
                        .withNewMetadata()
                        .withName("bounds")
                        .withNamespace("bounded")
                        .endMetadata()
                        .withNewSpec()
                        .addNewLimit()
                        .withType("Container")
                        .addToMin("cpu", new Quantity("50m"))
                        .addToMin("memory", new Quantity("32Mi"))
                        .addToMax("cpu", new Quantity("2"))
                        .addToMax("memory", new Quantity("4Gi"))
                        .endLimit()
                        .endSpec()
                        .build())
                .create();
        admin.resource(new ResourceQuotaBuilder()
                        .withNewMetadata()
                        .withName("quota")
                        .withNamespace("bounded")
                        .endMetadata()
                        .withNewSpec()
                        .addToHard("limits.cpu", new Quantity("16"))
                        .addToHard("limits.memory", new Quantity("16Gi"))
                        .addToHard("requests.cpu", new Quantity("16"))
                        .addToHard("requests.memory", new Quantity("16Gi"))
                        .endSpec()
                        .build())
                .create();
        for (String user : List.of("", "runAsUser: 1000, ")) {
            for (String requests : List.of("", "requests: {cpu: 50m, memory: 64Mi}, ")) {
                String job = "job" + user.length() + "-" + requests.length();
                bounded.apply(AdmissionCase.job(job, 1, "", """
                        {restartPolicy: Never,
                         securityContext: {%srunAsNonRoot: true, seccompProfile: {type: RuntimeDefault}},
                         containers: [{name: app, image: app:1, command: [/app/ring],
                           securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}},
                           resources: {%slimits: {cpu: 1, memory: 1Gi}}}]}""".formatted(user, requests)));
                Pod pod = bounded.awaitPods(job, 1).getFirst();
                assertThat(pod.getSpec().getContainers()).hasSize(1);
                assertThat(pod.getStatus().getQosClass()).isEqualTo(requests.isEmpty() ? "Guaranteed" : "Burstable");
            }
        }
    }

    @Test
    void theSamplesAreAcceptedAsTheyAreAndTheirJobIsLaunchedDirectly() {
        Path samples = ProjectRoot.find().resolve("config/samples");
        Command.kubectl(admission.cluster).run("apply", "--server-side", "-f", samples.toString());

        eventually(() -> assertThat(admission
                        .admin
                        .pods()
                        .inNamespace("ring")
                        .withLabel("batch.kubernetes.io/job-name", "ring")
                        .list()
                        .getItems())
                .hasSize(4)
                .allSatisfy(pod -> {
                    assertThat(pod.getSpec().getContainers()).hasSize(1);
                    assertThat(AdmissionCase.container(pod, "ranks").getCommand())
                            .startsWith(LaunchApi.IMAGE_VOLUME_LAUNCHER, "--ranks", "2")
                            .endsWith("--", "/usr/local/bin/ring");
                    assertThat(pod.getMetadata().getAnnotations()).doesNotContainKey("fabric-operator.dev/warnings");
                }));
    }

    @Test
    void anotherAuthorityIsMadeForOneThatIsLostAndEverybodyLearnsOfIt() {
        KubernetesClient admin = admission.admin;
        Command.kubectl(admission.cluster)
                .run(
                        "apply",
                        "-k",
                        ProjectRoot.find().resolve("config/query-apiservice").toString());
        eventually(() -> assertThat(apiServiceBundle()).isEqualTo(webhookBundle()));
        String before = webhookBundle();

        admin.secrets()
                .inNamespace(OperatorProcess.NAMESPACE)
                .withName("fabric-operator-authority")
                .delete();

        eventually(() -> assertThat(webhookBundle()).isNotEqualTo(before));
        eventually(() -> assertThat(apiServiceBundle()).isEqualTo(webhookBundle()));
        admission.apply(AdmissionCase.job("after", 1, "", RING));
        assertThat(AdmissionCase.container(admission.awaitPods("after", 1).getFirst(), "app")
                        .getCommand())
                .startsWith(LaunchApi.IMAGE_VOLUME_LAUNCHER);
    }

    /** Of all webhooks. */
    private String webhookBundle() {
        List<@Nullable String> bundles = admission.bundles();
        assertThat(bundles).isNotEmpty().containsOnly(bundles.getFirst());
        return String.valueOf(bundles.getFirst());
    }

    private String apiServiceBundle() {
        return Command.kubectl(admission.cluster)
                .run("get", "apiservice", "v1alpha1.query.fabric-operator.dev", "-o", "jsonpath={.spec.caBundle}");
    }

    @AfterAll
    void stop() throws Exception {
        admission.close();
    }

    @Test
    void thePodsOfAnIndexedJobGetPmixdsImageAsAVolumeAndTheLauncherBeforeTheirCommand() {
        admission.apply(AdmissionCase.job("ring", 3, "", RING));
        List<Pod> pods = admission.awaitPods("ring", 3);
        for (Pod pod : pods) {
            assertThat(pod.getSpec().getContainers()).hasSize(1);
            assertThat(AdmissionCase.container(pod, "app").getCommand())
                    .startsWith(LaunchApi.IMAGE_VOLUME_LAUNCHER, "--ranks", "1", "--pmixd")
                    .endsWith("--", "/app/ring");
            assertThat(AdmissionCase.container(pod, "app").getEnv())
                    .extracting(EnvVar::getName)
                    .contains("PMIXD_FABRIC_JOB_SERVICE", "PMIXD_FABRIC_JOB_SERVICE_CA", "PMIXD_POD_IP");
            assertThat(pod.getSpec().getVolumes())
                    .filteredOn(volume -> volume.getImage() != null)
                    .singleElement()
                    .satisfies(volume ->
                            assertThat(volume.getImage().getReference()).isEqualTo("registry.example/pmixd:test"));
            assertThat(pod.getMetadata().getLabels()).containsEntry(LaunchApi.LAUNCH, LaunchApi.DIRECT);
            assertThat(pod.getStatus().getQosClass()).isEqualTo("BestEffort");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "v1.36.3, containerd://1.7.27, node old has containerd://1.7.27",
        "v1.34.1, containerd://2.2.9, the kubelet of node old has version v1.34.1",
    })
    void whileANodeIsTooOldForImageVolumesThePmixServerHasAContainerOfItsOwn(
            String kubelet, String runtime, String sentence) {
        KubernetesClient admin = admission.admin;
        Node old = admin.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName("old")
                        .endMetadata()
                        .build())
                .create();
        int[] tries = new int[1];
        try {
            // The node controller writes into it too.
            eventually(() -> admin.nodes().withName("old").editStatus(node -> {
                node.getStatus()
                        .setNodeInfo(new NodeSystemInfoBuilder()
                                .withKubeletVersion(kubelet)
                                .withContainerRuntimeVersion(runtime)
                                .withOperatingSystem("linux")
                                .build());
                return node;
            }));
            eventually(() -> {
                Pod pod = onePod("old-" + kubelet.replace('.', '-') + "-" + tries[0]++);
                assertSecondContainer(pod);
                assertThat(pod.getMetadata().getAnnotations().get(LaunchApi.SECOND_CONTAINER))
                        .startsWith(sentence);
            });
        } finally {
            admin.resource(old).delete();
        }
        eventually(() -> assertThat(onePod("new-" + kubelet.replace('.', '-') + "-" + tries[0]++)
                        .getSpec()
                        .getContainers())
                .hasSize(1));
    }

    private Pod onePod(String job) {
        admission.apply(AdmissionCase.job(job, 1, "", RING));
        return admission.awaitPods(job, 1).getFirst();
    }

    private static void assertSecondContainer(Pod pod) {
        assertThat(pod.getSpec().getContainers().getFirst().getName()).isEqualTo(LaunchApi.PMIXD_CONTAINER);
        assertThat(AdmissionCase.container(pod, "app").getCommand())
                .containsExactly("/run/fabric-operator/launcher", "--ranks", "1", "--", "/app/ring");
        assertThat(AdmissionCase.container(pod, LaunchApi.PMIXD_CONTAINER).getEnv())
                .extracting(EnvVar::getName)
                .contains("FABRIC_JOB_SERVICE", "FABRIC_JOB_SERVICE_CA", "POD_IP");
    }
}
