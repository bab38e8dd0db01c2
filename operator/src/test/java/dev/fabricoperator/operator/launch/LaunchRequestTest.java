/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.launch.LaunchRequest.InvalidAnnotationException;
import dev.fabricoperator.protocol.job.JobLimits;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpecBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LaunchRequestTest {
    private static final OwnerRef OWNER =
            new OwnerRef("batch/v1", "Job", "ring", "0123abcd-4567-89ab-cdef-0123456789ab");

    private static Map<String, String> direct(String annotation, String value) {
        Map<String, String> annotations = new HashMap<>(Map.of(LaunchApi.LAUNCH, LaunchApi.DIRECT));
        annotations.put(annotation, value);
        return annotations;
    }

    private static JobSpec spec(Map<String, String> annotations) {
        return new JobSpecBuilder()
                .withCompletions(2)
                .withParallelism(2)
                .withCompletionMode("Indexed")
                .withNewTemplate()
                .withNewMetadata()
                .withAnnotations(annotations)
                .endMetadata()
                .endTemplate()
                .build();
    }

    @ParameterizedTest
    @CsvSource({"'4 ', 4", "' 16', 16", "004, 4", "1024, 1024"})
    void anAnnotationThatAdmissionTakesMeansTheSameToTheJobService(String value, int ranks)
            throws InvalidAnnotationException {
        Map<String, String> annotations = direct(LaunchApi.RANKS_PER_POD, value);

        assertThat(LaunchRequest.of(annotations)).extracting("ranksPerPod").isEqualTo(ranks);
        for (DirectJob facts : List.of(
                OwnerObjects.indexedJob(OWNER, spec(annotations)),
                OwnerObjects.jobSet(OWNER, new OwnerObjects.Replicated("w", 1, spec(annotations))))) {
            assertThat(facts.refusal()).isNull();
            assertThat(facts.ranks()).isEqualTo(2 * ranks);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ranks-per-pod, 1025",
        "ranks-per-pod, 0",
        "ranks-per-pod, +4",
        "assembly-timeout, soon",
        "assembly-timeout, 721h",
        "rank-order, best",
        "group-size, 0",
        "group-size, many",
        "fabric, ''",
        "fabric, 'ib,,roce'",
        "fabric, 'ib,ib'",
        "fabric, Ib",
        "required, yes",
    })
    void anAnnotationThatAdmissionRefusesIsRefusedByTheJobServiceWithTheSameSentence(String name, String value) {
        Map<String, String> annotations = direct("fabric-operator.dev/" + name, value);

        assertThatThrownBy(() -> LaunchRequest.of(annotations))
                .isInstanceOf(InvalidAnnotationException.class)
                .hasMessageStartingWith("the annotation fabric-operator.dev/" + name + " is \"" + value + "\": write ")
                .satisfies(e -> assertThat(OwnerObjects.indexedJob(OWNER, spec(annotations))
                                .refusal())
                        .isEqualTo("Job ring: " + e.getMessage()))
                .satisfies(e -> assertThat(
                                OwnerObjects.jobSet(OWNER, new OwnerObjects.Replicated("w", 1, spec(annotations)))
                                        .refusal())
                        .isEqualTo("ReplicatedJob w: " + e.getMessage()));
    }

    @ParameterizedTest
    @CsvSource({"90, 90", "90s, 90", "1m30s, 90", "' 1h ', 3600", "720h, 2592000"})
    void anAssemblyTimeoutIsSecondsOrHasUnits(String value, long seconds) throws InvalidAnnotationException {
        assertThat(LaunchRequest.of(direct(LaunchApi.ASSEMBLY_TIMEOUT, value)))
                .extracting("assemblyTimeout")
                .isEqualTo(Duration.ofSeconds(seconds));
    }

    @ParameterizedTest
    @CsvSource({"4, 8, topology", "4, 2, topology", "4, 4, topology", "4, 1, index"})
    void groupsOfRanksAreOfWholePodsOrWithinOneAndOrderedByTheFabric(String inPod, String size, RankOrder order)
            throws InvalidAnnotationException {
        Map<String, String> annotations = new HashMap<>(direct(LaunchApi.RANKS_PER_POD, inPod));
        annotations.put(LaunchApi.GROUP_SIZE, size);
        assertThat(LaunchRequest.of(annotations)).extracting("rankOrder").isEqualTo(order);
        annotations.put(LaunchApi.GROUP_SIZE, "6");
        assertThatThrownBy(() -> LaunchRequest.of(annotations))
                .hasMessage("the annotation fabric-operator.dev/group-size is \"6\": write a number of ranks that is a"
                        + " multiple or a divisor of fabric-operator.dev/ranks-per-pod, which is 4");
        annotations.put(LaunchApi.GROUP_SIZE, "8");
        annotations.put(LaunchApi.RANK_ORDER, "index");
        assertThatThrownBy(() -> LaunchRequest.of(annotations))
                .hasMessage(
                        "the annotation fabric-operator.dev/rank-order is \"index\": write topology, or leave it out:"
                                + " fabric-operator.dev/group-size orders ranks by the fabric");
    }

    @Test
    void fabricsAreNamedInTheOrderInWhichTheyAreUsed() throws InvalidAnnotationException {
        assertThat(LaunchRequest.of(direct(LaunchApi.FABRIC, "roce-1, ib.2")))
                .extracting("fabrics")
                .isEqualTo(List.of("roce-1", "ib.2"));
    }

    @Test
    void anAnnotationThatIsNotKnownIsNamedWithThoseThatAre() {
        assertThat(LaunchRequest.warnings(direct(LaunchApi.RANKS_PER_POD, "2"))).isEmpty();
        assertThat(LaunchRequest.warnings(
                        Map.of(LaunchApi.DEVICE_VARIABLE + "UCX_NET_DEVICES", "", "example/launch", "x")))
                .isEmpty();
        assertThat(LaunchRequest.warnings(direct("fabric-operator.dev/rank-per-pod", "2")))
                .containsExactly(
                        "nothing is known of the annotation fabric-operator.dev/rank-per-pod, which changes nothing; behind"
                                + " fabric-operator.dev/ there may be assembly-timeout, bind, container, fabric, group-size, host-network,"
                                + " inject-devices, inject-env, inject-pmix, launch, qos, rank-order, ranks-per-pod, required");
        Map<String, String> many = new HashMap<>();
        IntStream.range(0, 1000).forEach(number -> many.put("fabric-operator.dev/x" + number, ""));
        assertThat(LaunchRequest.warnings(many)).singleElement().asString().contains("x0, ", " and 997 more");
    }

    /** That the launcher takes as many is tested beside the constant. */
    @Test
    void aFabricJobTakesAsManyRanksPerPodAsAdmissionAllows() throws IOException {
        JsonNode schema = new ObjectMapper(new YAMLFactory())
                .readTree(Files.readString(Path.of("../config/crd/fabricjobs.fabric-operator.dev.yaml")));

        assertThat(schema.findValue("ranksPerPod").path("maximum").asInt()).isEqualTo(JobLimits.RANKS_PER_POD);
    }
}
