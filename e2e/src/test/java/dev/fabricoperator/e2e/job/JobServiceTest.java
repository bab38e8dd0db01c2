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

import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.JobAppSpec;
import dev.fabricoperator.crds.JobClients;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.crds.PortImpairment;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ServiceAccountTokens;
import dev.fabricoperator.e2e.junit.ClassNamespace;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.SmallFabric;
import dev.fabricoperator.fabric.traffic.LinkFault;
import dev.fabricoperator.protocol.job.FabricDifference;
import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.job.PodReport;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Pods find each other through a real server, a real API server's word on their tokens, and nothing else. */
@WithControlPlane(needs = Component.CONTROLLER_MANAGER)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JobServiceTest {
    /** Controllers write to the same objects. */
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

    @TempDir
    static Path directory;

    private JobCase jobs;
    private String namespace;
    private OperatorProcess server;

    @BeforeAll
    void start(ControlPlane controlPlane, @ClassNamespace String name) {
        namespace = name;
        jobs = new JobCase(controlPlane, directory);
        server = jobs.startServer(Map.of("FABRIC_OPERATOR_JOBS_HOLD", "2s"));
    }

    @AfterAll
    void stop() {
        jobs.close();
    }

    private URI service() {
        return server.jobs();
    }

    private List<CompletableFuture<HttpResponse<byte[]>>> joinAll(List<Pod> pods, int after, int ranks) {
        List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
        for (Pod pod : pods) {
            answers.add(jobs.side(service(), pod).joinUntilAnswered(report(JobCase.index(pod), 0, after, ranks)));
        }
        return answers;
    }

    @Test
    void everyPodGetsTheSameMapOnceTheJobIsWhole() throws Exception {
        Job job = jobs.createJob(namespace, "whole", 4, Map.of("fabric-operator.dev/ranks-per-pod", "2"));
        List<Pod> pods = jobs.pods(job, 4);
        var early = jobs.side(service(), pods.get(2)).join(report(2, 0, -1, 2));

        assertThat(now(early).statusCode()).as("held, and then: not yet").isEqualTo(204);

        HashSet<String> bytes = new HashSet<>();
        for (var answer : joinAll(pods, -1, 2)) {
            bytes.add(new String(now(answer).body(), StandardCharsets.ISO_8859_1));
        }
        assertThat(bytes).hasSize(1);
        JobMap map = PodSide.map(now(jobs.side(service(), pods.getFirst()).join(report(0, 0, -1, 2))));
        String uid = job.getMetadata().getUid().substring(0, 8);
        assertThat(map.nspace()).isEqualTo(namespace + ".whole-" + uid + "-0");
        assertThat(map.size()).isEqualTo(8);
        assertThat(map.pods())
                .extracting(JobPod::name)
                .containsExactlyElementsOf(
                        pods.stream().map(pod -> pod.getMetadata().getName()).toList());
        assertThat(map.pods()).extracting(JobPod::firstRank).containsExactly(0, 2, 4, 6);
        assertThat(map.pods().get(3).address()).containsExactly(10, 0, 0, 3);
    }

    @Test
    void aTokenProvesOnePodForOneAudienceOrNothing() throws Exception {
        Job job = jobs.createJob(namespace, "tokens", 2, Map.of());
        Pod pod = jobs.pods(job, 2).getFirst();
        PodSide nobody = new PodSide(jobs.http, service(), null);
        PodSide garbage = new PodSide(jobs.http, service(), "not.a.token");
        PodSide elsewhere = new PodSide(jobs.http, service(), ServiceAccountTokens.ofPod(jobs.admin, pod, "vault"));
        PodSide unbound = new PodSide(
                jobs.http,
                service(),
                ServiceAccountTokens.ofAccount(jobs.admin, namespace, "default", LaunchApi.TOKEN_AUDIENCE));

        assertThat(now(nobody.join(report(0, 0, -1, 1))).statusCode()).isEqualTo(401);
        assertThat(now(garbage.join(report(0, 0, -1, 1))).statusCode()).isEqualTo(401);
        assertThat(PodSide.text(now(elsewhere.join(report(0, 0, -1, 1)))))
                .isEqualTo("the token is not valid for the audience fabric-operator-jobs");
        assertThat(PodSide.text(now(unbound.join(report(0, 0, -1, 1))))).isEqualTo("the token is not bound to a pod");
    }

    @Test
    void whoIsNoPodOfADirectJobIsToldWhy() throws Exception {
        Pod alone = jobs.createPod(namespace, "alone", Map.of("fabric-operator.dev/launch", "direct"));
        Pod plain = jobs.createPod(namespace, "plain", Map.of());

        HttpResponse<byte[]> notOfAJob = now(jobs.side(service(), alone).join(report(0, 0, -1, 1)));
        assertThat(notOfAJob.statusCode()).isEqualTo(403);
        assertThat(PodSide.text(notOfAJob)).contains("pod alone has no place in an Indexed Job, a JobSet");
        HttpResponse<byte[]> notDirect = now(jobs.side(service(), plain).join(report(0, 0, -1, 1)));
        assertThat(notDirect.statusCode()).isEqualTo(403);
        assertThat(PodSide.text(notDirect)).isEqualTo("pod plain does not ask for a direct launch");
    }

    @Test
    void aReportThatIsNoneOrThatLiesIsRefused() throws Exception {
        Job job = jobs.createJob(namespace, "lies", 2, Map.of());
        PodSide side = jobs.side(service(), jobs.pods(job, 2).getFirst());

        assertThat(now(side.join("garbage".getBytes(StandardCharsets.UTF_8))).statusCode())
                .isEqualTo(400);
        assertThat(now(side.join(new byte[100_000])).statusCode()).isEqualTo(413);
        HttpResponse<byte[]> lie = now(side.join(report(0, 0, -1, 64)));
        assertThat(lie.statusCode()).isEqualTo(409);
        assertThat(PodSide.text(lie)).endsWith("reports 64 ranks, and the template of lies asks for 1");
    }

    @Test
    void aReplacedPodEndsTheAttemptOfItsSurvivorsAndAllMeetAgain() throws Exception {
        Job job = jobs.createJob(namespace, "replaced", 3, Map.of());
        List<Pod> pods = jobs.pods(job, 3);
        for (var answer : joinAll(pods, -1, 1)) {
            assertThat(PodSide.map(now(answer)).attempt()).isZero();
        }
        PodSide survivor = jobs.side(service(), pods.getFirst());
        assertThat(now(survivor.watch(0)).statusCode()).isEqualTo(204);
        var watching = survivor.watch(0);
        String gone = pods.get(1).getMetadata().getUid();
        jobs.admin.resource(pods.get(1)).withGracePeriod(0).delete();
        List<Pod> after = jobs.pods(job, 3);
        assertThat(after.get(1).getMetadata().getUid()).isNotEqualTo(gone);

        var replacement = jobs.side(service(), after.get(1)).joinUntilAnswered(report(1, 1, -1, 1));

        // Held for two seconds each: the pod in its place takes as long as it takes.
        assertThat(now(watching).statusCode()).isIn(204, 205);
        eventually(() -> assertThat(now(survivor.watch(0)).statusCode()).isEqualTo(205));
        assertThat(survivor.event(0, "running")).isEqualTo(205);
        List<Pod> survivors = List.of(after.get(0), after.get(2));
        for (var answer : joinAll(survivors, 0, 1)) {
            assertThat(PodSide.map(now(answer)).attempt()).isEqualTo(1);
        }
        JobMap map = PodSide.map(now(replacement));
        assertThat(map.nspace()).endsWith("-1");
        assertThat(map.pods().get(1).name())
                .isEqualTo(after.get(1).getMetadata().getName());
    }

    private void suspend(Job job, boolean suspended) {
        jobs.admin.resource(job).patch(MERGE, "{\"spec\": {\"suspend\": %b}}".formatted(suspended));
    }

    /** All that Kueue, for example, does to a Job when it admits one, takes its place away, and admits it again. */
    @Test
    void aSuspendedJobIsLaunchedWheneverItIsResumed() throws Exception {
        Job job = jobs.admin
                .resource(new JobBuilder(PlayedJobs.job(namespace, "suspended", 2, Map.of()))
                        .editSpec()
                        .withSuspend(true)
                        .endSpec()
                        .build())
                .create();
        assertThat(jobs.pods(job, 0)).isEmpty();

        for (int attempt = 0; attempt < 2; attempt++) {
            suspend(job, false);
            for (var answer : joinAll(jobs.pods(job, 2), -1, 1)) {
                assertThat(PodSide.map(now(answer)).nspace()).endsWith("-" + attempt);
            }
            suspend(job, true);
            assertThat(jobs.pods(job, 0)).isEmpty();
        }
    }

    private void createStatefulSet(String name, int replicas) {
        Map<String, String> labels = Map.of("app", name, LaunchApi.LAUNCH, LaunchApi.DIRECT);
        jobs.admin
                .resource(new StatefulSetBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withReplicas(replicas)
                        .withPodManagementPolicy("Parallel")
                        .withNewSelector()
                        .addToMatchLabels("app", name)
                        .endSelector()
                        .withNewTemplate()
                        .withNewMetadata()
                        .withLabels(labels)
                        .addToAnnotations(LaunchApi.LAUNCH, LaunchApi.DIRECT)
                        .endMetadata()
                        .withNewSpec()
                        .addNewContainer()
                        .withName("ranks")
                        .withImage("none")
                        .endContainer()
                        .endSpec()
                        .endTemplate()
                        .endSpec()
                        .build())
                .create();
    }

    private PodSide ofStatefulSet(String pod) {
        eventually(() -> assertThat(
                        jobs.admin.pods().inNamespace(namespace).withName(pod).get())
                .isNotNull());
        return jobs.side(
                service(),
                jobs.admin.pods().inNamespace(namespace).withName(pod).get());
    }

    private void setReplicas(String name, int replicas) {
        jobs.admin
                .apps()
                .statefulSets()
                .inNamespace(namespace)
                .withName(name)
                .patch(MERGE, "{\"spec\": {\"replicas\": %d}}".formatted(replicas));
    }

    private void awaitOutdated(PodSide side, int attempt) {
        eventually(() -> assertThat(now(side.watch(attempt)).statusCode()).isEqualTo(205));
    }

    private static JobMap mapOf(CompletableFuture<HttpResponse<byte[]>> answer) throws Exception {
        return PodSide.map(now(answer));
    }

    @Test
    void aStatefulSetsJobFollowsItsReplacedPodsAndItsReplicas() throws Exception {
        createStatefulSet("serving", 2);
        PodSide first = ofStatefulSet("serving-0");
        PodSide second = ofStatefulSet("serving-1");
        var waiting = first.joinUntilAnswered(report(0, 0, -1, 1));
        JobMap map = mapOf(second.joinUntilAnswered(report(1, 0, -1, 1)));
        assertThat(map.pods()).extracting(JobPod::name).containsExactly("serving-0", "serving-1");
        assertThat(map.attempt()).isZero();
        now(waiting);

        Pod gone =
                jobs.admin.pods().inNamespace(namespace).withName("serving-1").get();
        jobs.admin.resource(gone).withGracePeriod(0).delete();
        eventually(() -> assertThat(jobs.admin
                        .pods()
                        .inNamespace(namespace)
                        .withName("serving-1")
                        .get())
                .isNotNull()
                .satisfies(pod -> assertThat(pod.getMetadata().getUid())
                        .isNotEqualTo(gone.getMetadata().getUid())));
        PodSide replacement = ofStatefulSet("serving-1");
        waiting = replacement.joinUntilAnswered(report(1, 1, -1, 1));
        awaitOutdated(first, 0);
        assertThat(mapOf(first.joinUntilAnswered(report(0, 0, 0, 1))).attempt()).isEqualTo(1);
        assertThat(mapOf(waiting).nspace()).endsWith("-1");

        setReplicas("serving", 3);
        PodSide third = ofStatefulSet("serving-2");
        eventually(() -> assertThat(now(third.join(report(2, 0, -1, 1))).statusCode())
                .as("not yet, rather than no place")
                .isEqualTo(204));
        awaitOutdated(first, 1);
        awaitOutdated(replacement, 1);
        waiting = third.joinUntilAnswered(report(2, 0, -1, 1));
        var other = replacement.joinUntilAnswered(report(1, 1, 1, 1));
        map = mapOf(first.joinUntilAnswered(report(0, 0, 1, 1)));
        assertThat(map.attempt()).isEqualTo(2);
        assertThat(map.size()).isEqualTo(3);
        now(waiting);
        now(other);
        eventually(() -> assertThat(jobs.admin
                        .resources(FabricJob.class)
                        .inNamespace(namespace)
                        .withName("serving")
                        .get()
                        .getStatus())
                .satisfies(status -> {
                    assertThat(status.phase()).isEqualTo(JobPhase.Running);
                    assertThat(status.attempt()).isEqualTo(2);
                    assertThat(status.size()).isEqualTo(3);
                }));

        setReplicas("serving", 2);
        eventually(() -> assertThat(jobs.admin
                        .pods()
                        .inNamespace(namespace)
                        .withName("serving-2")
                        .get())
                .isNull());
        waiting = replacement.joinUntilAnswered(report(1, 1, 2, 1));
        map = mapOf(first.joinUntilAnswered(report(0, 0, 2, 1)));
        assertThat(map.attempt()).isEqualTo(3);
        assertThat(map.size()).isEqualTo(2);
        now(waiting);
    }

    /** Groups of three pods that have their node from the beginning, as the job service hears only of such pods that they are gone. */
    private GenericKubernetesResource createLeaderWorkerSet(String name, int groups, String node) {
        return (GenericKubernetesResource) jobs.admin
                .load(new ByteArrayInputStream(
                        """
                        apiVersion: leaderworkerset.x-k8s.io/v1
                        kind: LeaderWorkerSet
                        metadata: {namespace: %s, name: %s}
                        spec:
                          replicas: %d
                          leaderWorkerTemplate:
                            size: 3
                            workerTemplate:
                              metadata:
                                labels: {fabric-operator.dev/launch: direct}
                                annotations: {fabric-operator.dev/launch: direct}
                              spec:
                                nodeName: %s
                                terminationGracePeriodSeconds: 0
                                containers: [{name: ranks, image: none}]
                        """.formatted(namespace, name, groups, node).getBytes(StandardCharsets.UTF_8)))
                .create()
                .getFirst();
    }

    /** The three pods of a group by worker index, once none is one of those that were there before. */
    private List<Pod> podsOfGroup(String leader, List<Pod> before) {
        List<String> gone =
                before.stream().map(pod -> pod.getMetadata().getUid()).toList();
        return Stream.of(leader, leader + "-1", leader + "-2")
                .map(pod -> Awaitility.await()
                        .atMost(LIMIT)
                        .until(
                                () -> jobs.admin
                                        .pods()
                                        .inNamespace(namespace)
                                        .withName(pod)
                                        .get(),
                                found -> found != null
                                        && found.getMetadata().getDeletionTimestamp() == null
                                        && !gone.contains(found.getMetadata().getUid())))
                .toList();
    }

    private JobMap joinedByGroup(List<Pod> pods) throws Exception {
        List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
        for (int index = 0; index < pods.size(); index++) {
            answers.add(jobs.side(service(), pods.get(index)).joinUntilAnswered(report(index, 0, -1, 1)));
        }
        for (var answer : answers) {
            now(answer);
        }
        return mapOf(answers.getFirst());
    }

    /** As a kubelet tells it. */
    private void tellRestartOf(String pod) {
        jobs.admin
                .pods()
                .inNamespace(namespace)
                .withName(pod)
                .subresource("status")
                .patch(MERGE, """
                        {"status": {"phase": "Running", "containerStatuses":
                            [{"name": "ranks", "image": "none", "imageID": "none", "ready": true, "restartCount": 1}]}}
                        """);
    }

    private void setGroups(GenericKubernetesResource set, int groups) {
        jobs.admin.resource(set).patch(MERGE, "{\"spec\": {\"replicas\": %d}}".formatted(groups));
    }

    @Test
    void eachGroupOfALeaderWorkerSetIsAJobThatFollowsItsRestartsAndGroupsComeAndGo() throws Exception {
        var controller =
                JobController.start(JobController.Program.LEADER_WORKER_SET, jobs.cluster, directory, namespace);
        Assumptions.assumeTrue(controller.isPresent(), "no LeaderWorkerSet controller: run \"make setup\"");
        Node node = jobs.createNode("lws");
        try (var running = controller.get()) {
            var set = createLeaderWorkerSet("lws", 2, "lws");
            String nspace = namespace + ".lws-%d-" + set.getMetadata().getUid().substring(0, 8) + "-%d";

            List<Pod> first = podsOfGroup("lws-0", List.of());
            List<Pod> second = podsOfGroup("lws-1", List.of());
            JobMap map = joinedByGroup(first);
            assertThat(map.pods()).extracting(JobPod::name).containsExactly("lws-0", "lws-0-1", "lws-0-2");
            assertThat(map.nspace()).isEqualTo(nspace.formatted(0, 0));
            assertThat(joinedByGroup(second).nspace()).isEqualTo(nspace.formatted(1, 0));

            tellRestartOf("lws-0-1");
            List<Pod> anew = podsOfGroup("lws-0", first);
            map = joinedByGroup(anew);
            assertThat(map.nspace()).isEqualTo(nspace.formatted(0, 1));
            assertThat(map.size()).isEqualTo(3);
            assertThat(now(jobs.side(service(), second.getFirst()).watch(0)).statusCode())
                    .as("the other group goes on")
                    .isEqualTo(204);

            setGroups(set, 3);
            assertThat(joinedByGroup(podsOfGroup("lws-2", List.of())).nspace()).isEqualTo(nspace.formatted(2, 0));

            setGroups(set, 1);
            for (int group : new int[] {1, 2}) {
                eventually(() -> assertThat(fabricJobOfGroup("lws-" + group).conditions())
                        .anySatisfy(condition -> assertThat(condition.message())
                                .contains("LeaderWorkerSet lws group " + group + " has ended: spec.replicas is 1")));
                assertThat(fabricJobOfGroup("lws-" + group).phase()).isEqualTo(JobPhase.Failed);
            }
            assertThat(fabricJobOfGroup("lws-0").phase()).isEqualTo(JobPhase.Running);
            assertThat(fabricJobOfGroup("lws-0").attempt()).isEqualTo(1);

            setGroups(set, 2);
            assertThat(joinedByGroup(podsOfGroup("lws-1", second)).nspace()).isEqualTo(nspace.formatted(1, 1));
            jobs.admin.resource(set).delete();
        } finally {
            jobs.admin.resource(node).delete();
        }
    }

    /** Kubernetes deletes the pods of a node that is not there. */
    private FabricJobStatus fabricJobOfGroup(String name) {
        return jobs.admin
                .resources(FabricJob.class)
                .inNamespace(namespace)
                .withName(name)
                .require()
                .getStatus();
    }

    @Test
    void thePodsOfAJobThatDoesNotBecomeWholeAreReleased() throws Exception {
        Job job = jobs.createJob(namespace, "late", 2, Map.of("fabric-operator.dev/assembly-timeout", "3s"));
        Pod pod = jobs.pods(job, 2).getFirst();

        HttpResponse<byte[]> answer = now(jobs.side(service(), pod).joinUntilAnswered(report(0, 0, -1, 1)));

        assertThat(answer.statusCode()).isEqualTo(408);
        assertThat(PodSide.text(answer))
                .isEqualTo("the job did not become whole within 3 s: 1 of 2 pods have not come: index 1");
        FabricJobStatus status = jobs.fabricJob(job, JobPhase.TimedOut).getStatus();
        assertThat(status.missing()).containsExactly("index 1");
        assertThat(status.readyRanks()).isEqualTo(1);
        jobs.awaitEvent(namespace, "AssemblyTimedOut");
    }

    @Test
    void aFabricJobTellsHowTheJobStandsAndGoesWithItsOwner() throws Exception {
        Job job = jobs.createJob(namespace, "told", 2, Map.of("fabric-operator.dev/ranks-per-pod", "3"));
        List<Pod> pods = jobs.pods(job, 2);
        for (var answer : joinAll(pods, -1, 3)) {
            now(answer);
        }
        FabricJob running = jobs.fabricJob(job, JobPhase.Running);
        FabricJobStatus status = running.getStatus();
        assertThat(status.size()).isEqualTo(6);
        assertThat(status.readyRanks()).isEqualTo(6);
        assertThat(status.missing()).isEmpty();
        assertThat(running.getSpec().apps()).containsExactly(new JobAppSpec("told", 2, 3));
        assertThat(running.getMetadata().getOwnerReferences())
                .singleElement()
                .satisfies(owner ->
                        assertThat(owner.getUid()).isEqualTo(job.getMetadata().getUid()));

        jobs.side(service(), pods.get(0)).event(0, "finished 0");
        jobs.side(service(), pods.get(1)).event(0, "exited 4 7 0");
        jobs.side(service(), pods.get(1)).event(0, "finished 7");

        FabricJobStatus failed = jobs.fabricJob(job, JobPhase.Failed).getStatus();
        assertThat(failed.conditions())
                .filteredOn(condition -> condition.type().equals("Finished"))
                .singleElement()
                .satisfies(finished -> {
                    assertThat(finished.reason()).isEqualTo("JobFailed");
                    assertThat(finished.message())
                            .isEqualTo("pod " + pods.get(1).getMetadata().getName() + ": rank 4 ended with code 7");
                });
        jobs.awaitEvent(namespace, "JobFailed");
    }

    /** Also where a pod tells it twice, as when its answer was lost. */
    @Test
    void howRanksHaveFoundEachOtherStandsInTheFabricJobAndIsCountedOnce() throws Exception {
        Job job = jobs.createJob(namespace, "protocols", 2, Map.of("fabric-operator.dev/ranks-per-pod", "4"));
        List<Pod> pods = jobs.pods(job, 2);
        for (var answer : joinAll(pods, -1, 4)) {
            now(answer);
        }
        double before = server.metric("fabric_operator_job_ranks_total", "protocol=\"pmi1\"");
        for (Pod pod : List.of(pods.get(0), pods.get(0), pods.get(1))) {
            jobs.side(service(), pod).event(0, "clients 0 3 1");
            assertThat(jobs.side(service(), pod).event(0, "clients 1 1024 0"))
                    .as("no pod has so many")
                    .isEqualTo(400);
        }
        for (Pod pod : pods) {
            jobs.side(service(), pod).event(0, "finished 0");
        }

        assertThat(jobs.fabricJob(job, JobPhase.Succeeded).getStatus().clients())
                .isEqualTo(new JobClients(0, 6, 2));
        assertThat(server.metric("fabric_operator_job_ranks_total", "protocol=\"pmi1\""))
                .isEqualTo(before + 6);
    }

    /** As where no rank has called PMIx_Init and the namespace wants that to be a failure; a release before says the code alone. */
    @Test
    void whatAPodSaysOfItsEndStandsInTheFabricJob() throws Exception {
        Job job = jobs.createJob(namespace, "says-why", 1, Map.of());
        Pod pod = jobs.pods(job, 1).getFirst();
        for (var answer : joinAll(List.of(pod), -1, 1)) {
            now(answer);
        }
        jobs.side(service(), pod).event(0, "unconnected");
        jobs.side(service(), pod).event(0, "finished 1 no rank has\ncalled PMIx_Init");

        assertThat(jobs.fabricJob(job, JobPhase.Failed).getStatus().conditions())
                .filteredOn(condition -> condition.type().equals("Finished"))
                .singleElement()
                .satisfies(finished -> assertThat(finished.message())
                        .isEqualTo("pod " + pod.getMetadata().getName() + ": no rank has called PMIx_Init"));
    }

    /** @param hosts whose adapters the pod can open */
    private static PodReport reportWithAdapters(int index, int after, int... hosts) {
        PodReport plain = report(index, 0, after, 1);
        List<PodReport.OpenDevice> adapters = IntStream.of(hosts)
                .mapToObj(host ->
                        new PodReport.OpenDevice("mlx5_" + host, SmallFabric.guid(host), null, null, false, null))
                .toList();
        return new PodReport(
                plain.instance(), after, plain.address(), plain.port(), 1, plain.cpuset(), plain.numaNodes(), adapters);
    }

    /** The map of an attempt after the server has read the fabric. */
    private static JobMap mapWithFabric(List<PodSide> sides) {
        AtomicInteger after = new AtomicInteger(-1);
        AtomicReference<@Nullable JobMap> found = new AtomicReference<>();
        eventually(() -> {
            var first = sides.get(0).joinUntilAnswered(reportWithAdapters(0, after.get(), 1, 5));
            var second = sides.get(1).joinUntilAnswered(reportWithAdapters(1, after.get()));
            JobMap map = PodSide.map(now(first));
            assertThat(now(second).statusCode()).isEqualTo(200);
            after.set(map.attempt());
            assertThat(fabric(map).devices()).isEqualTo(2);
            found.set(map);
        });
        return Objects.requireNonNull(found.get());
    }

    private static JobFabric fabric(JobMap map) {
        return Objects.requireNonNull(map.fabric());
    }

    /** What the first pod is told after a change of the switch map: that one is pending, unless it is there already, and its values. */
    private JobMap toldAfter(String dump, PodSide first, JobMap before) throws Exception {
        long generation = fabric(before).generation();
        CompletableFuture<JobFabricUpdate> told = first.awaitFabricUpdate(before.attempt(), generation, false);
        long start = System.nanoTime();
        jobs.admin.resource(SmallFabric.upload(dump)).update();
        JobFabricUpdate news = told.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        long announced = System.nanoTime();
        if (news instanceof JobFabricUpdate.Pending) {
            news = first.awaitFabricUpdate(before.attempt(), generation, true).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
        System.out.printf(
                "from a change of the switch map: first news after %d ms, values at the first pod after %d ms%n",
                (announced - start) / 1_000_000, (System.nanoTime() - start) / 1_000_000);
        assertThat(news).isInstanceOf(JobFabricUpdate.Updated.class);
        JobMap after = ((JobFabricUpdate.Updated) news).map();
        assertThat(fabric(after).generation()).isGreaterThan(generation);
        assertThat(FabricDifference.isOfOneJob(before, after)).isTrue();
        return after;
    }

    private static int costBetweenLeaves(JobMap map) {
        return Objects.requireNonNull(fabric(map).costs())[1] & 0xffff;
    }

    /** A cable between a leaf and the spine that goes and comes; the job's adapters are on both leaves. */
    @Test
    void theFirstPodIsToldWhenTheFabricOfItsJobChangesAndNobodyElseIs() throws Exception {
        try (OperatorProcess controller = jobs.startFabric()) {
            Job job = jobs.createJobOnNode(namespace, "fabric", 2, "n1");
            List<PodSide> sides = jobs.pods(job, 2).stream()
                    .map(pod -> jobs.side(service(), pod))
                    .toList();
            JobMap before = mapWithFabric(sides);
            CompletableFuture<JobFabricUpdate> second = sides.get(1).awaitFabricUpdate(before.attempt(), 0, false);
            // A job is told new values once in a second.
            Thread.sleep(1_000);
            JobMap without = toldAfter(SmallFabric.dumpWithoutTheSecondUplink(), sides.get(0), before);
            assertThat(costBetweenLeaves(without)).isEqualTo(65535);
            Thread.sleep(1_000);
            JobMap back = toldAfter(SmallFabric.dump(), sides.get(0), without);
            assertThat(costBetweenLeaves(back)).isEqualTo(costBetweenLeaves(before));
            assertThat(second).isNotDone();
            assertThat(controller.isAlive()).isTrue();
        } finally {
            jobs.removeFabric();
        }
    }

    private void impair(String guid, List<PortImpairment> signs) {
        // The operator writes its status meanwhile, so that a first try may be too late.
        eventually(() -> {
            FabricDevice device = jobs.admin.resources(FabricDevice.class).list().getItems().stream()
                    .filter(each -> guid.equals(each.getSpec().nodeGuid()))
                    .findFirst()
                    .orElseThrow();
            jobs.admin.resource(device).edit(each -> {
                each.setSpec(FabricDeviceSpecBuilder.builder(each.getSpec())
                        .impairments(signs)
                        .build());
                return each;
            });
        });
    }

    @Test
    void theFirstPodIsToldWhichDevicesOfItsJobHaveImpairedLinksAndNothingOfOthers() throws Exception {
        JobFabricUpdate.Impaired none = new JobFabricUpdate.Impaired(List.of());
        PortImpairment sign = new PortImpairment(
                LinkFault.SymbolErrors, "/sys/x/symbol_error", 40L, 10L, 2L, 60L, 300L, "2026-11-28T12:00:00Z");
        try (OperatorProcess controller = jobs.startFabric()) {
            Job job = jobs.createJobOnNode(namespace, "impaired", 2, "n1");
            List<PodSide> sides = sides(service(), job);
            JobMap map = mapWithFabric(sides);
            long generation = fabric(map).generation();
            CompletableFuture<JobFabricUpdate> told = sides.get(0).awaitImpaired(map.attempt(), generation, none);
            CompletableFuture<JobFabricUpdate> second = sides.get(1).awaitImpaired(map.attempt(), generation, none);

            impair(SmallFabric.guid(2), List.of(sign));
            Thread.sleep(2_000);
            assertThat(told).as("an adapter that no pod can open").isNotDone();

            long start = System.nanoTime();
            impair(SmallFabric.guid(5), List.of(sign));
            JobFabricUpdate.Impaired ill = (JobFabricUpdate.Impaired) told.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            System.out.printf(
                    "from an impairment of a device to the first pod: %d ms%n",
                    (System.nanoTime() - start) / 1_000_000);
            assertThat(ill.devices()).singleElement().satisfies(device -> {
                assertThat(device.pod()).isZero();
                assertThat(device.words()).endsWith(": 40 symbol errors in 2 s");
                assertThat(map.pods().getFirst().devices())
                        .extracting(JobDevice::deviceId)
                        .contains(device.deviceId());
            });
            CompletableFuture<JobFabricUpdate> over = sides.get(0).awaitImpaired(map.attempt(), generation, ill);
            impair(SmallFabric.guid(5), List.of());
            assertThat(over.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(none);
            assertThat(second).isNotDone();
            assertThat(controller.isAlive()).isTrue();
        } finally {
            jobs.removeFabric();
        }
    }

    private List<PodSide> sides(URI to, Job job) {
        return jobs.pods(job, 2).stream().map(pod -> jobs.side(to, pod)).toList();
    }

    /** The first pod waits for news of the fabric at a replica that does not know the job, until it is asked for its map. */
    private static void awaitMapWanted(PodSide side, JobMap map) {
        eventually(() -> assertThat(
                        now(side.watchFabric(map.attempt(), fabric(map).generation(), false))
                                .statusCode())
                .isEqualTo(202));
    }

    /** The same map, in which the second pod opens a device as well that is on another node. */
    private static JobMap withDeviceOf(int host, JobMap map) {
        List<JobPod> pods = new ArrayList<>(map.pods());
        JobPod second = pods.get(1);
        JobDevice stolen = new JobDevice(
                "fab://" + SmallFabric.guid(host) + "::" + SmallFabric.guid(host),
                "mlx5_9",
                8,
                List.of(),
                -1,
                null,
                null,
                new int[0],
                new int[0],
                10,
                10,
                null);
        pods.set(
                1,
                new JobPod(
                        second.name(),
                        second.host(),
                        second.app(),
                        second.firstRank(),
                        second.rankCount(),
                        second.address(),
                        second.port(),
                        second.cpuset(),
                        List.of(stolen)));
        return new JobMap(map.nspace(), map.attempt(), map.key(), map.apps(), pods, map.fabric());
    }

    private static JobMap updated(CompletableFuture<JobFabricUpdate> update) throws Exception {
        JobFabricUpdate news = update.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(news).isInstanceOf(JobFabricUpdate.Updated.class);
        return ((JobFabricUpdate.Updated) news).map();
    }

    /** Another process serves the jobs from now on, and what it knows of them is what their first pods tell. */
    @Test
    void theFirstPodIsToldOfTheFabricByAReplicaThatHasNotMadeTheMapOfItsJob() throws Exception {
        Node node = jobs.createNode("n1");
        try (OperatorProcess controller = jobs.startFabric();
                OperatorProcess before = jobs.startServer(Map.of())) {
            Job job = jobs.createJobOnNode(namespace, "relearnt", 2, "n1");
            Job otherJob = jobs.createJobOnNode(namespace, "lying", 2, "n1");
            JobMap map = mapWithFabric(sides(before.jobs(), job));
            JobMap other = mapWithFabric(sides(before.jobs(), otherJob));
            before.kill();
            jobs.admin
                    .resource(SmallFabric.upload(SmallFabric.dumpWithoutTheSecondUplink()))
                    .update();

            PodSide first = sides(service(), job).getFirst();
            assertThat(now(first.tellMap(map)).statusCode())
                    .as("nobody has asked")
                    .isEqualTo(409);
            awaitMapWanted(first, map);
            assertThat(now(first.tellMap(map)).statusCode()).isEqualTo(204);
            JobMap after = map;
            while (costBetweenLeaves(after) != 65535) {
                CompletableFuture<JobFabricUpdate> told =
                        first.awaitFabricUpdate(map.attempt(), fabric(after).generation(), true);
                after = updated(told);
                assertThat(FabricDifference.isOfOneJob(map, after)).isTrue();
            }
            Thread.sleep(1_000);
            JobMap mended = toldAfter(SmallFabric.dump(), first, after);
            assertThat(fabric(mended).costs()).isEqualTo(fabric(map).costs());
            assertThat(mended.pods()).usingRecursiveComparison().isEqualTo(map.pods());

            List<PodSide> liars = sides(service(), otherJob);
            awaitMapWanted(liars.getFirst(), other);
            assertThat(PodSide.text(now(liars.getFirst().tellMap(map)))).contains("another attempt or job");
            awaitMapWanted(liars.getFirst(), other);
            assertThat(now(liars.getFirst().tellMap(withDeviceOf(3, other))).statusCode())
                    .isEqualTo(204);
            JobMap lie = updated(liars.getFirst().awaitFabricUpdate(other.attempt(), 0, false));
            assertThat(fabric(lie).devices()).isEqualTo(2);
            assertThat(lie.pods().get(1).devices()).singleElement().satisfies(device -> {
                assertThat(device.index()).isEqualTo(-1);
                assertThat(device.switchId()).isNull();
                assertThat(device.logical()).isEmpty();
                assertThat(device.attributes()).noneMatch(each -> each.value().equals("Mellanox"));
            });
            assertThat(controller.isAlive()).isTrue();
        } finally {
            jobs.removeFabric();
            jobs.admin.resource(node).delete();
        }
    }

    @Test
    void aReplicaThatIsKilledWhilePodsWaitAndWhileRanksRunChangesNothing() throws Exception {
        Job job = jobs.createJob(namespace, "restarted", 4, Map.of());
        List<Pod> pods = jobs.pods(job, 4);
        try (OperatorProcess first = jobs.startServer(Map.of())) {
            for (Pod pod : pods.subList(0, 2)) {
                jobs.side(first.jobs(), pod).join(report(JobCase.index(pod), 0, -1, 1));
            }
            jobs.fabricJob(job, JobPhase.Assembling);
            first.kill();
        }
        try (OperatorProcess second = jobs.startServer(Map.of())) {
            List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
            for (Pod pod : pods) {
                answers.add(jobs.side(second.jobs(), pod).joinUntilAnswered(report(JobCase.index(pod), 0, -1, 1)));
            }
            for (var answer : answers) {
                assertThat(PodSide.map(now(answer)).attempt()).isZero();
            }
            jobs.fabricJob(job, JobPhase.Running);
            second.kill();
        }
        assertThat(now(jobs.side(service(), pods.getFirst()).watch(0)).statusCode())
                .as("a replica that has never heard of the job")
                .isEqualTo(204);
        for (Pod pod : pods) {
            assertThat(jobs.side(service(), pod).event(0, "finished 0")).isEqualTo(204);
        }
        FabricJobStatus status = jobs.fabricJob(job, JobPhase.Succeeded).getStatus();
        assertThat(status.attempt()).isZero();
    }
}
