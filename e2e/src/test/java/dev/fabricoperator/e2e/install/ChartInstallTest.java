/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.install;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.CustomResources;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.SmallFabric;
import dev.fabricoperator.e2e.system.Command;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The chart on a real API server: installed, upgraded, rolled back, uninstalled. */
@WithControlPlane(own = true)
class ChartInstallTest {
    private static final String RELEASE = "fabric-operator";
    private static final String NAMESPACE = "fabric-operator";
    private static final String FABRIC = "rails";
    private static final String CONFIGURATION = "mutatingwebhookconfiguration";
    private static final String WEBHOOKS = "config/webhook/webhooks.yaml";

    private final Cluster cluster;
    private final KubernetesClient admin;
    private final Command kubectl;
    private final Webhooks webhooks;
    private Command helm;

    @TempDir
    Path directory;

    ChartInstallTest(Cluster cluster) {
        this.cluster = cluster;
        this.admin = cluster.admin();
        this.kubectl = Command.kubectl(cluster);
        this.webhooks = new Webhooks(cluster);
        this.helm = Helm.of(cluster);
    }

    @AfterEach
    void removeEverything() {
        helm.run("uninstall", RELEASE, "--namespace", NAMESPACE, "--ignore-not-found");
        CustomResources.deleteAll(admin);
    }

    @Test
    void theApiServerAdmitsEveryObject() throws IOException {
        install(Helm.chart(), "sweeper.enabled=true,agent.lldp.enabled=true,queryApi.apiService.enabled=true");

        Path manifest = manifest();
        // Fails for one that is not there.
        String found = kubectl.run("get", "-f", manifest.toString(), "-o", "name");
        assertThat(found.lines())
                .hasSameSizeAs(RenderedObjects.of(Files.readString(manifest)).keySet());
        Manifests.awaitResources(admin);
        assertThat(admin.apiextensions().v1().customResourceDefinitions().list().getItems())
                .hasSize(4);
        // The API server publishes its schemas later than its kinds.
        eventually(() -> kubectl.run("explain", "fabrics.spec.selector"));
    }

    /** As GitOps applies them, which compares what is there with what was written and applies it again where they differ. */
    @Test
    void whatIsAppliedByServerSideApplyIsThereAsItWasWritten() throws IOException {
        String namespace = "gitops";
        kubectl.run("create", "namespace", namespace);
        Path applied = write(
                "applied.yaml",
                Helm.offline()
                        .run(
                                "template",
                                RELEASE,
                                Helm.chart().toString(),
                                "--namespace",
                                namespace,
                                "--no-hooks",
                                "--set",
                                "sweeper.enabled=true,extender.enabled=true,agent.lldp.enabled=true,queryApi.apiService.enabled=true"));
        try {
            kubectl.run("apply", "--server-side", "-f", applied.toString());

            // Fails for one that is not there.
            Map<String, JsonNode> found = new TreeMap<>();
            RenderedObjects.yaml(kubectl.run("get", "-f", applied.toString(), "-o", "yaml"))
                    .path("items")
                    .forEach(object -> found.put(RenderedObjects.identity(object), object));
            List<String> differences = new ArrayList<>();
            RenderedObjects.of(Files.readString(applied))
                    .forEach((identity, object) -> compare(
                            identity, object, found.getOrDefault(identity, MissingNode.getInstance()), differences));
            assertThat(differences).isEmpty();
        } finally {
            kubectl.run("delete", "-f", applied.toString(), "--ignore-not-found", "--wait=false");
        }
    }

    /** What the API server adds is no difference. */
    private static void compare(String path, JsonNode written, JsonNode found, List<String> differences) {
        if (written.isObject()) {
            written.properties()
                    .forEach(field -> compare(
                            path + "/" + field.getKey(), field.getValue(), found.path(field.getKey()), differences));
        } else if (written.isArray() && written.size() == found.size()) {
            for (int i = 0; i < written.size(); i++) {
                compare(path + "/" + i, written.get(i), found.get(i), differences);
            }
        } else if (!written.asText().equals(found.asText()) || written.isArray()) {
            differences.add(path + ": " + written + " became " + found);
        }
    }

