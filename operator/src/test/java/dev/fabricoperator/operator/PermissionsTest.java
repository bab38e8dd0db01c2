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

/** What {@code config/} installs. */
class PermissionsTest {
    private static final Path ROOT = Path.of("..");
    private static final Set<String> ROLES = Set.of("Role", "ClusterRole");
    /** People bind it to people. */
    private static final String VIEWER = "fabric-query-viewer";

    private static List<JsonNode> objects() throws IOException {
        ObjectMapper yaml = new ObjectMapper(new YAMLFactory());
        List<JsonNode> objects = new ArrayList<>();
        try (Stream<Path> files = Files.walk(ROOT.resolve("config"))) {
            for (Path file : files.filter(f -> f.toString().endsWith(".yaml")).toList()) {
                objects.addAll(yaml.readerFor(JsonNode.class)
                        .<JsonNode>readValues(file.toFile())
                        .readAll());
            }
        }
        return objects;
    }

    @Test
    void thePageOnSecurityNamesEveryPermissionAndNoOther() throws IOException {
        List<String> granted = new ArrayList<>();
        for (JsonNode role : objects()) {
            if (ROLES.contains(role.path("kind").asText()) && !name(role).equals(VIEWER)) {
                role.path("rules").forEach(rule -> granted.add(row(role, rule)));
            }
        }
        List<String> named = Files.readAllLines(ROOT.resolve("docs/security.md")).stream()
                .filter(line -> line.startsWith("| `fabric-")
                        && line.chars().filter(c -> c == '|').count() == 5)
                .filter(line -> !line.contains(VIEWER))
                .map(line -> line.substring(0, line.lastIndexOf(" | ")))
                .toList();

        assertThat(granted).hasSizeGreaterThan(30);
        assertThat(named).containsExactlyInAnyOrderElementsOf(granted);
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
