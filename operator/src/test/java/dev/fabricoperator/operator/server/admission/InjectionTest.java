/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricSpec;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.OwnerRef;
import io.fabric8.zjsonpatch.JsonPatch;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            null);

    private static final String IN_OLDER_CLUSTERS = "out-second-container.yaml";
    private static final ImageVolumeSupport IMAGE_VOLUMES = new ImageVolumeSupport(
            true,
            "all have them",
            "node old-2 has containerd://2.1.4, which mounts no image volume into a pod with hostUsers: false before containerd 2.1.7");
    private static final ImageVolumeSupport NO_IMAGE_VOLUMES =
            new ImageVolumeSupport(false, "node old-1 has containerd://1.7.27, and image volumes need containerd 2.1");

    private final Injection injection = new Injection(SETTINGS);

    static Stream<String> cases() throws IOException {
        try (Stream<Path> directories = Files.list(ROOT)) {
            return directories.map(d -> d.getFileName().toString()).sorted().toList().stream();
        }
    }

    static Stream<String> casesOfOlderClusters() throws IOException {
        return cases().filter(name -> Files.exists(ROOT.resolve(name).resolve(IN_OLDER_CLUSTERS)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void thePodBecomesWhatTheFileSays(String name) throws IOException {
        check(ROOT.resolve(name), "out.yaml", IMAGE_VOLUMES);
    }

    @ParameterizedTest
    @MethodSource("casesOfOlderClusters")
    void withoutImageVolumesThePodBecomesWhatTheOtherFileSays(String name) throws IOException {
        check(ROOT.resolve(name), IN_OLDER_CLUSTERS, NO_IMAGE_VOLUMES);
    }

    private void check(Path directory, String file, ImageVolumeSupport imageVolumes) throws IOException {
        ObjectNode pod = read(directory.resolve("pod.yaml"));
        ObjectNode out = YAML.createObjectNode();
        switch (injection.of(pod, around(directory, imageVolumes))) {
            case AdmissionDecision.Denied denied -> out.put("refused", denied.sentence());
            case AdmissionDecision.Allowed allowed -> warn(out.put("unchanged", true), allowed);
            case AdmissionDecision.OwnerUnread unread -> warn(out.put("ownerUnread", true), unread);
            case AdmissionDecision.Patched patched ->
                warn(out, patched).set("pod", JsonPatch.apply(patched.operations(), pod));
        }
        String found = YAML.writeValueAsString(out);
        Path expected = directory.resolve(file);
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(expected, found);
        }
        assertThat(found).isEqualTo(Files.readString(expected));
    }

    /** Whoever is given a token for the job service must be let in where the shipped NetworkPolicy is installed. */
    @ParameterizedTest
    @MethodSource("cases")
    void theNetworkPolicyLetsInEveryPodThatIsToAskTheJobService(String name) throws IOException {
        Path directory = ROOT.resolve(name);
        for (ImageVolumeSupport imageVolumes : List.of(IMAGE_VOLUMES, NO_IMAGE_VOLUMES)) {
            ObjectNode pod = read(directory.resolve("pod.yaml"));
            if (!(injection.of(pod.deepCopy(), around(directory, imageVolumes))
                    instanceof AdmissionDecision.Patched patched)) {
                continue;
            }
            JsonNode changed = JsonPatch.apply(patched.operations(), pod);
            boolean asks =
                    changed.at("/spec/volumes").findValuesAsText("audience").contains("fabric-operator-jobs");
            if (asks) {
                JsonNode labels = changed.at("/metadata/labels");
                assertThat(selectorsOfJobService())
                        .anySatisfy(selector -> selector.properties()
                                .forEach(label ->
                                        assertThat(labels.path(label.getKey())).isEqualTo(label.getValue())));
            }
        }
    }

    /** {@code matchLabels} of whom the policy lets in to the job service. */
    private static List<JsonNode> selectorsOfJobService() throws IOException {
        List<JsonNode> selectors = new ArrayList<>();
        try (MappingIterator<JsonNode> policies = YAML.readerFor(JsonNode.class)
                .readValues(Path.of("../config/network-policy/operator.yaml").toFile())) {
            while (policies.hasNext()) {
                JsonNode policy = policies.next();
                if (policy.at("/metadata/name").asText().equals("fabric-operator-jobs")) {
                    policy.at("/spec/ingress/0/from")
                            .forEach(from -> selectors.add(from.at("/podSelector/matchLabels")));
                }
            }
        }
        assertThat(selectors).isNotEmpty().allMatch(JsonNode::isObject);
        return selectors;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aPodThatWasChangedStaysAsItIsAndKeepsItsQosClass(String name) throws IOException {
        Path directory = ROOT.resolve(name);
        for (ImageVolumeSupport imageVolumes : List.of(IMAGE_VOLUMES, NO_IMAGE_VOLUMES)) {
            Injection.Surroundings around = around(directory, imageVolumes);
            ObjectNode pod = read(directory.resolve("pod.yaml"));
            if (injection.of(pod.deepCopy(), around) instanceof AdmissionDecision.Patched patched) {
                ObjectNode changed = (ObjectNode) JsonPatch.apply(patched.operations(), pod);
                assertThat(injection.of(changed, around)).isEqualTo(AdmissionDecision.ALLOWED);
                assertThat(Qos.of(changed.path("spec"))).isEqualTo(Qos.of(pod.path("spec")));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void withImageVolumesContainersKeepTheirNumberResourcesAndSecurity(String name) throws IOException {
        Path directory = ROOT.resolve(name);
        ObjectNode pod = read(directory.resolve("pod.yaml"));
        assumeFalse(pod.at("/spec/containers/0/command").isMissingNode(), "a container that is not launched");
        assumeFalse(pod.at("/spec/hostUsers").isBoolean(), "a pod that cannot have image volumes");
        AdmissionDecision decision = injection.of(pod.deepCopy(), around(directory));
        assumeTrue(decision instanceof AdmissionDecision.Patched, "a pod that stays as it is");
        JsonNode changed = JsonPatch.apply(((AdmissionDecision.Patched) decision).operations(), pod);
        assertThat(changed.at("/spec/containers")).hasSameSizeAs(pod.at("/spec/containers"));
        for (String field : List.of("initContainers", "securityContext", "resources", "restartPolicy")) {
            assertThat(changed.path("spec").path(field))
                    .isEqualTo(pod.path("spec").path(field));
        }
        for (int i = 0; i < pod.at("/spec/containers").size(); i++) {
            JsonNode before = pod.at("/spec/containers").get(i);
            JsonNode after = changed.at("/spec/containers").get(i);
            for (String field : List.of("name", "image", "resources", "securityContext", "lifecycle")) {
                assertThat(after.path(field)).isEqualTo(before.path(field));
            }
        }
        String defaultContainer = "kubectl.kubernetes.io/default-container";
        assertThat(changed.at("/metadata/annotations").path(defaultContainer))
                .isEqualTo(pod.at("/metadata/annotations").path(defaultContainer));
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
        return around(directory, IMAGE_VOLUMES);
    }

    private static Injection.Surroundings around(Path directory, ImageVolumeSupport imageVolumes) throws IOException {
        Path file = directory.resolve("around.yaml");
        ObjectNode around = Files.exists(file) ? read(file) : YAML.createObjectNode();
        return new Injection.Surroundings(
                "jobs",
                around.path("noCertificate").asBoolean() ? null : SERVICE,
                around.has("job") ? job(read(directory.resolve("pod.yaml")), around) : null,
                ContainerBounds.of(around.path("limitRanges")),
                around.path("requirePmix").asBoolean(),
                fabrics(around),
                imageVolumes);
    }

    private static List<FabricFacts> fabrics(JsonNode around) {
        List<FabricFacts> fabrics = new ArrayList<>();
        around.path("fabrics").properties().forEach(entry -> {
            Fabric fabric = new Fabric();
            fabric.getMetadata().setName(entry.getKey());
            fabric.setSpec(YAML.convertValue(entry.getValue(), FabricSpec.class));
            fabrics.add(FabricFacts.of(fabric));
        });
        return fabrics;
    }

    private static @Nullable DirectJob job(ObjectNode pod, ObjectNode around) throws IOException {
        OwnerRef owner = Objects.requireNonNull(OwnerRef.controller(pod));
        try {
            return OwnerJobs.job(
                    "jobs",
                    owner,
                    around.path("job"),
                    other -> around.has(other.kind()) ? around.get(other.kind()) : around.get("jobSet"));
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody waits here", e);
        }
    }

    private static ObjectNode read(Path file) throws JsonProcessingException, IOException {
        return (ObjectNode) YAML.readTree(Files.readString(file));
    }

    /** The rest of the pod gets what it gets without a gate. */
    @Test
    void thePodLosesTheGateOfItsLaunchAndNoOther() throws IOException {
        Path directory = ROOT.resolve("several-ranks");
        ObjectNode plain = read(directory.resolve("pod.yaml"));
        ObjectNode gated = plain.deepCopy();
        ArrayNode gates = gated.withArray("/spec/schedulingGates");
        gates.addObject().put("name", LaunchApi.LAUNCH);

        ArrayNode lifted = operations(gated, directory);
        ArrayNode wanted = operations(plain, directory);
        wanted.add(new ObjectMapper().readTree("{\"op\": \"remove\", \"path\": \"/spec/schedulingGates\"}"));
        assertThat(lifted).containsExactlyInAnyOrderElementsOf(wanted);

        gates.removeAll().addObject().put("name", "example.org/quota");
        gates.addObject().put("name", LaunchApi.LAUNCH);
        assertThat(operations(gated, directory).toString())
                .contains(
                        "{\"op\":\"replace\",\"path\":\"/spec/schedulingGates\",\"value\":[{\"name\":\"example.org/quota\"}]}");
    }

    private ArrayNode operations(ObjectNode pod, Path directory) throws IOException {
        return (ArrayNode) ((AdmissionDecision.Patched) injection.of(pod, around(directory))).operations();
    }

    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aMountPathOfManySlashesIsDecidedAtOnce() throws IOException {
        Path directory = ROOT.resolve("several-ranks");
        ObjectNode pod = read(directory.resolve("pod.yaml"));
        ObjectNode mount = ((ObjectNode) pod.at("/spec/containers/0"))
                .withArray("volumeMounts")
                .addObject();
        mount.put("name", "x").put("mountPath", "/".repeat(1_000_000) + "x");
        assertThat(injection.of(pod, around(directory))).isInstanceOf(AdmissionDecision.Patched.class);
    }

    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aQuantityOfManyDigitsIsDecidedAtOnce() throws IOException {
        Path directory = ROOT.resolve("several-ranks");
        ObjectNode pod = read(directory.resolve("pod.yaml"));
        ((ObjectNode) pod.at("/spec/containers/0"))
                .withObject("/resources/limits")
                .put("memory", "9".repeat(4_000_000))
                .put("cpu", "1e2147483647");
        assertThat(injection.of(pod, around(directory))).isInstanceOf(AdmissionDecision.Patched.class);
    }

    @Test
    void thePatchOfACommandOfManyWordsIsNoLongerThanThese() throws IOException {
        Path directory = ROOT.resolve("several-ranks");
        ObjectNode pod = read(directory.resolve("pod.yaml"));
        ObjectNode container = (ObjectNode) pod.at("/spec/containers/0");
        for (int word = 0; word < 30_000; word++) {
            container.withArray("command").add("c");
            container.withArray("args").add("a");
        }
        AdmissionDecision decision = injection.of(pod, around(directory));
        assertThat(decision).isInstanceOfSatisfying(AdmissionDecision.Patched.class, patched -> {
            assertThat(patched.operations().toString())
                    .hasSizeLessThan(pod.toString().length() + 10_000);
            assertThat(JsonPatch.apply(patched.operations(), pod).at("/spec/containers/0/command"))
                    .hasSizeGreaterThan(60_000);
        });
    }
}
