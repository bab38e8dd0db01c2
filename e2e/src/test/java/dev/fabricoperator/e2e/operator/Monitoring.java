/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What alerts and the dashboard of {@code config/monitoring} ask for, beside what programs export. */
public final class Monitoring {
    /** Of Prometheus itself, and labels that it or config/monitoring gives to what it scrapes. */
    private static final Set<String> OF_PROMETHEUS = Set.of("job", "role", "node", "pod", "namespace", "instance");

    private static final Pattern METRIC = Pattern.compile("\\b(?:fabric|jvm|process)_[a-z_]+|\\bup\\b");
    private static final Pattern LABELS = Pattern.compile("\\bby \\(([^)]*)\\)");
    private static final Pattern MATCHER = Pattern.compile("([a-z_]+)(?:!=|=~|=)\"([^\"]*)\"");
    private static final Pattern SHOWN = Pattern.compile("\\{\\{ ?\\$labels\\.([a-z_]+)|\\{\\{([a-z_]+)}}");
    private static final Pattern EXPORTED = Pattern.compile("([a-z_]+)=\"([^\"]*)\"");

    /** By metric, its labels, and by label the values that have been seen. */
    private final Map<String, Map<String, Set<String>>> exported = new TreeMap<>();

    /** Adds what a program exports. */
    void scrape(HttpClient http, URI metrics) throws IOException, InterruptedException {
        String text = http.send(HttpRequest.newBuilder(metrics).build(), HttpResponse.BodyHandlers.ofString())
                .body();
        for (String line : text.lines().filter(each -> !each.startsWith("#")).toList()) {
            String name = line.split("[{ ]", 2)[0];
            Map<String, Set<String>> labels = exported.computeIfAbsent(name, key -> new TreeMap<>());
            Matcher matcher = EXPORTED.matcher(line);
            while (matcher.find()) {
                labels.computeIfAbsent(matcher.group(1), key -> new TreeSet<>()).add(matcher.group(2));
            }
        }
    }

    /** Names of what has been scraped. */
    Set<String> metrics() {
        return exported.keySet();
    }

    /** Values that have been seen, by label. */
    Map<String, Set<String>> labelsOf(String metric) {
        return exported.getOrDefault(metric, Map.of());
    }

    /** Fails unless its metrics, its labels and the values that it compares them with have been scraped. */
    void assertThatThereIsWhatIsAskedFor(String name, String expression) {
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
                        .anyMatch(metric ->
                                labelsOf(metric).getOrDefault(label, Set.of()).contains(value));
            }
        }
    }

    /** Labels that a message of an alert shows. */
    public static List<String> shown(String message) {
        return matches(SHOWN, message);
    }

    /** Labels that an expression leaves. */
    public static Set<String> grouped(String expression) {
        Set<String> labels = new TreeSet<>();
        LABELS.matcher(expression)
                .results()
                .forEach(found -> labels.addAll(List.of(found.group(1).split(", ?"))));
        return labels;
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

    private static JsonNode file(String name) throws IOException {
        return new ObjectMapper(new YAMLFactory())
                .readTree(ProjectRoot.find()
                        .resolve("config/monitoring")
                        .resolve(name)
                        .toFile());
    }

    /** The alerts. */
    public static List<JsonNode> rules() throws IOException {
        return file("rules.yaml").at("/spec/groups").findValues("rules").stream()
                .flatMap(rules -> rules.valueStream())
                .toList();
    }

    /** Those of alerts and of the dashboard's panels, by what they are of. */
    static Map<String, String> expressions() throws IOException {
        Map<String, String> expressions = new HashMap<>();
        rules().forEach(rule -> expressions.put(
                "alert " + rule.path("alert").asText(), rule.path("expr").asText()));
        for (JsonNode panel : file("dashboard.json").path("panels")) {
            for (JsonNode target : panel.path("targets")) {
                expressions.put(
                        "panel " + panel.path("title").asText() + " "
                                + target.path("refId").asText(),
                        target.path("expr").asText());
            }
        }
        return expressions;
    }
}
