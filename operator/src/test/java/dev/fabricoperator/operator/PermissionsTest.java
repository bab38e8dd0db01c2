/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** What the chart's {@code config/} installs. */
class PermissionsTest {
    private static final Path ROOT = Path.of("..");
    private static final Path MANIFESTS = ROOT.resolve("charts/fabric-operator/config");
    private static final Set<String> ROLES = Set.of("Role", "ClusterRole");
    /** People bind it to people. */
    private static final String VIEWER = "fabric-query-viewer";

    private static List<JsonNode> objects() throws IOException {
        List<JsonNode> objects = new ArrayList<>();
        for (Path file : manifests()) {
            objects.addAll(objects(file));
        }
        return objects;
    }

    private static List<Path> manifests() throws IOException {
        try (Stream<Path> files = Files.walk(MANIFESTS)) {
            return files.filter(file -> file.toString().endsWith(".yaml")).toList();
        }
    }

    private static List<JsonNode> objects(Path file) throws IOException {
        return new ObjectMapper(new YAMLFactory())
                .readerFor(JsonNode.class)
                .<JsonNode>readValues(file.toFile())
                .readAll();
    }

    @Test
    void thePageOfPermissionsNamesEveryPermissionAndNoOther() throws IOException {
        List<String> granted = new ArrayList<>();
        for (JsonNode role : objects()) {
            if (ROLES.contains(role.path("kind").asText()) && !name(role).equals(VIEWER)) {
                role.path("rules").forEach(rule -> granted.add(row(role, rule)));
            }
        }
        List<String> named = Files.readAllLines(ROOT.resolve("docs/permissions.md")).stream()
                .filter(line -> line.startsWith("| `fabric-")
                        && line.chars().filter(c -> c == '|').count() == 5)
                .filter(line -> !line.contains(VIEWER))
                .map(line -> line.substring(0, line.lastIndexOf(" | ")))
                .toList();

        assertThat(granted).hasSizeGreaterThan(30);
        assertThat(named).containsExactlyInAnyOrderElementsOf(granted);
    }

    @Test
    void thePageOfPermissionsNamesWhatViewersMayAsk() throws IOException {
        List<String> asked = objects().stream()
                .filter(object -> ROLES.contains(object.path("kind").asText())
                        && name(object).equals(VIEWER))
                .flatMap(role ->
                        StreamSupport.stream(role.at("/rules/0/resources").spliterator(), false))
                .map(resource -> "`" + resource.asText().replace("fabrics/", "") + "`")
                .toList();

        assertThat(asked).hasSizeGreaterThan(10);
        assertThat(Files.readAllLines(ROOT.resolve("docs/permissions.md")))
                .filteredOn(line -> line.startsWith("| `" + VIEWER))
                .singleElement()
                .satisfies(line -> assertThat(line).contains(asked));
    }

    @Test
    void theRightToPatchNodesIsNowhereWithoutThePolicyThatBoundsIt() throws IOException {
        List<String> files = new ArrayList<>();
        for (Path file : manifests()) {
            for (JsonNode role : objects(file)) {
                for (JsonNode rule : role.path("rules")) {
                    if (rule.path("resources").toString().contains("\"nodes\"")
                            && rule.path("verbs").toString().contains("\"patch\"")) {
                        files.add(MANIFESTS.relativize(file).toString());
                        assertThat(objects(file))
                                .extracting(object -> object.path("kind").asText())
                                .contains("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding");
                    }
                }
            }
        }
        assertThat(files).containsExactly("admission/controller-labels-nodes.yaml");
    }

    @Test
    void theOperatorsPodsMaySpeakToTheResolverAndByHttpsAndToSweepsAndReplicasAndToNobodyElse() throws IOException {
        List<String> ports = new ArrayList<>();
        for (JsonNode object : objects()) {
            if (object.path("kind").asText().equals("NetworkPolicy")
                    && object.at("/spec/policyTypes").toString().contains("Egress")
                    && object.at("/metadata/namespace").asText().equals("fabric-operator")) {
                assertThat(object.at("/spec/podSelector/matchLabels/app.kubernetes.io~1part-of")
                                .asText())
                        .isEqualTo("fabric-operator");
                for (JsonNode rule : object.at("/spec/egress")) {
                    assertThat(rule.path("ports")).as("%s", rule).isNotEmpty();
                    if (rule.path("ports").toString().contains("8082")) {
                        assertThat(rule.at("/to/0/podSelector/matchLabels/app.kubernetes.io~1name")
                                        .asText())
                                .isEqualTo("fabric-sweeper");
                        assertThat(rule.path("to")).hasSize(1);
                    }
                    if (rule.path("ports").toString().contains("9444")) {
                        assertThat(rule.at("/to/0/podSelector/matchLabels/app.kubernetes.io~1component")
                                        .asText())
                                .isEqualTo("server");
                        assertThat(rule.path("to")).hasSize(1);
                    }
                    rule.path("ports")
                            .forEach(port -> ports.add(port.path("port").asText()));
                }
            }
        }
        assertThat(ports).containsExactlyInAnyOrder("443", "6443", "8443", "8082", "9444", "53", "53");
    }

    @Test
    void noAccountOfASampleIsInTheOperatorsNamespace() throws IOException {
        for (Path file : manifests()) {
            if (file.startsWith(MANIFESTS.resolve("samples"))) {
                assertThat(objects(file))
                        .noneMatch(object -> object.path("kind").asText().equals("ServiceAccount")
                                && object.at("/metadata/namespace").asText().equals("fabric-operator"));
            }
        }
    }

    @Test
    void noRoleHasAWildcardOrMayBecomeAnother() throws IOException {
        for (JsonNode role : objects()) {
            if (ROLES.contains(role.path("kind").asText())) {
                assertThat(role.path("rules").toString())
                        .as(name(role))
                        .doesNotContain(
                                "\"*\"", "\"escalate\"", "\"bind\"", "\"impersonate\"", "\"serviceaccounts/token\"");
            }
        }
    }

    @Test
    void everyContainerThatIsShippedHasAReadOnlyRoot() throws IOException {
        List<String> containers = new ArrayList<>();
        for (JsonNode object : objects()) {
            if (Set.of("Deployment", "DaemonSet").contains(object.path("kind").asText())) {
                for (JsonNode container : object.at("/spec/template/spec/containers")) {
                    containers.add(container.path("name").asText());
                    assertThat(container
                                    .at("/securityContext/readOnlyRootFilesystem")
                                    .asBoolean())
                            .as(name(object))
                            .isTrue();
                }
            }
        }
        assertThat(containers).contains("controller", "server", "agent", "sweeper");
    }

    private static String name(JsonNode object) {
        return object.at("/metadata/name").asText();
    }

    private static String row(JsonNode role, JsonNode rule) {
        String group = rule.at("/apiGroups/0").asText();
        JsonNode namespace = role.at("/metadata/namespace");
        String in = namespace.isMissingNode() ? "" : " in `" + namespace.asText() + "`";
        String names = rule.has("resourceNames") ? " " + words(rule.path("resourceNames"), "`", "`") : "";
        assertThat(rule.path("apiGroups")).hasSize(1);
        return "| `" + name(role) + "`" + in + " | "
                + words(rule.path("resources"), "`", (group.isEmpty() ? "" : "." + group) + "`") + names + " | "
                + words(rule.path("verbs"), "", "");
    }

    private static String words(JsonNode list, String before, String after) {
        return StreamSupport.stream(list.spliterator(), false)
                .map(word -> before + word.asText() + after)
                .collect(Collectors.joining(", "));
    }
}
