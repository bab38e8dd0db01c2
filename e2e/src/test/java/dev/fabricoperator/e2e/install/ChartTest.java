/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.fabricoperator.e2e.cluster.Assets;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.system.Command;
import dev.fabricoperator.e2e.system.CommandFailedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the chart installs is what kustomize installs, and it takes no value that it does not know. */
class ChartTest {
    private static final String NAMESPACE = "fabric-operator";
    private static final Set<String> OF_KUBERNETES =
            Set.of("nodeSelector", "resources", "labels", "podSecurityContext", "securityContext");

    @TempDir
    Path directory;

    /** @param withNamespace whether the kustomization holds the Namespace, which the chart then writes too */
    private record Option(String name, JsonNode values, JsonNode kustomization, boolean withNamespace) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Option> options() throws IOException {
        List<Option> options = new ArrayList<>();
        try (var file = ChartTest.class.getResourceAsStream("/chart-options.yaml")) {
            // By way of plain maps: only those know anchors.
            JsonNode list = RenderedObjects.YAML.valueToTree(new org.yaml.snakeyaml.Yaml().<Object>load(file));
            for (JsonNode each : list) {
                options.add(new Option(
                        each.path("name").asText(),
                        each.path("values"),
                        each.path("kustomization"),
                        each.path("withNamespace").asBoolean()));
            }
        }
        return options;
    }

    @ParameterizedTest
    @MethodSource("options")
    void helmAndKustomizeGiveTheSameObjects(Option option) {
        Map<String, JsonNode> byHelm =
                RenderedObjects.withoutMarksOfHelm(RenderedObjects.of(template(values(option), NAMESPACE)));
        Map<String, JsonNode> byKustomize =
                RenderedObjects.withoutMarksOfHelm(RenderedObjects.of(kustomize(option.kustomization())));

        assertThat(byKustomize).isNotEmpty();
        assertThat(byHelm.keySet()).isEqualTo(byKustomize.keySet());
        byKustomize.forEach(
                (identity, object) -> assertThat(RenderedObjects.text(Objects.requireNonNull(byHelm.get(identity))))
                        .as(identity)
                        .isEqualTo(RenderedObjects.text(object)));
    }

    @ParameterizedTest
    @MethodSource("options")
    void bothHelmsGiveTheSameObjects(Option option) {
        Path values = write("values.yaml", values(option));
        Map<String, JsonNode> three = rendered(Helm.Version.V3, values);

        assertThat(three).isNotEmpty();
        assertThat(rendered(Helm.Version.V4, values)).isEqualTo(three);
    }

    private static Map<String, JsonNode> rendered(Helm.Version version, Path values) {
        return RenderedObjects.of(version.offline()
                .run(
                        "template",
                        "release",
                        Helm.chart().toString(),
                        "--namespace",
                        NAMESPACE,
                        "--values",
                        values.toString()));
    }

    /** What is in {@code caBundle} keeps a webhook in the list of its configuration, whatever the next chart has there. */
    @Test
    void eachWebhookHasAConfigurationOfItsOwnAndKeepsItsName() throws IOException {
        Map<String, String> names = new TreeMap<>();
        for (JsonNode each : RenderedObjects.of(Files.readString(Helm.chart().resolve("config/webhook/webhooks.yaml")))
                .values()) {
            assertThat(each.path("webhooks")).hasSize(1);
            names.put(
                    each.at("/metadata/name").asText(),
                    each.at("/webhooks/0/name").asText());
        }
        // Another name takes another configuration.
        assertThat(names)
                .containsEntry("fabric-launch-bindings", "bindings.fabric-operator.dev")
                .containsEntry("fabric-launch-pods", "pods.fabric-operator.dev")
                .containsEntry("fabric-launch-pods-require-pmix", "pods-require-pmix.fabric-operator.dev");
    }

