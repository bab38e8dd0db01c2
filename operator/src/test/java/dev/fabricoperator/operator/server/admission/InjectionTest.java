/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import io.fabric8.zjsonpatch.JsonPatch;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every directory of {@code admission}: the pod of {@code pod.yaml}, with what {@code around.yaml} says of its job and of its namespace, becomes
 * what {@code out.yaml} says. {@code -Dgolden.update=true} writes what came out.
 */
class InjectionTest {
    private static final Path ROOT = Path.of("src/test/resources/admission");
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .disable(YAMLGenerator.Feature.SPLIT_LINES));
    private static final AdmissionSettings SETTINGS = new SmallRyeConfigBuilder()
            .withConverter(Duration.class, 200, new DurationConverter())
            .withMapping(AdmissionSettings.class)
            .withSources(new PropertiesConfigSource(
                    Map.of("fabric-operator.admission.pmixd.image", "registry.example/pmixd:1"), "test", 100))
            .build()
            .getConfigMapping(AdmissionSettings.class);
    private static final JobService SERVICE = new JobService(
            List.of("https://10.1.2.3:9444", "https://fabric-operator-jobs.fabric-operator.svc:9444"),
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");

    private final Injection injection = new Injection(SETTINGS);

    static Stream<String> cases() throws IOException {
        try (Stream<Path> directories = Files.list(ROOT)) {
            return directories.map(d -> d.getFileName().toString()).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void thePodBecomesWhatTheFileSays(String name) throws IOException {
        Path directory = ROOT.resolve(name);
        ObjectNode pod = read(directory.resolve("pod.yaml"));
        ObjectNode out = YAML.createObjectNode();
        switch (injection.of(pod, around(directory))) {
            case AdmissionDecision.Denied denied -> out.put("refused", denied.sentence());
            case AdmissionDecision.Allowed allowed -> warn(out.put("unchanged", true), allowed);
            case AdmissionDecision.Patched patched ->
                warn(out, patched).set("pod", JsonPatch.apply(patched.operations(), pod));
        }
        String found = YAML.writeValueAsString(out);
        Path expected = directory.resolve("out.yaml");
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(expected, found);
        }
        assertThat(found).isEqualTo(Files.readString(expected));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aPodThatWasChangedStaysAsItIsAndKeepsItsQosClass(String name) throws IOException {
        Path directory = ROOT.resolve(name);
        ObjectNode pod = read(directory.resolve("pod.yaml"));
        if (injection.of(pod.deepCopy(), around(directory)) instanceof AdmissionDecision.Patched patched) {
            ObjectNode changed = (ObjectNode) JsonPatch.apply(patched.operations(), pod);
            assertThat(injection.of(changed, around(directory))).isEqualTo(AdmissionDecision.ALLOWED);
            assertThat(Qos.of(changed.path("spec"))).isEqualTo(Qos.of(pod.path("spec")));
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void whateverIsNotNamedStaysAsItWas(String name) throws IOException {
        Path directory = ROOT.resolve(name);
        ObjectNode pod = read(directory.resolve("pod.yaml"));
        ((ObjectNode) pod.path("spec")).put("fieldOfTheFuture", "x");
        ((ObjectNode) pod.at("/spec/containers/0")).putObject("alsoUnknown").put("y", 1);
        if (injection.of(pod.deepCopy(), around(directory)) instanceof AdmissionDecision.Patched patched) {
            JsonNode changed = JsonPatch.apply(patched.operations(), pod);
            assertThat(changed.at("/spec/fieldOfTheFuture").asText()).isEqualTo("x");
            assertThat(changed.path("spec").path("containers"))
                    .anySatisfy(container ->
                            assertThat(container.at("/alsoUnknown/y").asInt()).isEqualTo(1));
        }
    }

    private static ObjectNode warn(ObjectNode out, AdmissionDecision decision) {
        for (String warning : decision.warnings()) {
            out.withArray("warnings").add(warning);
        }
        return out;
    }

    private static Injection.Surroundings around(Path directory) throws IOException {
        Path file = directory.resolve("around.yaml");
        ObjectNode around = Files.exists(file) ? read(file) : YAML.createObjectNode();
        JsonNode jobSet = around.get("jobSet");
        return new Injection.Surroundings(
                "jobs",
                around.path("noCertificate").asBoolean() ? null : SERVICE,
                around.has("job") ? OwnerSpecs.of(around.path("job"), jobSet) : null,
                ContainerBounds.of(around.path("limitRanges")));
    }

    private static ObjectNode read(Path file) throws JsonProcessingException, IOException {
        return (ObjectNode) YAML.readTree(Files.readString(file));
    }

    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aMountPathOfManySlashesIsDecidedAtOnce() throws IOException {
        Path directory = ROOT.resolve("several-ranks");
        ObjectNode pod = read(directory.resolve("pod.yaml"));
        ObjectNode mount = ((ObjectNode) pod.at("/spec/containers/0"))
                .withArray("volumeMounts")
                .addObject();
        mount.put("name", "x").put("mountPath", "/".repeat(1_000_000) + "x");
        assertThat(injection.of(pod, around(directory))).isInstanceOf(AdmissionDecision.Patched.class);
    }
}
