/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MpiJobsTest {
    private static final OwnerRef MPI_JOB = new OwnerRef("kubeflow.org/v2beta1", "MPIJob", "pi", "mpi-uid");
    private static final String DIRECT = "metadata: {annotations: {fabric-operator.dev/launch: direct}}";

    private static JsonNode yaml(String text) throws JsonProcessingException {
        return new ObjectMapper(new YAMLFactory()).readTree(text);
    }

    private static DirectJob job(String launcher, String worker, String more) throws JsonProcessingException {
        return MpiJobs.KIND.job("space", MPI_JOB, yaml("""
                spec:
                  mpiReplicaSpecs:
                    Launcher: {replicas: 1, template: {%s}}
                    Worker: {replicas: 3, template: {%s}}
                  %s
                """.formatted(launcher, worker, more)));
    }

    @Test
    void theLaunchersPodIsBeforeTheWorkersAndHasNoRanks() throws JsonProcessingException {
        DirectJob job = job(DIRECT, DIRECT, "slotsPerWorker: 4");

        assertThat(job.refusal()).isNull();
        assertThat(job.isRunByMpirun()).isTrue();
        assertThat(job.pods()).isEqualTo(4);
        assertThat(job.ranks()).isEqualTo(12);
        assertThat(job.ordinal(new PodSlot(job.key(), MPI_JOB, "launcher", 0, 0)))
                .isZero();
        assertThat(job.ordinal(new PodSlot(job.key(), MPI_JOB, "worker", 0, 2))).isEqualTo(3);
        assertThat(job.ordinal(new PodSlot(job.key(), MPI_JOB, "worker", 0, 3))).isEqualTo(-1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    runLauncherAsWorker: true | has spec.runLauncherAsWorker
                    mpiImplementation: Other  | has spec.mpiImplementation: Other, whose mpirun the launcher does not know
                    slotsPerWorker: 2000      | has spec.slotsPerWorker: 2000, and a direct launch takes 1 to 1024
                    """)
    void whatCannotBeLaunchedIsSaid(String field, String words) throws JsonProcessingException {
        assertThat(job(DIRECT, DIRECT, field).refusal()).startsWith("MPIJob pi " + words);
    }

    @ParameterizedTest
    @ValueSource(strings = {"OpenMPI", "Intel", "MPICH"})
    void allThatTheMpiOperatorKnowsAreLaunched(String library) throws JsonProcessingException {
        assertThat(job(DIRECT, DIRECT, "mpiImplementation: " + library).refusal())
                .isNull();
    }

    @Test
    void bothTemplatesMustAsk() throws JsonProcessingException {
        assertThat(job(DIRECT, "", "").refusal()).contains("in the template of the launcher only");
        assertThat(job("", DIRECT, "").refusal()).contains("in the template of the worker only");
        assertThat(job("", "", "").refusal()).contains("asks for no direct launch in its templates by now");
    }

    private static PodFact pod(String name, Map<String, String> labels) {
        return PodFact.of(new PodBuilder()
                .withNewMetadata()
                .withNamespace("space")
                .withName(name)
                .withUid("pod-uid")
                .withLabels(labels)
                .endMetadata()
                .build());
    }

    @ParameterizedTest
    @CsvSource({
        "pi-worker-0,0",
        "pi-worker-12,12",
        "pi-worker-01,-1",
        "pi-worker-,-1",
        "other-worker-0,-1",
        "pi-launcher,-1"
    })
    void aWorkerHasItsPlaceInItsName(String name, int index) {
        PodSlot slot = MpiJobs.KIND
                .podOwner(MPI_JOB, OwnerObjects.json(Map.of()))
                .places()
                .slot(pod(name, Map.of()));
        assertThat(slot)
                .isEqualTo(index < 0 ? null : new PodSlot(new JobKey("space", "mpi-uid"), MPI_JOB, "worker", 0, index));
    }

    private static @Nullable PodSlot ofLauncher(String job, Map<String, String> labels) throws JsonProcessingException {
        JsonNode object = yaml("""
                metadata:
                  ownerReferences: [{apiVersion: kubeflow.org/v2beta1, kind: MPIJob, name: pi, uid: mpi-uid, controller: true}]
                spec: {selector: {matchLabels: {batch.kubernetes.io/controller-uid: job-uid}}}
                """);
        return IndexedJobs.KIND
                .podOwner(new OwnerRef("batch/v1", "Job", job, "job-uid"), object)
                .places()
                .slot(pod("pi-launcher-abcde", labels));
    }

    @Test
    void theLaunchersPodIsThatOfTheJobThatTheMpiJobMakes() throws JsonProcessingException {
        Map<String, String> selected = Map.of("batch.kubernetes.io/controller-uid", "job-uid");
        assertThat(ofLauncher("pi-launcher", selected))
                .isEqualTo(new PodSlot(new JobKey("space", "mpi-uid"), MPI_JOB, "launcher", 0, 0));
        assertThat(ofLauncher("pi-launcher", Map.of())).isNull();
        assertThat(ofLauncher("another", selected)).isNull();
    }

    @Test
    void itEndsWithTheMpiJob() throws JsonProcessingException {
        JsonNode running =
                yaml("status: {conditions: [{type: Running, status: 'True'}, {type: Failed, status: 'False'}]}");
        assertThat(MpiJobs.KIND.end(MPI_JOB, running)).isNull();
        JsonNode failed = yaml("status: {conditions: [{type: Failed, status: 'True', message: no retry left}]}");
        assertThat(MpiJobs.KIND.end(MPI_JOB, failed))
                .isEqualTo(new JobEnd(false, "MPIJob pi has failed: no retry left"));
    }
}