    @Test
    void thePoliciesOfAReleaseInAnotherNamespaceHoldForItsAccounts() {
        helm.run("install", RELEASE, Helm.chart().toString(), "--namespace", "elsewhere", "--create-namespace");
        try {
            Manifests.awaitResources(admin);
            Path device = write("device.yaml", """
                    apiVersion: fabric-operator.dev/v1alpha1
                    kind: FabricDevice
                    metadata: {name: n1-mlx5-0-1}
                    spec: {nodeName: n1, osName: mlx5_0, port: 1, deviceId: fab://1, type: OpenFabrics, family: InfiniBand}
                    """);
            // RBAC allows it; a token without a node is what the policy refuses. It takes effect a moment after it was
            // created.
            eventually(() -> assertThatThrownBy(() -> kubectl.run(
                            "create",
                            "--dry-run=server",
                            "--as=system:serviceaccount:elsewhere:fabric-agent",
                            "-f",
                            device.toString()))
                    .hasMessageContaining("ValidatingAdmissionPolicy 'fabric-agent-writes-own-devices'"));
        } finally {
            helm.run("uninstall", RELEASE, "--namespace", "elsewhere");
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatPeopleAndAgentsWroteOutlivesUpgradesRollbacksAndTheRelease(Helm.Version version) throws IOException {
        helm = version.of(cluster);
        Path before = chartBefore();
        install(before, "");
        Manifests.awaitResources(admin);
        assertThat(shortNames()).isEmpty();
        Map<String, String> written = writeObjects();
        webhooks.trust();
        Map<String, String> trusted = webhooks.trusted();

        helm.run(
                "upgrade",
                RELEASE,
                Helm.chart().toString(),
                "--namespace",
                NAMESPACE,
                "--set",
                "controller.replicas=3");

        assertThat(shortNames()).contains("\"fab\"");
        assertThat(controller().getSpec().getReplicas()).isEqualTo(3);
        assertThat(image(controller())).endsWith(":0.1.0");
        assertThat(admin.configMaps()
                        .inNamespace(NAMESPACE)
                        .withName("of-the-version-before")
                        .get())
                .isNull();
        assertThat(objects()).isEqualTo(written);
        assertThat(webhooks.trusted()).isEqualTo(trusted);

        helm.run("rollback", RELEASE, "1", "--namespace", NAMESPACE);

        assertThat(shortNames()).isEmpty();
        assertThat(controller().getSpec().getReplicas()).isEqualTo(2);
        assertThat(image(controller())).endsWith(":0.0.9");
        assertThat(admin.configMaps()
                        .inNamespace(NAMESPACE)
                        .withName("of-the-version-before")
                        .get())
                .isNotNull();
        assertThat(objects()).isEqualTo(written);
        assertThat(webhooks.trusted()).isEqualTo(trusted);

        assertThat(helm.run("get", "notes", RELEASE, "--namespace", NAMESPACE))
                .contains("\"helm uninstall\" leaves the CustomResourceDefinitions")
                .contains("kubectl delete crd fabrics.fabric-operator.dev");
        Path manifest = manifest();
        String said = helm.run("uninstall", RELEASE, "--namespace", NAMESPACE);

        assertThat(said)
                .contains("These resources were kept due to the resource policy")
                .contains("[CustomResourceDefinition] fabrics.fabric-operator.dev")
                .contains("[CustomResourceDefinition] fabricdevices.fabric-operator.dev")
                .contains("[CustomResourceDefinition] fabricswitches.fabric-operator.dev")
                .contains("[CustomResourceDefinition] fabricjobs.fabric-operator.dev");
        assertThat(kubectl.run("get", "-f", manifest.toString(), "--ignore-not-found", "-o", "name")
                        .lines())
                .hasSize(4)
                .allMatch(name -> name.startsWith("customresourcedefinition"));
        assertThat(objects()).isEqualTo(written);

        install(Helm.chart(), "");

        assertThat(shortNames()).contains("\"fab\"");
        assertThat(objects()).isEqualTo(written);

        // Who takes the definitions out of the release loses nothing either.
        helm.run("upgrade", RELEASE, Helm.chart().toString(), "--namespace", NAMESPACE, "--set", "crds.enabled=false");

        assertThat(objects()).isEqualTo(written);
    }

    /** One of them had no webhook for require-pmix. */
    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void aReleaseIsUpgradedToOneWithAnotherWebhookAndRolledBack(Helm.Version version) throws IOException {
        helm = version.of(cluster);
        List<JsonNode> all = webhookConfigurations();
        install(
                chartWith(
                        "fewer",
                        all.stream().filter(each -> !isForRequirePmix(each)).toList()),
                "");
        webhooks.trust();
        Map<String, String> before = webhooks.trusted();

        upgrade(Helm.chart());
        webhooks.trust();
        assertThat(webhooks.trusted())
                .hasSameSizeAs(all)
                .containsAllEntriesOf(before)
                .doesNotContainValue("");

        helm.run("rollback", RELEASE, "1", "--namespace", NAMESPACE);
        assertThat(webhooks.trusted()).isEqualTo(before).hasSize(all.size() - 1);
    }

    /** Until Helm, or whoever upgraded, removes it, the earlier one is asked after those that took its place. */
    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void aReleaseThatHadAllWebhooksInOneConfigurationIsUpgradedAndRolledBack(Helm.Version version) throws IOException {
        helm = version.of(cluster);
        List<JsonNode> all = webhookConfigurations();
        install(chartWith("one", List.of(inOne(all))), "");
        webhooks.trust();
        Map<String, String> before = webhooks.trusted();
        assertThat(before).hasSameSizeAs(all).allSatisfy((name, trusted) -> {
            assertThat(name).startsWith("fabric-operator/");
            assertThat(trusted).isNotEmpty();
        });

        upgrade(Helm.chart());
        assertThat(webhooks.trusted()).hasSameSizeAs(all).allSatisfy((name, trusted) -> {
            assertThat(name).startsWith("fabric-launch-").isLessThan("fabric-operator/");
            assertThat(trusted).as("is for the new controller to say").isEmpty();
        });
        webhooks.trust();

        helm.run("rollback", RELEASE, "1", "--namespace", NAMESPACE);
        assertThat(webhooks.trusted()).containsOnlyKeys(before.keySet());
        webhooks.trust();
        assertThat(webhooks.trusted()).isEqualTo(before);

        // Whose pods cannot wait for the new controller keeps the earlier one until then.
        kubectl.run("annotate", CONFIGURATION, "fabric-operator", "helm.sh/resource-policy=keep");
        upgrade(Helm.chart());
        assertThat(webhooks.trusted()).hasSize(2 * all.size()).containsAllEntriesOf(before);
        webhooks.trust();
        kubectl.run("delete", CONFIGURATION, "fabric-operator");
        assertThat(webhooks.trusted()).hasSameSizeAs(all).doesNotContainValue("");
    }

    /** Between earlier releases the fault remains, and so does the way out of it that the manual names. */
    @Tag("long")
    @Test
    void aRollbackFromAllWebhooksInOneConfigurationToFewerTakesItsDeletion() throws IOException {
        helm = Helm.Version.V4.of(cluster);
        List<JsonNode> all = webhookConfigurations();
        List<JsonNode> fewer =
                all.stream().filter(each -> !isForRequirePmix(each)).toList();
        install(chartWith("fewer", List.of(inOne(fewer))), "");
        webhooks.trust();
        upgrade(chartWith("all", List.of(inOne(all))));
        webhooks.trust();

        assertThatThrownBy(() -> helm.run("rollback", RELEASE, "1", "--namespace", NAMESPACE))
                .hasMessageContaining("sideEffects: Required value");

        kubectl.run("delete", CONFIGURATION, "fabric-operator");
        helm.run("rollback", RELEASE, "1", "--namespace", NAMESPACE);
        assertThat(webhooks.trusted()).hasSameSizeAs(fewer);
    }

    @Test
    void whoInstalledByKubectlGoesOnWithHelm() {
        Manifests.apply(cluster);
        Map<String, String> written = writeObjects();
        assertThatThrownBy(() -> install(Helm.chart(), "")).hasMessageContaining("invalid ownership metadata");

        helm.run("install", RELEASE, Helm.chart().toString(), "--namespace", NAMESPACE, "--take-ownership");

        assertThat(objects()).isEqualTo(written);
        assertThat(controller().getMetadata().getAnnotations()).containsEntry("meta.helm.sh/release-name", RELEASE);
    }

    /** What more than "restricted" allows is the agents' view of the host, and the sweeper. */
    @Test
    void theOperatorsPodsAreWhatPodSecurityCallsRestricted() throws IOException {
        install(Helm.chart(), "sweeper.enabled=true");
        // Else the controller manager makes it.
        admin.resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withName("default")
                        .withNamespace(NAMESPACE)
                        .endMetadata()
                        .build())
                .serverSideApply();
        kubectl.run("label", "namespace", NAMESPACE, "pod-security.kubernetes.io/enforce=restricted", "--overwrite");
        String hooks = helm.run("get", "hooks", RELEASE, "--namespace", NAMESPACE);
        Map<String, JsonNode> pods = pods(RenderedObjects.of(Files.readString(manifest()) + hooks));
        try {
            // Admission takes up the label a moment after it was written.
            eventually(() -> assertOnlyAgentsAndSweepersAreMore(pods));
        } finally {
            kubectl.run("label", "namespace", NAMESPACE, "pod-security.kubernetes.io/enforce-");
        }
    }

    /** Those that are there, and those that will be made of templates. */
    private static Map<String, JsonNode> pods(Map<String, JsonNode> objects) {
        Map<String, JsonNode> pods = new TreeMap<>();
        for (JsonNode object : objects.values()) {
            boolean isPod = object.path("kind").asText().equals("Pod");
            if (isPod || object.at("/spec/template/spec/containers").isArray()) {
                String name = object.at("/metadata/name").asText();
                pods.put(name, podOf(name, isPod ? object : object.at("/spec/template")));
            }
        }
        return pods;
    }

    private void assertOnlyAgentsAndSweepersAreMore(Map<String, JsonNode> pods) {
        Map<String, String> refused = new TreeMap<>();
        pods.forEach((name, pod) -> {
            try {
                admin.raw("/api/v1/namespaces/" + NAMESPACE + "/pods?dryRun=All", "POST", pod.toString());
                refused.put(name, "");
            } catch (KubernetesClientException e) {
                refused.put(name, String.valueOf(e.getMessage()));
            }
        });
        assertThat(refused.keySet())
                .containsExactly(
                        "fabric-agent",
                        "fabric-operator-controller",
                        "fabric-operator-server",
                        "fabric-operator-test",
                        "fabric-sweeper");
        assertThat(refused.get("fabric-operator-test")).isEmpty();
        assertThat(refused.get("fabric-operator-controller")).isEmpty();
        assertThat(refused.get("fabric-operator-server")).isEmpty();
        assertThat(refused.get("fabric-agent"))
                .contains("violates PodSecurity \"restricted:latest\": ")
                .contains("host namespaces (hostNetwork=true)")
                .contains("restricted volume types (volumes \"sys\", \"proc\" use restricted volume type \"hostPath\")")
                .doesNotContain(
                        "allowPrivilegeEscalation",
                        "capabilities",
                        "runAsNonRoot",
                        "runAsUser",
                        "seccomp",
                        "privileged (");
        assertThat(refused.get("fabric-sweeper")).contains("privileged (container \"sweeper\"");
    }

    private static JsonNode podOf(String name, JsonNode template) {
        ObjectNode pod = template.deepCopy();
        pod.put("apiVersion", "v1").put("kind", "Pod");
        pod.withObjectProperty("metadata").put("name", name);
        return pod;
    }

    private void install(Path chart, String values) {
        helm.run("install", RELEASE, chart.toString(), "--namespace", NAMESPACE, "--create-namespace", "--set", values);
    }

    private void upgrade(Path chart) {
        helm.run("upgrade", RELEASE, chart.toString(), "--namespace", NAMESPACE);
    }

    private static List<JsonNode> webhookConfigurations() throws IOException {
        return List.copyOf(RenderedObjects.of(Files.readString(Helm.chart().resolve(WEBHOOKS)))
                .values());
    }

    private static boolean isForRequirePmix(JsonNode configuration) {
        return configuration.at("/webhooks/0/name").asText().equals("pods-require-pmix.fabric-operator.dev");
    }

    /** As releases had them before each was in a configuration of its own. */
    private static JsonNode inOne(List<JsonNode> configurations) {
        ObjectNode one = configurations.getFirst().deepCopy();
        one.withObjectProperty("metadata").put("name", "fabric-operator");
        ArrayNode all = one.putArray("webhooks");
        configurations.forEach(each -> each.path("webhooks").forEach(all::add));
        return one;
    }

    private Path chartWith(String name, List<JsonNode> webhookConfigurations) throws IOException {
        Path chart = copyOfTheChart(name);
        StringBuilder text = new StringBuilder();
        for (JsonNode each : webhookConfigurations) {
            text.append(RenderedObjects.YAML.writeValueAsString(each));
        }
        Files.writeString(chart.resolve(WEBHOOKS), text);
        return chart;
    }

    private Path manifest() {
        return write("manifest.yaml", helm.run("get", "manifest", RELEASE, "--namespace", NAMESPACE));
    }

    /** The chart as one before it might have been: other images, a definition with less in it, an object that is no more. */
    private Path chartBefore() throws IOException {
        Path copy = copyOfTheChart("before");
        edit(copy.resolve("Chart.yaml"), "ersion: 0.1.0", "ersion: 0.0.9");
        edit(copy.resolve("config/crd/fabrics.fabric-operator.dev.yaml"), "    shortNames:\n      - fab\n", "");
        Files.writeString(copy.resolve("config/operator/before.yaml"), """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: of-the-version-before}
                """);
        return copy;
    }

    private Path copyOfTheChart(String name) throws IOException {
        Path copy = directory.resolve(name);
        Path chart = Helm.chart();
        try (Stream<Path> files = Files.walk(chart)) {
            for (Path file : files.toList()) {
                Path target = copy.resolve(chart.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        }
        return copy;
    }

    private static void edit(Path file, String what, String with) throws IOException {
        String text = Files.readString(file);
        assertThat(text).contains(what);
        Files.writeString(file, text.replace(what, with));
    }

    private Map<String, String> writeObjects() {
        Fabric fabric = new Fabric();
        fabric.setMetadata(new ObjectMetaBuilder().withName(FABRIC).build());
        admin.resource(fabric).create();
        admin.resource(SmallFabric.device(1)).create();
        return objects();
    }

    /** Name and UID of each. */
    private Map<String, String> objects() {
        Map<String, String> objects = new TreeMap<>();
        admin.resources(Fabric.class)
                .list()
                .getItems()
                .forEach(each -> objects.put(
                        each.getMetadata().getName(), each.getMetadata().getUid()));
        admin.resources(FabricDevice.class)
                .list()
                .getItems()
                .forEach(each -> objects.put(
                        each.getMetadata().getName(), each.getMetadata().getUid()));
        assertThat(objects).hasSize(2);
        return objects;
    }

    private String shortNames() {
        return kubectl.run("get", "crd", "fabrics.fabric-operator.dev", "-o", "jsonpath={.spec.names.shortNames}");
    }

    private Deployment controller() {
        return admin.apps()
                .deployments()
                .inNamespace(NAMESPACE)
                .withName("fabric-operator-controller")
                .require();
    }

    private static String image(Deployment deployment) {
        return deployment
                .getSpec()
                .getTemplate()
                .getSpec()
                .getContainers()
                .getFirst()
                .getImage();
    }

    private Path write(String name, String text) {
        try {
            return Files.writeString(directory.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