    @Test
    void everyValueHasAnOption() throws IOException {
        Set<String> set = new TreeSet<>();
        for (Option option : options()) {
            set.addAll(leaves(option.values()).keySet());
        }
        Set<String> never = new TreeSet<>(leaves(defaults()).keySet());
        never.removeIf(value -> set.stream().anyMatch(given -> given.equals(value) || given.startsWith(value + "/")));
        assertThat(never).isEmpty();
    }

    @Test
    void anotherNamespaceStandsWhereverOursStood() {
        String text = template(
                "namespace: {create: true}\nsweeper: {enabled: true}\nqueryApi: {apiService: {enabled: true}}",
                "elsewhere");

        assertThat(text)
                .doesNotContainPattern("namespace: \"?fabric-operator\"?\\s")
                .doesNotContain("serviceaccount:fabric-operator:")
                .contains("system:serviceaccount:elsewhere:fabric-agent");
        Map<String, JsonNode> ours = RenderedObjects.of(template("", NAMESPACE));
        Map<String, JsonNode> theirs = RenderedObjects.of(template("", "elsewhere"));
        assertThat(theirs.keySet())
                .isEqualTo(new TreeSet<>(ours.keySet().stream()
                        .map(identity -> identity.replace(" fabric-operator/", " elsewhere/"))
                        .toList()));
    }

    @Test
    void everyObjectSaysThatItIsOfTheRelease() {
        RenderedObjects.of(template("sweeper: {enabled: true}", NAMESPACE))
                .forEach((identity, object) -> assertThat(object.at("/metadata/labels"))
                        .as(identity)
                        .contains(TextNode.valueOf("Helm"), TextNode.valueOf("fabric-operator-0.1.0")));
    }

    @Test
    void theCustomResourceDefinitionsStayUnlessAskedOtherwise() {
        String keep = "/metadata/annotations/helm.sh~1resource-policy";
        RenderedObjects.of(template("", NAMESPACE))
                .forEach((identity, object) -> assertThat(object.at(keep).asText())
                        .as(identity)
                        .isEqualTo(identity.contains(" CustomResourceDefinition ") ? "keep" : ""));
        assertThat(template("crds: {keep: false}", NAMESPACE)).doesNotContain("helm.sh/resource-policy");
    }

    @Test
    void aValueOfAnotherTypeIsRefusedByItsName() {
        ObjectNode wrong = RenderedObjects.YAML.createObjectNode();
        Map<String, JsonNode> leaves = leaves(defaults());
        leaves.forEach((path, value) -> put(wrong, path, value.isArray() || value.isObject() ? "1" : "[1]"));

        String message = refusal(wrong);

        assertThat(leaves).hasSizeGreaterThan(50);
        leaves.keySet().forEach(path -> assertThat(message).contains("'" + path + "'"));
    }

    @Test
    void aValueThatDoesNotExistIsRefusedByItsName() {
        ObjectNode wrong = RenderedObjects.YAML.createObjectNode();
        Set<String> parents = new TreeSet<>();
        for (String path : leaves(defaults()).keySet()) {
            for (int end = path.lastIndexOf('/'); end >= 0; end = path.lastIndexOf('/', end - 1)) {
                parents.add(path.substring(0, end));
            }
        }
        parents.forEach(parent -> put(wrong, parent + "/unexpected", "1"));

        String message = refusal(wrong);

        assertThat(parents).contains("", "/images", "/images/agent", "/agent/lldp");
        parents.forEach(parent ->
                assertThat(message).contains("at '" + parent + "': additional properties 'unexpected' not allowed"));
    }

