/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import static dev.fabricoperator.e2e.job.JobCase.now;
import static dev.fabricoperator.e2e.job.JobCase.report;
import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.ClassNamespace;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.PodReport;
import dev.fabricoperator.protocol.job.RunRequest;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that are given another size between two attempts. */
@WithControlPlane(needs = Component.CONTROLLER_MANAGER)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ResizedJobsTest {
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

    @TempDir
    static Path directory;

    private JobCase jobs;
    private String namespace;
    private URI service;

    @BeforeAll
    void start(ControlPlane controlPlane, @ClassNamespace String name) {
        namespace = name;
        jobs = new JobCase(controlPlane, directory);
        service = jobs.startServer(Map.of("FABRIC_OPERATOR_JOBS_HOLD", "2s")).jobs();
    }

    @AfterAll
    void stop() {
        jobs.close();
    }

    private JobMap joined(List<Pod> all) throws Exception {
        List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
        // Those that the job may not have had before come first.
        for (Pod pod : all.reversed()) {
            answers.add(jobs.side(service, pod).joinUntilAnswered(report(JobCase.index(pod), 0, -1, 1)));
        }
        for (var answer : answers) {
            now(answer);
        }
        return PodSide.map(now(answers.getFirst()));
    }

    /** As Kueue does where it admits a part of a Job. */
    @Test
    void aJobThatIsSuspendedWhileItRunsIsResumedWithMoreOrFewerPods() throws Exception {
        Node node = jobs.createNode("resized");
        Job job = jobs.createJobOnNode(namespace, "resized", 2, "resized");
        List<Pod> before = jobs.pods(job, 2);
        assertThat(joined(before).size()).isEqualTo(2);

        int attempt = 0;
        for (int size : new int[] {3, 1}) {
            jobs.admin.resource(job).patch(MERGE, "{\"spec\": {\"suspend\": true}}");
            jobs.pods(job, 0);
            for (Pod gone : before) {
                PodSide side = jobs.side(service, gone);
                if (size == 3) {
                    // As a kubelet does that has had the time to end it.
                    jobs.admin
                            .resource(gone)
                            .subresource("status")
                            .patch(MERGE, "{\"status\": {\"phase\": \"Failed\"}}");
                }
                jobs.admin.resource(gone).withGracePeriod(0).delete();
                eventually(() -> assertThat(now(side.watch(0)).statusCode())
                        .as("the job service has heard of it")
                        .isIn(401, 403));
            }
            jobs.admin
                    .resource(job)
                    .patch(
                            MERGE,
                            "{\"spec\": {\"suspend\": false, \"completions\": %d, \"parallelism\": %d}}"
                                    .formatted(size, size));
            before = jobs.pods(job, size);
            JobMap map = joined(before);
            assertThat(map.size()).isEqualTo(size);
            assertThat(map.attempt()).isEqualTo(++attempt);
        }
        jobs.admin.resource(node).delete();
    }

    /** What a pod is told that its owner may ask for by now, which is read once a second. */
    private static HttpResponse<byte[]> told(PodSide pod, PodReport report) {
        return Awaitility.await()
                .atMost(LIMIT)
                .until(() -> now(pod.join(report)), answer -> answer.statusCode() != 503);
    }

    private void scale(Job job, int pods) {
        jobs.admin
                .resource(job)
                .patch(MERGE, "{\"spec\": {\"completions\": %1$d, \"parallelism\": %1$d}}".formatted(pods));
    }

    @Test
    void aPodOfAJobThatIsScaledWhileAnAttemptRunsWaitsForTheNextOneAndEndsNothing() throws Exception {
        Node node = jobs.createNode("scaled");
        Job job = jobs.createJobOnNode(namespace, "scaled", 2, "scaled");
        List<Pod> before = jobs.pods(job, 2);
        assertThat(joined(before).size()).isEqualTo(2);

        scale(job, 3);
        Pod extra = jobs.pods(job, 3).getLast();
        PodSide late = jobs.side(service, extra);
        HttpResponse<byte[]> answer = told(late, report(2, 0, -1, 1));
        assertThat(answer.statusCode()).as(PodSide.text(answer)).isEqualTo(202);
        assertThat(now(jobs.side(service, before.getFirst()).watch(0)).statusCode())
                .as("the attempt")
                .isEqualTo(204);

        var waiting = late.joinUntilAnswered(report(2, 0, -1, 1));
        Pod lost = before.getFirst();
        jobs.admin.resource(lost).withGracePeriod(0).delete();
        eventually(() -> assertThat(jobs.pods(job, 3).getFirst().getMetadata().getUid())
                .isNotEqualTo(lost.getMetadata().getUid()));
        var replacement = jobs.side(service, jobs.pods(job, 3).getFirst()).joinUntilAnswered(report(0, 1, -1, 1));
        var survivor = jobs.side(service, before.getLast()).joinUntilAnswered(report(1, 0, 0, 1));
        JobMap map = PodSide.map(now(waiting));
        assertThat(map.size()).isEqualTo(3);
        assertThat(map.attempt()).isEqualTo(1);
        assertThat(now(replacement).body()).isEqualTo(now(survivor).body());
        jobs.admin.resource(node).delete();
    }

    /** What can never come is not waited for. */
    @Test
    void podsThatWaitForOthersBeginWithoutThoseThatTheirJobWantsNoMore() throws Exception {
        Node node = jobs.createNode("smaller");
        Job job = jobs.createJobOnNode(namespace, "smaller", 3, "smaller");
        List<Pod> pods = jobs.pods(job, 3).subList(0, 2);
        List<CompletableFuture<HttpResponse<byte[]>>> waiting = new ArrayList<>();
        for (Pod pod : pods) {
            waiting.add(jobs.side(service, pod).joinUntilAnswered(report(JobCase.index(pod), 0, -1, 1)));
        }
        assertThat(jobs.fabricJob(job, JobPhase.Assembling).getStatus().missing())
                .isNotEmpty();

        scale(job, 2);

        for (var answer : waiting) {
            JobMap map = PodSide.map(now(answer));
            assertThat(map.size()).isEqualTo(2);
            assertThat(map.attempt()).isZero();
        }
        jobs.admin.resource(node).delete();
    }

    @Test
    void aPodThatWaitedForAnAttemptWhichCompletedTheJobIsToldSo() throws Exception {
        Node node = jobs.createNode("completed");
        Job job = jobs.createJobOnNode(namespace, "completed", 1, "completed");
        Pod only = jobs.pods(job, 1).getFirst();
        assertThat(joined(List.of(only)).size()).isEqualTo(1);
        scale(job, 2);
        PodSide late = jobs.side(service, jobs.pods(job, 2).getLast());
        assertThat(told(late, report(1, 0, -1, 1)).statusCode()).isEqualTo(202);
        var waiting = late.joinUntilAnswered(report(1, 0, -1, 1));

        assertThat(jobs.side(service, only).event(0, "finished 0")).isEqualTo(204);
        HttpResponse<byte[]> answer = now(waiting);
        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(PodSide.text(answer))
                .contains("has index 1, which Job completed did not have in the attempt that it has completed");
        jobs.admin.resource(node).delete();
    }

    private OwnerReference createMpiJob(String name, int workers) {
        GenericKubernetesResource made = jobs.admin
                .genericKubernetesResources(MpiOperator.JOB)
                .inNamespace(namespace)
                .load(new ByteArrayInputStream(
                        """
                        apiVersion: kubeflow.org/v2beta1
                        kind: MPIJob
                        metadata: {namespace: %1$s, name: %2$s}
                        spec:
                          slotsPerWorker: 2
                          mpiReplicaSpecs:
                            Launcher:
                              replicas: 1
                              template: &template
                                metadata: {annotations: {fabric-operator.dev/launch: direct}}
                                spec: {containers: [{name: ranks, image: none}]}
                            Worker:
                              replicas: %3$d
                              template: *template
                        """.formatted(namespace, name, workers).getBytes(StandardCharsets.UTF_8)))
                .create();
        return new OwnerReferenceBuilder()
                .withApiVersion(made.getApiVersion())
                .withKind(made.getKind())
                .withName(name)
                .withUid(made.getMetadata().getUid())
                .withController(true)
                .build();
    }

    private void setWorkers(OwnerReference mpiJob, int workers) {
        jobs.admin
                .genericKubernetesResources(MpiOperator.JOB)
                .inNamespace(namespace)
                .withName(mpiJob.getName())
                .patch(MERGE, "{\"spec\": {\"mpiReplicaSpecs\": {\"Worker\": {\"replicas\": %d}}}}".formatted(workers));
    }

    /** The MPI Operator's part. */
    private PodSide createWorker(OwnerReference mpiJob, int index) {
        return jobs.side(
                service,
                jobs.createPod(
                        namespace,
                        mpiJob.getName() + "-worker-" + index,
                        Map.of(LaunchApi.LAUNCH, LaunchApi.DIRECT),
                        mpiJob));
    }

    private Job createLauncher(OwnerReference mpiJob) {
        return jobs.admin
                .resource(new JobBuilder(PlayedJobs.job(namespace, mpiJob.getName() + "-launcher", 1, Map.of()))
                        .editMetadata()
                        .withOwnerReferences(mpiJob)
                        .endMetadata()
                        .build())
                .create();
    }

    /** @param call of mpirun, each a process of its own */
    private static CompletableFuture<HttpResponse<byte[]>> mpirun(PodSide launcher, int call, int ranks) {
        return launcher.joinUntilAnswered(report(0, call, -1, 0).asking(new RunRequest(ranks, 0, false)));
    }

    private static CompletableFuture<HttpResponse<byte[]>> waits(PodSide worker, int index, int after) {
        return worker.joinUntilAnswered(report(1 + index, 0, after, 2));
    }

    @Test
    void runsOfAnMpiJobAreJudgedByTheWorkersThatItHasNow() throws Exception {
        Assumptions.assumeTrue(MpiOperator.directory().isPresent(), "no MPI Operator: run \"make setup\" as root");
        Manifests.applyCustomResources(jobs.admin, MpiOperator.directory().get().resolve("mpi-operator.crd.yaml"));
        OwnerReference mpiJob = createMpiJob("runs", 1);
        PodSide first = createWorker(mpiJob, 0);
        Job launcher = createLauncher(mpiJob);
        Pod pod = jobs.pods(launcher, 1).getFirst();
        PodSide calls = jobs.side(service, pod);
        var waiting = waits(first, 0, -1);
        assertThat(PodSide.map(now(mpirun(calls, 1, 2))).size()).isEqualTo(2);
        now(waiting);

        // In one moment, so that the job was read just before.
        assertThat(now(calls.join(report(0, 2, -1, 0).asking(new RunRequest(3, 0, false))))
                        .statusCode())
                .isEqualTo(409);
        setWorkers(mpiJob, 2);
        var run = mpirun(calls, 2, 4);
        PodSide second = createWorker(mpiJob, 1);
        waiting = waits(second, 1, -1);
        eventually(() -> assertThat(now(first.watch(0)).statusCode()).isEqualTo(205));
        var other = waits(first, 0, 0);
        assertThat(PodSide.map(now(run)).size()).isEqualTo(4);
        assertThat(PodSide.map(now(run)).attempt()).isEqualTo(1);
        now(waiting);
        now(other);

        // While a run goes on.
        setWorkers(mpiJob, 3);
        PodSide third = createWorker(mpiJob, 2);
        HttpResponse<byte[]> answer = told(third, report(3, 0, -1, 2));
        assertThat(answer.statusCode()).as(PodSide.text(answer)).isEqualTo(202);
        var late = waits(third, 2, -1);
        assertThat(now(calls.join(report(0, 2, -1, 0).asking(new RunRequest(4, 0, false))))
                        .statusCode())
                .as("the same call asks again")
                .isEqualTo(200);
        assertThat(now(first.watch(1)).statusCode()).as("the run").isEqualTo(204);

        // Another launcher, with the run of the last one not ended yet as far as anybody knows.
        jobs.admin.resource(pod).withGracePeriod(0).delete();
        eventually(
                () -> assertThat(jobs.pods(launcher, 1).getFirst().getMetadata().getUid())
                        .isNotEqualTo(pod.getMetadata().getUid()));
        run = mpirun(jobs.side(service, jobs.pods(launcher, 1).getFirst()), 1, 6);
        eventually(() -> assertThat(now(first.watch(1)).statusCode()).isEqualTo(205));
        List.of(waits(first, 0, 1), waits(second, 1, 1));
        assertThat(PodSide.map(now(run)).size()).isEqualTo(6);
        assertThat(PodSide.map(now(run)).attempt()).isEqualTo(2);
        assertThat(now(late).statusCode())
                .as("the worker that came while a run went on")
                .isEqualTo(200);

        // A refusal that stands: nobody asks for such a worker.
        PodSide stranger = createWorker(mpiJob, 7);
        eventually(() -> {
            HttpResponse<byte[]> refused = now(stranger.join(report(8, 0, -1, 2)));
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(PodSide.text(refused)).contains("has index 7, which MPIJob runs does not have");
        });
    }
}
