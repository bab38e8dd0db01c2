/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VolcanoJobsTest {
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final OwnerRef OWNER = new OwnerRef("batch.volcano.sh/v1alpha1", "Job", "ring", "0123abcd-vc");
    private static final String FAILED = "policies: [{event: PodFailed, action: RestartJob}]";
    private static final String DIRECT = """
            {metadata: {annotations: {fabric-operator.dev/launch: direct}}, spec: {restartPolicy: Never}}""";

    private static DirectJob job(String spec) {
        try {
            JsonNode object = YAML.createObjectNode().set("spec", YAML.readTree(spec));
            return VolcanoJobs.KIND.job("space", OWNER, object);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static @Nullable PodSlot slot(DirectJob job, String pod) {
        PodFact fact = PodFact.of(new PodBuilder()
                .withNewMetadata()
                .withNamespace("space")
                .withName(pod)
                .withUid("pod-uid")
                // None of which counts.
                .withLabels(Map.of(
                        "volcano.sh/job-name", "victim",
                        "volcano.sh/task-spec", "driver",
                        "volcano.sh/task-index", "0",
                        "batch.kubernetes.io/job-completion-index", "1"))
                .endMetadata()
                .build());
        assertThat(job.owner()).isEqualTo(OWNER);
        return VolcanoJobs.KIND
                .podOwner(OWNER, YAML.createObjectNode())
                .places()
                .slot(fact);
    }

    @Test
    void theTasksThatAskForADirectLaunchAreAppsInTheOrderOfTheSpec() {
        DirectJob job = job("""
                minAvailable: 6
                policies: [{event: PodEvicted, action: RestartTask}, {events: [PodFailed, TaskFailed], action: RestartJob}]
                tasks:
                - {name: logs, replicas: 1, minAvailable: 0, template: {spec: {}}}
                - name: zeta
                  replicas: 4
                  template:
                    metadata: {annotations: {fabric-operator.dev/launch: direct, fabric-operator.dev/ranks-per-pod: "2",
                      fabric-operator.dev/assembly-timeout: 90s, fabric-operator.dev/rank-order: topology}}
                    spec: {restartPolicy: OnFailure}
                - {name: alpha-1, replicas: 2, template: %s}
                """.formatted(DIRECT));

        assertThat(job.refusal()).isNull();
        assertThat(job.apps())
                .containsExactly(new DirectJob.App("zeta", 1, 4, 2), new DirectJob.App("alpha-1", 1, 2, 1));
        assertThat(job.assemblyTimeout()).isEqualTo(Duration.ofSeconds(90));
        assertThat(job.rankOrder()).isEqualTo(RankOrder.topology);
        assertThat(job.nspace(0)).isEqualTo("space.ring-0123abcd-0");
        assertThat(slot(job, "ring-alpha-1-1"))
                .isEqualTo(new PodSlot(new JobKey("space", "0123abcd-vc"), OWNER, "alpha-1", 0, 1))
                .satisfies(slot -> assertThat(job.ordinal(slot)).isEqualTo(5));
        assertThat(slot(job, "ring-zeta-3"))
                .satisfies(slot -> assertThat(job.ordinal(slot)).isEqualTo(3));
        assertThat(slot(job, "ring-zeta-4"))
                .satisfies(slot -> assertThat(job.ordinal(slot)).isEqualTo(-1));
        assertThat(slot(job, "ring-logs-0"))
                .as("it is no app")
                .satisfies(slot -> assertThat(job.ordinal(slot)).isEqualTo(-1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ring",
                "ring-",
                "ring-zeta",
                "ring-0",
                "ring-zeta-",
                "ring-zeta-03",
                "ring-zeta-x",
                "rings-zeta-0",
                "other-zeta-0",
                "ring-zeta-99999999999"
            })
    void aPodThatVolcanoWouldCallOtherwiseHasNoPlaceWhateverItsLabelsSay(String name) {
        assertThat(slot(job(FAILED), name)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "3, , 'minAvailable is 3, and 4 pods are made; set spec.minAvailable to 4'",
        ", , 'minAvailable is 0, and 4 pods are made; set spec.minAvailable to 4'",
        "3, 3, 'minAvailable is 3, and 4 pods are made; set spec.minAvailable to 4'",
        "4, , ",
        "4, 3, ",
    })
    void aJobThatVolcanoMayBeginWithPartOfItsPodsIsRefused(
            @Nullable Integer ofJob, @Nullable Integer ofTask, @Nullable String refusal) {
        DirectJob job = job("""
                %s
                %s
                tasks: [{name: worker, replicas: 4, %s template: %s}]
                """.formatted(
                        FAILED,
                        ofJob == null ? "" : "minAvailable: " + ofJob,
                        ofTask == null ? "" : "minAvailable: " + ofTask + ", ",
                        DIRECT));
        if (refusal == null) {
            assertThat(job.refusal()).isNull();
        } else {
            assertThat(job.refusal())
                    .startsWith("Volcano Job ring can begin with some of its pods")
                    .contains(refusal);
        }
    }

    @Test
    void tasksThatAreNotLaunchedDirectlyMayStayOutsideTheGang() {
        String tasks = """
                %s
                minAvailable: %d
                tasks: [{name: logs, replicas: 3, minAvailable: 1, template: {}}, {name: worker, replicas: 4, template: %s}]
                """;

        assertThat(job(tasks.formatted(FAILED, 5, DIRECT)).refusal()).isNull();
        assertThat(job(tasks.formatted(FAILED, 4, DIRECT)).refusal())
                .as("Volcano then looks at no task's own minAvailable")
                .contains("set spec.minAvailable to 7");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Never | spec | policies: [{event: PodEvicted, action: RestartJob}] | says nothing of pods that fail",
                "Never | spec | policies: [{exitCode: 3, action: RestartJob}] | says nothing of pods that fail",
                "Never | spec | policies: [{event: '*', action: AbortJob}] |",
                "Never | task | policies: [{event: PodFailed, action: RestartTask}] |",
                "OnFailure | spec | policies: [] |",
                "Always | spec | policies: [{event: PodFailed, action: RestartJob}] | has restartPolicy: Always",
            })
    void aTaskWhoseFailedPodsNobodyWouldTendIsRefused(
            String restart, String where, String policies, @Nullable String refusal) {
        boolean ofTask = where.equals("task");
        DirectJob job = job(
                """
                minAvailable: 2
                %s
                tasks: [{name: worker, replicas: 2, %s template: %s}]
                """.formatted(ofTask ? "" : policies, ofTask ? policies + ", " : "", DIRECT.replace("Never", restart)));
        if (refusal == null) {
            assertThat(job.refusal()).isNull();
        } else {
            assertThat(job.refusal()).startsWith("task worker of Volcano Job ring " + refusal);
        }
    }

    @Test
    void aTaskThatWaitsForAnotherIsRefusedAndOneThatIsNoPartOfTheJobMayWait() {
        String tasks = """
                %s
                minAvailable: 2
                tasks:
                - {name: first, replicas: 1, template: %s}
                - {name: second, replicas: 1, dependsOn: {name: [first]}, template: %s}
                """;
        assertThat(job(tasks.formatted(FAILED, DIRECT, DIRECT)).refusal())
                .startsWith("task second of Volcano Job ring has dependsOn");
        assertThat(job(tasks.formatted(FAILED, DIRECT, "{}")).refusal()).isNull();
    }

    @Test
    void aJobOfATemplateThatCannotBeReadOrOfNoneSaysSo() {
        assertThat(job(FAILED + "\ntasks: [{name: worker, replicas: 1, template: {}}]")
                        .refusal())
                .isEqualTo("Volcano Job ring has no task whose template asks for a direct launch");
        assertThat(job("tasks: [{name: worker, replicas: 1, template: {metadata: {annotations:"
                                + " {fabric-operator.dev/launch: direct, fabric-operator.dev/ranks-per-pod: many}}}}]")
                        .refusal())
                .startsWith(
                        "task worker of Volcano Job ring: the annotation fabric-operator.dev/ranks-per-pod is \"many\"");
    }

    @Test
    void theSizeOfAJobIsAddedUpExactlyAndNothingIsKeptOfOneThatIsTooLarge() {
        DirectJob job = job("""
                minAvailable: 2000000000
                %s
                tasks: [{name: a, replicas: 2000000000, template: %s}, {name: b, replicas: 2000000000, template: %s}]
                """.formatted(FAILED, DIRECT, DIRECT));

        assertThat(job.refusal()).startsWith("Volcano Job ring has 4000000000 pods, and a direct launch takes at most");
        assertThat(job.pods()).isZero();
        assertThat(job.apps()).isEmpty();
    }

    @Test
    void volcanoThatEndsTheOtherPodsEarlyIsWarnedAbout() {
        String spec = "minAvailable: 2\nminSuccess: %d\n" + FAILED + "\ntasks: [{name: a, replicas: 2, template: "
                + DIRECT + "}]";
        assertThat(job(spec.formatted(1)).advice().warnings())
                .singleElement()
                .asString()
                .startsWith("Volcano Job ring has minSuccess: as soon as 1 of its pods have completed");
        assertThat(job(spec.formatted(2)).advice().warnings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "Pending,",
        "Running,",
        "Restarting,",
        "Completing, true",
        "Completed, true",
        "Failed, false",
        "Terminating, false",
        "Terminated, false",
        "Aborting, false",
        "Aborted, false",
    })
    void whetherItMakesMorePodsIsInItsPhase(String phase, @Nullable Boolean well) throws IOException {
        JsonNode object = YAML.readTree("status: {state: {phase: " + phase + "}}");
        assertThat(VolcanoJobs.KIND.end(OWNER, object))
                .isEqualTo(well == null ? null : new JobEnd(well, "Volcano Job ring has ended: " + phase));
        assertThat(VolcanoJobs.KIND.end(OWNER, YAML.createObjectNode())).isNull();
    }
}