    @Test
    void whatOneMistypesMostIsRefused() {
        for (String values : List.of(
                "replicas: 3",
                "images: {tag: 1.2}",
                "images: {agent: {digest: latest}}",
                "images: {pullSecrets: [{name: registry}]}",
                "images: {pullPolicy: Sometimes}",
                "server: {replicas: -1}",
                "server: {replicas: two}",
                "server: {tolerations: {operator: Exists}}",
                "server: {resources: {memory: 1Gi}}",
                "server: {env: {A: b}}",
                "agent: {metricsPort: 0}",
                "agent: {lldp: {socketDirectory: run/lldpd}}",
                "networkPolicy: {apiServerCidrs: [192.0.2.1]}",
                "networkPolicy: {apiServerCidrs: []}")) {
            assertThatThrownBy(() -> template(values, NAMESPACE))
                    .as(values)
                    .isInstanceOf(CommandFailedException.class)
                    .hasMessageContaining("values don't meet the specifications of the schema");
        }
    }

    @Test
    void aChartThatHasTheOperatorAsADependencyMayHaveGlobalValues() {
        assertThat(template("global: {imageRegistry: registry.example.org}", NAMESPACE))
                .isEqualTo(template("", NAMESPACE));
    }

    @ParameterizedTest
    @EnumSource
    void helmFindsNothingToComplainOf(Helm.Version version) {
        assertThat(version.offline().run("lint", "--strict", Helm.chart().toString(), "--quiet"))
                .doesNotContain("WARNING", "ERROR");
    }

    @Test
    void aPackageHoldsTheManifestsAndNoLink() throws IOException {
        Helm.offline().run("package", Helm.chart().toString(), "--destination", directory.toString());

        Path archive = directory.resolve("fabric-operator-0.1.0.tgz");
        assertThat(templateOf(archive, "", NAMESPACE)).isEqualTo(template("", NAMESPACE));
        assertThat(new Command(List.of("tar"), Map.of())
                        .run("--list", "--verbose", "--file", archive.toString())
                        .lines())
                .anyMatch(entry -> entry.endsWith("/config/operator/server.yaml"))
                .allMatch(entry -> entry.startsWith("-"));
    }

    /** As Flux packs a directory of git: a source without its links. */
    @Test
    void theChartIsWholeWhereNobodyFollowsLinks() throws IOException {
        List<Path> links = new ArrayList<>();
        Path copy = directory.resolve("fabric-operator");
        try (Stream<Path> all = Files.walk(Helm.chart())) {
            for (Path path : all.toList()) {
                if (Files.isSymbolicLink(path)) {
                    links.add(path);
                } else if (Files.isRegularFile(path)) {
                    Path to = copy.resolve(Helm.chart().relativize(path));
                    Files.createDirectories(to.resolveSibling(""));
                    Files.copy(path, to);
                }
            }
        }

        assertThat(links).isEmpty();
        assertThat(templateOf(copy, "sweeper: {enabled: true}", NAMESPACE))
                .isEqualTo(template("sweeper: {enabled: true}", NAMESPACE));
    }

    /** A budget that wants one to stay would keep the node of the only replica from ever being drained. */
    @Test
    void aDrainIsNotHeldUpByTheOnlyReplica() {
        List<JsonNode> budgets =
                RenderedObjects.of(template("{controller: {replicas: 1}, server: {replicas: 1}}", NAMESPACE))
                        .values()
                        .stream()
                        .filter(object -> object.path("kind").asText().equals("PodDisruptionBudget"))
                        .toList();

        assertThat(budgets).hasSize(2).allSatisfy(budget -> {
            assertThat(budget.at("/spec/maxUnavailable").asInt()).isEqualTo(1);
            assertThat(budget.at("/spec/minAvailable").isMissingNode()).isTrue();
            assertThat(budget.at("/spec/unhealthyPodEvictionPolicy").asText()).isEqualTo("AlwaysAllow");
        });
    }

    @Test
    void anOlderClusterIsRefused() {
        assertThatThrownBy(() ->
                        Helm.offline().run("template", "release", Helm.chart().toString(), "--kube-version", "1.31.9"))
                .hasMessageContaining("requires kubeVersion: >=1.32.0-0");
    }

