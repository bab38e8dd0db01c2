/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.e2e.cluster.Assets;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.operator.Monitoring;
import dev.fabricoperator.e2e.system.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Prometheus understands the alerts and what the dashboard asks. */
class RulesTest {
    private static final String PLACE = "FABRIC_OPERATOR_PROMQL";

    @TempDir
    Path directory;

    @Test
    void prometheusReadsTheAlerts() throws IOException {
        check(file("rules.yaml").path("spec"));
    }

    @Test
    void prometheusReadsWhatTheDashboardAsks() throws IOException {
        ArrayNode rules = RenderedObjects.YAML.createArrayNode();
        for (JsonNode panel : file("dashboard.json").path("panels")) {
            for (JsonNode target : panel.path("targets")) {
                rules.addObject().put("record", "panel:" + rules.size()).set("expr", target.path("expr"));
            }
        }
        assertThat(rules).hasSizeGreaterThan(20);
        check(groupOf(rules));
    }

    @Test
    void aRuleThatPrometheusDoesNotUnderstandIsFound() {
        ArrayNode rules = RenderedObjects.YAML.createArrayNode();
        rules.addObject().put("alert", "Wrong").put("expr", "sum by (a (up)");

        assertThatThrownBy(() -> check(groupOf(rules))).hasMessageContaining("could not parse expression");
    }

    /** Every alert has what its reader needs, and shows only labels that its expression leaves. */
    @Test
    void everyAlertHasASeverityAndAMessageWithLabelsThatAreLeft() throws IOException {
        for (JsonNode rule : Monitoring.rules()) {
            String name = rule.path("alert").asText();
            assertThat(rule.at("/labels/severity").asText()).as(name).isIn("critical", "warning", "info");
            String messages = rule.at("/annotations/summary").asText() + " "
                    + rule.at("/annotations/description").asText();
            assertThat(rule.path("annotations").size()).as(name).isEqualTo(2);
            assertThat(Monitoring.grouped(rule.path("expr").asText())).as(name).containsAll(Monitoring.shown(messages));
        }
    }

    private static ObjectNode groupOf(ArrayNode rules) {
        ObjectNode groups = RenderedObjects.YAML.createObjectNode();
        groups.putArray("groups").addObject().put("name", "group").set("rules", rules);
        return groups;
    }

    private static JsonNode file(String name) throws IOException {
        return RenderedObjects.YAML.readTree(
                ProjectRoot.find().resolve("config/monitoring").resolve(name).toFile());
    }

    private void check(JsonNode groups) throws IOException {
        Path program = Optional.ofNullable(System.getenv(PLACE))
                .or(() -> Assets.writtenBySetup(PLACE))
                .map(place -> Path.of(place, "promql"))
                .filter(Files::isExecutable)
                .orElseThrow(() -> new IllegalStateException("no promql found; run \"make setup\""));
        Path rules = Files.writeString(directory.resolve("rules.yaml"), groups.toString());
        new Command(List.of(program.toString(), rules.toString()), Map.of()).run();
    }
}
