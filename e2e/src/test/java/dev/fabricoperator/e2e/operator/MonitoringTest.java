/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.fabricoperator.agent.Agent;
import dev.fabricoperator.agent.AgentConfig;
import dev.fabricoperator.agent.AgentConfigBuilder;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.cluster.ServiceAccountTokens;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.ConfigMap;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Test;

/** Alerts and the dashboard ask for what the programs export. */
@WithControlPlane(own = true)
class MonitoringTest extends OperatorCase {
    /** Of Prometheus itself, and labels that it or config/monitoring gives to what it scrapes. */
    private static final Set<String> OF_PROMETHEUS = Set.of("job", "role", "node", "pod", "namespace", "instance");

    private static final Pattern METRIC = Pattern.compile("\\b(?:fabric|jvm|process)_[a-z_]+|\\bup\\b");
    private static final Pattern LABELS = Pattern.compile("\\bby \\(([^)]*)\\)");
    private static final Pattern MATCHER = Pattern.compile("([a-z_]+)(?:!=|=~|=)\"([^\"]*)\"");
    private static final Pattern SHOWN = Pattern.compile("\\{\\{ ?\\$labels\\.([a-z_]+)|\\{\\{([a-z_]+)}}");

    /** By metric, its labels, and by label the values that have been seen. */
    private final Map<String, Map<String, Set<String>>> exported = new TreeMap<>();

    MonitoringTest(ControlPlane cluster) {
        super(cluster);
    }

    @Test
    void alertsAndTheDashboardNameMetricsAndLabelsThatThereAre() throws Exception {
        Map<String, String> expressions = new HashMap<>(alerts());
        expressions.putAll(panels());

        assertThat(expressions).hasSizeGreaterThan(40);
        scrapeUntil(() -> expressions.forEach((name, expression) -> {
            Set<String> metrics = new TreeSet<>(matches(METRIC, expression));
            assertThat(metrics).as(name + ": " + expression).isNotEmpty();
            metrics.remove("up");
            assertThat(exported.keySet()).as(name + ": " + expression).containsAll(metrics);
            Set<String> labels = new HashSet<>(OF_PROMETHEUS);
            metrics.forEach(metric -> labels.addAll(labelsOf(metric).keySet()));
            assertThat(labels).as(name + ": " + expression).containsAll(labelsIn(expression));
            Matcher matcher = MATCHER.matcher(expression);
            while (matcher.find()) {
                String label = matcher.group(1);
                String value = matcher.group(2);
                if (!OF_PROMETHEUS.contains(label)) {
                    assertThat(metrics)
                            .as(name + ": a " + label + " is " + value)
                            .anyMatch(metric -> labelsOf(metric)
                                    .getOrDefault(label, Set.of())
                                    .contains(value));
                }
            }
        }));
    }

    private Map<String, Set<String>> labelsOf(String metric) {
        return exported.getOrDefault(metric, Map.of());
    }

    /** Every alert has what its reader needs, and shows only labels that its expression leaves. */
    @Test
    void everyAlertHasASeverityAndAMessageWithLabelsThatAreLeft() throws IOException {
        for (JsonNode rule : rules()) {
            String name = rule.path("alert").asText();
            assertThat(rule.at("/labels/severity").asText()).as(name).isIn("critical", "warning", "info");
            String messages = rule.at("/annotations/summary").asText() + " "
                    + rule.at("/annotations/description").asText();
            assertThat(rule.path("annotations").size()).as(name).isEqualTo(2);
            assertThat(grouped(rule.path("expr").asText())).as(name).containsAll(matches(SHOWN, messages));
        }
    }

    /** What counts something is there when there was one. */
    private void scrapeUntil(ThrowingRunnable check)
            throws IOException, GeneralSecurityException, InterruptedException {
        // Of two sources the Fabric says whether they agree.
        ConfigMap second = SmallFabric.upload(SmallFabric.dump());
        second.getMetadata().setName("second");
        admin.resource(second).create();
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
                exported.clear();
                scrape(http, operator.health().resolve("/q/metrics"));
                scrape(http, server.health().resolve("/q/metrics"));
                scrape(http, URI.create("http://127.0.0.1:" + agent.metricsPort() + "/metrics"));
                assertThat(exported)
                        .containsKeys(
                                "fabric_operator_fabric_condition",
                                "fabric_operator_query_seconds_count",
                                "fabric_operator_admission_seconds_count",
                                "fabric_operator_jobs_seconds_count");
                assertThat(labelsOf("fabric_operator_fabric_condition").get("type"))
                        .contains("SourcesAgree");
                check.run();
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

    private void scrape(HttpClient http, URI metrics) throws IOException, InterruptedException {
        String text = http.send(HttpRequest.newBuilder(metrics).build(), HttpResponse.BodyHandlers.ofString())
                .body();
        Pattern label = Pattern.compile("([a-z_]+)=\"([^\"]*)\"");
        for (String line : text.lines().filter(each -> !each.startsWith("#")).toList()) {
            String name = line.split("[{ ]", 2)[0];
            Map<String, Set<String>> labels = exported.computeIfAbsent(name, key -> new TreeMap<>());
            Matcher matcher = label.matcher(line);
            while (matcher.find()) {
                labels.computeIfAbsent(matcher.group(1), key -> new TreeSet<>()).add(matcher.group(2));
            }
        }
    }

    private static List<String> matches(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(found -> found.groupCount() == 0
                        ? found.group()
                        : found.group(1) == null ? found.group(2) : found.group(1))
                .toList();
    }

    private static Set<String> labelsIn(String expression) {
        Set<String> labels = grouped(expression);
        MATCHER.matcher(expression).results().forEach(found -> labels.add(found.group(1)));
        return labels;
    }

    private static Set<String> grouped(String expression) {
        Set<String> labels = new TreeSet<>();
        LABELS.matcher(expression)
                .results()
                .forEach(found -> labels.addAll(List.of(found.group(1).split(", ?"))));
        return labels;
    }

    private static JsonNode file(String name) throws IOException {
        return new ObjectMapper(new YAMLFactory())
                .readTree(ProjectRoot.find()
                        .resolve("config/monitoring")
                        .resolve(name)
                        .toFile());
    }

    private static List<JsonNode> rules() throws IOException {
        return file("rules.yaml").at("/spec/groups").findValues("rules").stream()
                .flatMap(rules -> rules.valueStream())
                .toList();
    }

    private static Map<String, String> alerts() throws IOException {
        Map<String, String> alerts = new HashMap<>();
        rules().forEach(rule -> alerts.put(
                "alert " + rule.path("alert").asText(), rule.path("expr").asText()));
        return alerts;
    }

    private static Map<String, String> panels() throws IOException {
        Map<String, String> panels = new HashMap<>();
        for (JsonNode panel : file("dashboard.json").path("panels")) {
            for (JsonNode target : panel.path("targets")) {
                panels.put(
                        "panel " + panel.path("title").asText() + " "
                                + target.path("refId").asText(),
                        target.path("expr").asText());
            }
        }
        return panels;
    }
}