    @Test
    void helmTestAsksByTheServiceAndTheReleasesOwnImage() {
        String values =
                "{images: {registry: registry.example.org, pullSecrets: [registry]}, server: {priorityClassName: high}}";
        JsonNode pod = Objects.requireNonNull(RenderedObjects.of(
                        render(Helm.chart(), values, "elsewhere", "--show-only", "templates/tests/query-api.yaml"))
                .get("v1 Pod elsewhere/fabric-operator-test"));

        assertThat(pod.at("/metadata/annotations/helm.sh~1hook").asText()).isEqualTo("test");
        assertThat(pod.at("/spec/imagePullSecrets/0/name").asText()).isEqualTo("registry");
        assertThat(pod.at("/spec/nodeSelector/kubernetes.io~1os").asText()).isEqualTo("linux");
        assertThat(pod.at("/spec/priorityClassName").asText()).isEqualTo("high");
        JsonNode container = pod.at("/spec/containers/0");
        assertThat(container.path("image").asText()).isEqualTo("registry.example.org/fabric-operator:0.1.0");
        assertThat(container.path("command").toString())
                .contains("QueryProbe\",\"https://fabric-operator-query.elsewhere.svc\"");
        // No Service of the operator sends it requests, and no metrics are asked of it.
        assertThat(pod.at("/metadata/labels/app.kubernetes.io~1name").asText()).isEqualTo("fabric-operator-test");
    }

    private static String values(Option option) {
        ObjectNode values = option.values().deepCopy();
        if (option.withNamespace()) {
            values.putObject("namespace").put("create", true);
        }
        return values.toString();
    }

    private static JsonNode defaults() {
        try {
            return RenderedObjects.YAML.readTree(
                    Helm.chart().resolve("values.yaml").toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** By path such as {@code /images/tag}; maps that are empty, and those with keys of Kubernetes, are values too. */
    private static Map<String, JsonNode> leaves(JsonNode values) {
        Map<String, JsonNode> leaves = new TreeMap<>();
        collect("", values, leaves);
        return leaves;
    }

    private static void collect(String path, JsonNode value, Map<String, JsonNode> leaves) {
        if (!value.isObject() || value.isEmpty() || OF_KUBERNETES.contains(path.substring(path.lastIndexOf('/') + 1))) {
            leaves.put(path, value);
            return;
        }
        value.properties().forEach(each -> collect(path + "/" + each.getKey(), each.getValue(), leaves));
    }

    private static void put(ObjectNode into, String path, String yaml) {
        String[] keys = path.substring(1).split("/");
        ObjectNode place = into;
        for (int i = 0; i < keys.length - 1; i++) {
            place = place.withObjectProperty(keys[i]);
        }
        place.set(keys[keys.length - 1], RenderedObjects.yaml(yaml));
    }

    private String refusal(JsonNode values) {
        try {
            template(values.toString(), NAMESPACE);
        } catch (CommandFailedException e) {
            return String.valueOf(e.getMessage());
        }
        throw new AssertionError("not refused: " + values);
    }

    private String template(String values, String namespace) {
        return templateOf(Helm.chart(), values, namespace);
    }

    private String templateOf(Path chart, String values, String namespace) {
        return render(chart, values, namespace, "--no-hooks");
    }

    private String render(Path chart, String values, String namespace, String... more) {
        List<String> arguments = new ArrayList<>(List.of("template", "release", chart.toString()));
        arguments.addAll(List.of("--namespace", namespace));
        arguments.addAll(List.of("--values", write("values.yaml", values).toString()));
        arguments.addAll(List.of(more));
        return Helm.offline().run(arguments.toArray(String[]::new));
    }

    private String kustomize(JsonNode kustomization) {
        String config = directory
                .toAbsolutePath()
                .relativize(ProjectRoot.find().resolve("config"))
                .toString();
        write("kustomization.yaml", kustomization.toString().replace("CONFIG", config));
        return new Command(List.of(Assets.find().kubectl().toString()), Map.of())
                .run("kustomize", directory.toString());
    }

    private Path write(String name, String text) {
        try {
            return Files.writeString(directory.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
