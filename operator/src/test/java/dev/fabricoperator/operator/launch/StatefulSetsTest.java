/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatefulSetsTest {
    private static final OwnerRef SET = new OwnerRef("apps/v1", "StatefulSet", "ring", "set-uid");
    private static final String PARALLEL = "podManagementPolicy: Parallel";
    private static final String DIRECT = "fabric-operator.dev/launch: direct";

    private static DirectJob job(String metadata, String spec, String annotations) throws JsonProcessingException {
        return StatefulSets.KIND.job(
                "space", SET, new ObjectMapper(new YAMLFactory()).readTree("""
                metadata: {%s}
                spec: {%s, template: {metadata: {annotations: {%s}}}}
                """.formatted(metadata, spec, annotations)));
    }

    private static @Nullable PodSlot slot(String pod) {
        return StatefulSets.KIND
                .podOwner(SET, OwnerObjects.json(Map.of()))
                .places()
                .slot(PodFact.of(new PodBuilder()
                        .withNewMetadata()
                        .withNamespace("space")
                        .withName(pod)
                        .withUid("pod-uid")
                        .addToLabels("apps.kubernetes.io/pod-index", "1")
                        .endMetadata()
                        .build()));
    }

    @ParameterizedTest
    @CsvSource({
        "ring-0,0",
        "ring-12,12",
        "ring-01,-1",
        "ring--1,-1",
        "ring-+1,-1",
        "ring-,-1",
        "ring-a,-1",
        "other-1,-1"
    })
    void aPodHasItsPlaceInItsNameWhateverItsLabelsSay(String name, int index) {
        assertThat(slot(name))
                .isEqualTo(index < 0 ? null : new PodSlot(new JobKey("space", "set-uid"), SET, null, 0, index));
    }

    @Test
    void itsReplicasAreThePodsOfOneApp() throws JsonProcessingException {
        DirectJob job = job("", PARALLEL + ", replicas: 3", DIRECT + ", fabric-operator.dev/ranks-per-pod: '4'");

        assertThat(job.refusal()).isNull();
        assertThat(job.apps()).containsExactly(new DirectJob.App("ring", 1, 3, 4));
        assertThat(job.ordinal(new PodSlot(job.key(), SET, null, 0, 2))).isEqualTo(2);
        assertThat(job.ordinal(new PodSlot(job.key(), SET, null, 0, 3))).isEqualTo(-1);
        assertThat(job("", PARALLEL, DIRECT).pods()).as("by default").isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                                                | replicas: 2                          | spec.podManagementPolicy: Parallel
            ''                                                | podManagementPolicy: OrderedReady    | spec.podManagementPolicy: Parallel
            ''                                                | podManagementPolicy: Parallel, ordinals: {start: 3} | leave out spec.ordinals.start
            'ownerReferences: [{apiVersion: v1, kind: Pod, name: l-0, uid: u, controller: true}]' | podManagementPolicy: Parallel | remove it from metadata.ownerReferences
            """)
    void whatCannotBeLaunchedIsSaidAndWhatToChange(String metadata, String spec, String change)
            throws JsonProcessingException {
        assertThat(job(metadata, spec, DIRECT).refusal())
                .startsWith("StatefulSet ring ")
                .contains(change);
    }

    @Test
    void oneThatAnotherOperatorHasMadeIsLaunched() throws JsonProcessingException {
        String owner =
                "ownerReferences: [{apiVersion: example.org/v1, kind: Model, name: m, uid: u, controller: true}]";
        assertThat(job(owner, PARALLEL, DIRECT).refusal()).isNull();
    }

    @Test
    void itEndsOnlyWhereItIsToHaveNoPods() throws JsonProcessingException {
        var mapper = new ObjectMapper(new YAMLFactory());
        assertThat(StatefulSets.KIND.end(SET, mapper.readTree("spec: {replicas: 2}")))
                .isNull();
        assertThat(StatefulSets.KIND.end(SET, mapper.readTree("spec: {}"))).isNull();
        assertThat(StatefulSets.KIND.end(SET, mapper.readTree("spec: {replicas: 0}")))
                .isEqualTo(new JobEnd(false, "StatefulSet ring has spec.replicas: 0"));
    }

    @Test
    void anAttemptOfAnotherSizeIsAnotherJobs() throws JsonProcessingException {
        DirectJob two = job("", PARALLEL + ", replicas: 2", DIRECT);

        assertThat(two.asksForTheSame(job("", PARALLEL + ", replicas: 2", DIRECT)))
                .isTrue();
        assertThat(two.asksForTheSame(job("", PARALLEL + ", replicas: 3", DIRECT)))
                .isFalse();
        assertThat(two.asksForTheSame(
                        job("", PARALLEL + ", replicas: 2", DIRECT + ", fabric-operator.dev/rank-order: topology")))
                .isFalse();
    }
}
