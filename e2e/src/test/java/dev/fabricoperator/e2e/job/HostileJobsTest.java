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

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.ClassNamespace;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Who may create anything in a namespace, against the jobs of another one. No controllers run, whose garbage collector would
 * sooner or later take pods whose owner is not in their namespace.
 */
@WithControlPlane(own = true)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileJobsTest {
    private static final String HOSTILE = "hostile";

    @TempDir
    static Path directory;

    private JobCase jobs;
    private String namespace;
    private OperatorProcess server;

    @BeforeAll
    void start(ControlPlane controlPlane, @ClassNamespace String name) {
        namespace = name;
        jobs = new JobCase(controlPlane, directory);
        controlPlane
                .admin()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(HOSTILE)
                        .endMetadata()
                        .build())
                .create();
        PlayedJobs.createServiceAccount(jobs.admin, namespace);
        PlayedJobs.createServiceAccount(jobs.admin, HOSTILE);
        define("jobset.x-k8s.io", "v1alpha2", "JobSet");
        define("batch.volcano.sh", "v1alpha1", "Job");
        define("leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet");
        server = jobs.startServer(Map.of("FABRIC_OPERATOR_JOBS_HOLD", "1s"));
    }

    @AfterAll
    void stop() {
        jobs.close();
    }

    /** As much of a kind's own definition as an API server needs to keep one. */
    private void define(String group, String version, String kind) {
        String singular = kind.toLowerCase(Locale.ROOT);
        load("""
                apiVersion: apiextensions.k8s.io/v1
                kind: CustomResourceDefinition
                metadata: {name: %1$ss.%2$s, annotations: {api-approved.kubernetes.io: unapproved}}
                spec:
                  group: %2$s
                  scope: Namespaced
                  names: {kind: %4$s, plural: %1$ss, singular: %1$s}
                  versions:
                    - name: %3$s
                      served: true
                      storage: true
                      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
                """.formatted(singular, group, version, kind));
    }

    private void load(String manifest) {
        jobs.admin
                .load(new ByteArrayInputStream(manifest.getBytes(StandardCharsets.UTF_8)))
                .create();
    }

    private PodSide side(Pod pod) {
        URI service = server.jobs();
        return jobs.side(service, pod);
    }

    private Pod create(Job job, int index) {
        return jobs.admin.resource(PlayedJobs.podOf(job, index).build()).create();
    }

    /** A pod of the hostile namespace that is in all but that one of the victim's. */
    private Pod createHostile(Job victim, int index, Map<String, String> labels, OwnerReference owner) {
        return jobs.admin
                .resource(PlayedJobs.podOf(victim, index)
                        .editMetadata()
                        .withNamespace(HOSTILE)
                        .addToLabels(labels)
                        .withOwnerReferences(owner)
                        .endMetadata()
                        .build())
                .create();
    }

    private static OwnerReference reference(String apiVersion, String kind, String name, String uid) {
        return new OwnerReferenceBuilder()
                .withApiVersion(apiVersion)
                .withKind(kind)
                .withName(name)
                .withUid(uid)
                .withController(true)
                .build();
    }

    /** Each thing that a pod can say to the job service, none of which may be heard. */
    private void sayEverything(Pod hostile, int index) throws Exception {
        PodSide side = side(hostile);
        HttpResponse<byte[]> joined = now(side.join(report(index, 9, 7, 1)));
        assertThat(joined.statusCode()).as(PodSide.text(joined) + server.log()).isBetween(403, 409);
        assertThat(PodSide.text(joined)).contains(HOSTILE).doesNotContain(namespace);
        assertThat(now(side.watch(0)).statusCode()).isBetween(403, 409);
        assertThat(now(side.watch(9)).statusCode()).isBetween(403, 409);
        assertThat(side.event(0, "finished 7")).isBetween(403, 409);
        assertThat(side.event(0, "abort 0 7 it was me")).isBetween(403, 409);
        jobs.end(hostile, "Failed");
    }

    @Test
    void aPodOfAnotherNamespaceLearnsAndChangesNothingOfAJobWhoseOwnerItNames() throws Exception {
        Job victim = jobs.createJob(namespace, "victim", 2, Map.of());
        Pod first = create(victim, 0);
        Pod second = create(victim, 1);
        Pod hostile = createHostile(victim, 1, Map.of(), victim(victim));
        var waiting = side(first).joinUntilAnswered(report(0, 0, -1, 1));

        sayEverything(hostile, 1);

        assertThat(waiting).as("only the victim's own pods make it whole").isNotDone();
        var map = PodSide.map(now(side(second).joinUntilAnswered(report(1, 0, -1, 1))));
        assertThat(map.attempt()).isZero();
        assertThat(PodSide.map(now(waiting)).pods())
                .extracting(pod -> pod.name())
                .containsExactly("victim-0", "victim-1");
        Pod again = createHostile(victim, 0, Map.of(), victim(victim));

        sayEverything(again, 0);

        assertThat(now(side(first).watch(0)).statusCode()).isEqualTo(204);
        assertThat(side(first).event(0, "finished 0")).isEqualTo(204);
        assertThat(side(second).event(0, "finished 0")).isEqualTo(204);
        FabricJobStatus status = jobs.fabricJob(victim, JobPhase.Succeeded).getStatus();
        assertThat(status.attempt()).isZero();
        assertThat(jobs.admin.v1().events().inNamespace(namespace).list().getItems())
                .noneMatch(event -> "JobFailed".equals(event.getReason()));
    }

    private static OwnerReference victim(Job victim) {
        return reference(
                "batch/v1",
                "Job",
                victim.getMetadata().getName(),
                victim.getMetadata().getUid());
    }

    @Test
    void aPodOfAnotherNamespaceTakesNoSlotOfAJobSetByItsLabelsNorByAJobOfItsOwn() throws Exception {
        load("""
                apiVersion: jobset.x-k8s.io/v1alpha2
                kind: JobSet
                metadata: {name: set, namespace: %s}
                spec:
                  replicatedJobs:
                    - name: workers
                      replicas: 1
                      template:
                        spec:
                          completions: 2
                          parallelism: 2
                          template: {metadata: {annotations: {fabric-operator.dev/launch: direct}}}
                """.formatted(namespace));
        GenericKubernetesResource set = jobs.admin
                .genericKubernetesResources("jobset.x-k8s.io/v1alpha2", "JobSet")
                .inNamespace(namespace)
                .withName("set")
                .get();
        OwnerReference ofSet = reference(
                "jobset.x-k8s.io/v1alpha2", "JobSet", "set", set.getMetadata().getUid());
        Map<String, String> place =
                Map.of("jobset.sigs.k8s.io/replicatedjob-name", "workers", "jobset.sigs.k8s.io/job-index", "0");
        Map<String, String> claim = Map.of(
                "jobset.sigs.k8s.io/replicatedjob-name", "workers",
                "jobset.sigs.k8s.io/job-index", "0",
                "jobset.sigs.k8s.io/jobset-name", "set",
                "jobset.sigs.k8s.io/jobset-uid", set.getMetadata().getUid());
        Job child = createOwned("set-workers-0", namespace, place, ofSet);
        var waiting = side(create(child, 0)).joinUntilAnswered(report(0, 0, -1, 1));
        Job own = createOwned("set-workers-0", HOSTILE, place, ofSet);

        sayEverything(createHostile(child, 1, claim, victim(child)), 1);
        sayEverything(create(own, 0), 0);

        assertThat(waiting).isNotDone();
        var map = PodSide.map(now(side(create(child, 1)).joinUntilAnswered(report(1, 0, -1, 1))));
        assertThat(map.pods()).extracting(pod -> pod.name()).containsExactly("set-workers-0-0", "set-workers-0-1");
        assertThat(map.nspace())
                .isEqualTo(namespace + ".set-" + set.getMetadata().getUid().substring(0, 8) + "-0");
        now(waiting);
    }

    private GenericKubernetesResource createVolcanoJob(String in, String name) {
        load("""
                apiVersion: batch.volcano.sh/v1alpha1
                kind: Job
                metadata: {name: %s, namespace: %s}
                spec:
                  minAvailable: 2
                  policies: [{event: PodFailed, action: RestartJob}]
                  tasks:
                    - name: worker
                      replicas: 2
                      template:
                        metadata: {annotations: {fabric-operator.dev/launch: direct}}
                        spec: {restartPolicy: Never, containers: [{name: ranks, image: none}]}
                """.formatted(name, in));
        return jobs.admin
                .genericKubernetesResources("batch.volcano.sh/v1alpha1", "Job")
                .inNamespace(in)
                .withName(name)
                .get();
    }

    /** As Volcano makes them, but for the namespace. */
    private Pod createVolcanoPod(String in, String name, OwnerReference owner) {
        return jobs.createPod(
                in,
                name,
                Map.of(
                        "fabric-operator.dev/launch", "direct",
                        "volcano.sh/job-name", "gang",
                        "volcano.sh/job-namespace", namespace,
                        "volcano.sh/task-spec", "worker",
                        "volcano.sh/task-index", "1"),
                owner);
    }

    @Test
    void aPodOfAnotherNamespaceTakesNoPlaceInAVolcanoJobAndNorDoesOneThatOnlyItsLabelsPlace() throws Exception {
        GenericKubernetesResource gang = createVolcanoJob(namespace, "gang");
        OwnerReference victim = reference(
                "batch.volcano.sh/v1alpha1", "Job", "gang", gang.getMetadata().getUid());
        Pod first = createVolcanoPod(namespace, "gang-worker-0", victim);
        Pod second = createVolcanoPod(namespace, "gang-worker-1", victim);
        var waiting = side(first).joinUntilAnswered(report(0, 0, -1, 1));

        sayEverything(createVolcanoPod(HOSTILE, "gang-worker-1", victim), 1);
        createVolcanoJob(HOSTILE, "gang");
        sayEverything(createVolcanoPod(HOSTILE, "gang-worker-0", victim), 0);
        Pod labelled = createVolcanoPod(namespace, "gang-worker-one", victim);
        assertThat(now(side(labelled).join(report(1, 9, -1, 1))).statusCode()).isEqualTo(403);
        Pod ofKubernetes = createVolcanoPod(
                namespace,
                "gang-worker-2",
                reference("batch/v1", "Job", "gang", gang.getMetadata().getUid()));
        assertThat(now(side(ofKubernetes).join(report(1, 9, -1, 1))).statusCode())
                .isEqualTo(403);

        assertThat(waiting).as("only the victim's own pods make it whole").isNotDone();
        var map = PodSide.map(now(side(second).joinUntilAnswered(report(1, 0, -1, 1))));
        assertThat(map.pods()).extracting(pod -> pod.name()).containsExactly("gang-worker-0", "gang-worker-1");
        assertThat(map.attempt()).isZero();
        assertThat(map.nspace())
                .isEqualTo(namespace + ".gang-" + gang.getMetadata().getUid().substring(0, 8) + "-0");
        now(waiting);
    }

    private String createStatefulSet(String in, String name) {
        load("""
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: %1$s, namespace: %2$s}
                spec:
                  replicas: 2
                  podManagementPolicy: Parallel
                  selector: {matchLabels: {app: %1$s}}
                  template:
                    metadata: {labels: {app: %1$s}, annotations: {fabric-operator.dev/launch: direct}}
                    spec: {containers: [{name: ranks, image: none}]}
                """.formatted(name, in));
        return jobs.admin
                .apps()
                .statefulSets()
                .inNamespace(in)
                .withName(name)
                .get()
                .getMetadata()
                .getUid();
    }

    /** As the StatefulSet's controller makes its second pod, but for namespace and name. */
    private Pod createStatefulPod(String in, String name, OwnerReference owner) {
        return jobs.createPod(
                in,
                name,
                Map.of(
                        "fabric-operator.dev/launch", "direct",
                        "app", "served",
                        "apps.kubernetes.io/pod-index", "1",
                        "statefulset.kubernetes.io/pod-name", "served-1"),
                owner);
    }

    @Test
    void aPodOfAnotherNamespaceTakesNoPlaceInAStatefulSetAndNorDoesOneThatOnlyItsLabelsPlace() throws Exception {
        String uid = createStatefulSet(namespace, "served");
        OwnerReference victim = reference("apps/v1", "StatefulSet", "served", uid);
        Pod first = createStatefulPod(namespace, "served-0", victim);
        Pod second = createStatefulPod(namespace, "served-1", victim);
        var waiting = side(first).joinUntilAnswered(report(0, 0, -1, 1));

        sayEverything(createStatefulPod(HOSTILE, "served-1", victim), 1);
        createStatefulSet(HOSTILE, "served");
        sayEverything(createStatefulPod(HOSTILE, "served-0", victim), 0);
        Pod labelled = createStatefulPod(namespace, "served-one", victim);
        assertThat(now(side(labelled).join(report(1, 9, -1, 1))).statusCode()).isEqualTo(403);
        Pod ofAJob = createStatefulPod(namespace, "served-3", reference("batch/v1", "Job", "served", uid));
        assertThat(now(side(ofAJob).join(report(1, 9, -1, 1))).statusCode()).isEqualTo(403);
        PodSide beyond = side(createStatefulPod(namespace, "served-2", victim));
        // 503 for as long as the StatefulSet may have got one replica more since it was read.
        eventually(() ->
                assertThat(now(beyond.join(report(1, 9, -1, 1))).statusCode()).isEqualTo(403));

        assertThat(waiting).as("only the victim's own pods make it whole").isNotDone();
        var map = PodSide.map(now(side(second).joinUntilAnswered(report(1, 0, -1, 1))));
        assertThat(map.pods()).extracting(pod -> pod.name()).containsExactly("served-0", "served-1");
        assertThat(map.attempt()).isZero();
        assertThat(map.nspace()).isEqualTo(namespace + ".served-" + uid.substring(0, 8) + "-0");
        now(waiting);
    }

    private String createLeaderWorkerSet(String in) {
        load("""
                apiVersion: leaderworkerset.x-k8s.io/v1
                kind: LeaderWorkerSet
                metadata: {name: led, namespace: %s}
                spec:
                  replicas: 1
                  leaderWorkerTemplate:
                    size: 3
                    workerTemplate:
                      metadata: {annotations: {fabric-operator.dev/launch: direct}}
                      spec: {containers: [{name: ranks, image: none}]}
                """.formatted(in));
        return jobs.admin
                .genericKubernetesResources("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet")
                .inNamespace(in)
                .withName("led")
                .require()
                .getMetadata()
                .getUid();
    }

    /** As LeaderWorkerSet's controller makes them, or would not. */
    private OwnerReference createStatefulSetOf(OwnerReference owner, String in, String name) {
        createStatefulSet(in, name);
        var set = jobs.admin.apps().statefulSets().inNamespace(in).withName(name);
        eventually(() -> set.edit(owned -> {
            owned.getMetadata().setOwnerReferences(List.of(owner));
            return owned;
        }));
        String uid = set.require().getMetadata().getUid();
        return reference("apps/v1", "StatefulSet", name, uid);
    }

    private Pod createPodOfAGroup(String in, String name, OwnerReference owner, int workerIndex) {
        return jobs.createPod(
                in,
                name,
                Map.of(
                        "fabric-operator.dev/launch", "direct",
                        "leaderworkerset.sigs.k8s.io/name", "led",
                        "leaderworkerset.sigs.k8s.io/group-index", "0",
                        "leaderworkerset.sigs.k8s.io/worker-index", Integer.toString(workerIndex)),
                owner);
    }

    private static OwnerReference reference(Pod pod) {
        return reference(
                "v1", "Pod", pod.getMetadata().getName(), pod.getMetadata().getUid());
    }

    @Test
    void aPodOfAnotherNamespaceTakesNoPlaceInAGroupAndNorDoesOneThatOnlyItsLabelsPlace() throws Exception {
        String uid = createLeaderWorkerSet(namespace);
        OwnerReference victim = reference("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "led", uid);
        OwnerReference leaders = createStatefulSetOf(victim, namespace, "led");
        Pod leader = createPodOfAGroup(namespace, "led-0", leaders, 0);
        OwnerReference workers = createStatefulSetOf(reference(leader), namespace, "led-0");
        Pod first = createPodOfAGroup(namespace, "led-0-1", workers, 1);
        var waiting = List.of(
                side(leader).joinUntilAnswered(report(0, 0, -1, 1)),
                side(first).joinUntilAnswered(report(1, 0, -1, 1)));

        // Each link of the chain across the border.
        sayEverything(createPodOfAGroup(HOSTILE, "led-0-2", workers, 2), 2);
        createLeaderWorkerSet(HOSTILE);
        OwnerReference theirLeaders = createStatefulSetOf(victim, HOSTILE, "led");
        sayEverything(createPodOfAGroup(HOSTILE, "led-1", theirLeaders, 0), 0);
        OwnerReference ofVictimsLeader = createStatefulSetOf(reference(leader), HOSTILE, "led-0");
        sayEverything(createPodOfAGroup(HOSTILE, "led-0-1", ofVictimsLeader, 1), 1);
        Pod theirLeader = createPodOfAGroup(HOSTILE, "led-7", leaders, 0);
        OwnerReference ofTheirLeader = createStatefulSetOf(reference(theirLeader), HOSTILE, "led-7");
        assertRefused(createPodOfAGroup(HOSTILE, "led-7-2", ofTheirLeader, 2));
        // Within the namespace what lies by labels and names, which the controllers do not read.
        OwnerReference second = createStatefulSetOf(victim, namespace, "led-too");
        assertRefused(createPodOfAGroup(namespace, "led-too-0", second, 0));
        OwnerReference ofAWorker = createStatefulSetOf(reference(first), namespace, "led-0-1");
        assertRefused(createPodOfAGroup(namespace, "led-0-1-2", ofAWorker, 2));
        assertRefused(createPodOfAGroup(namespace, "led-0-two", workers, 2));
        assertRefused(createPodOfAGroup(namespace, "led-0-0", workers, 0));
        assertRefused(createPodOfAGroup(namespace, "led-2-2", workers, 2));
        PodSide beyond = side(createPodOfAGroup(namespace, "led-0-3", workers, 3));
        // 503 for as long as the group may have got larger since it was read.
        eventually(() ->
                assertThat(now(beyond.join(report(1, 9, -1, 1))).statusCode()).isEqualTo(403));

        assertThat(waiting).as("only the victim's own pods make it whole").noneMatch(CompletableFuture::isDone);
        Pod last = createPodOfAGroup(namespace, "led-0-2", workers, 2);
        var map = PodSide.map(now(side(last).joinUntilAnswered(report(2, 0, -1, 1))));
        assertThat(map.pods()).extracting(pod -> pod.name()).containsExactly("led-0", "led-0-1", "led-0-2");
        assertThat(map.attempt()).isZero();
        assertThat(map.nspace()).isEqualTo(namespace + ".led-0-" + uid.substring(0, 8) + "-0");
        for (var answer : waiting) {
            now(answer);
        }
    }

    private void assertRefused(Pod pod) throws Exception {
        assertThat(now(side(pod).join(report(1, 9, -1, 1))).statusCode())
                .as(pod.getMetadata().getName())
                .isIn(403, 409);
    }

    @Test
    void aJobAndAVolcanoJobOfOneNameHaveAFabricJobEach() throws Exception {
        Job job = jobs.createJob(namespace, "twins", 1, Map.of());
        PodSide.map(now(side(create(job, 0)).joinUntilAnswered(report(0, 0, -1, 1))));
        jobs.fabricJob(job, JobPhase.Running);
        GenericKubernetesResource other = createVolcanoJob(namespace, "twins");
        OwnerReference owner = reference(
                "batch.volcano.sh/v1alpha1", "Job", "twins", other.getMetadata().getUid());
        var waiting = side(createVolcanoPod(namespace, "twins-worker-0", owner)).joinUntilAnswered(report(0, 0, -1, 1));
        now(side(createVolcanoPod(namespace, "twins-worker-1", owner)).joinUntilAnswered(report(1, 0, -1, 1)));
        now(waiting);

        FabricJob found = Awaitility.await()
                .atMost(LIMIT)
                .until(
                        () -> jobs.admin
                                .resources(FabricJob.class)
                                .inNamespace(namespace)
                                .withName("twins-vcjob")
                                .get(),
                        one -> one != null && one.getStatus() != null);
        assertThat(found.getMetadata().getOwnerReferences())
                .extracting(OwnerReference::getUid)
                .containsExactly(other.getMetadata().getUid());
        assertThat(jobs.fabricJob(job, JobPhase.Running).getMetadata().getOwnerReferences())
                .extracting(OwnerReference::getUid)
                .containsExactly(job.getMetadata().getUid());
    }

    private Job createOwned(String name, String in, Map<String, String> labels, OwnerReference owner) {
        return jobs.admin
                .resource(new JobBuilder(PlayedJobs.job(in, name, 2, Map.of()))
                        .editMetadata()
                        .withLabels(labels)
                        .withOwnerReferences(owner)
                        .endMetadata()
                        .build())
                .create();
    }

    @Test
    void aJobOfTwoThousandMillionPodsIsRefusedAndTheOthersGoOn() throws Exception {
        Job huge = jobs.admin
                .resource(new JobBuilder(PlayedJobs.job(HOSTILE, "huge", 2, Map.of()))
                        .editSpec()
                        .withCompletions(2_000_000_000)
                        .endSpec()
                        .build())
                .create();

        for (int index = 0; index < 2; index++) {
            HttpResponse<byte[]> refused = now(side(create(huge, index)).join(report(index, 0, -1, 1)));
            assertThat(refused.statusCode()).isEqualTo(409);
            assertThat(PodSide.text(refused))
                    .startsWith("Job huge has 2000000000 pods, and a direct launch takes at most 16000");
        }

        eventually(() -> assertThat(
                        jobs.fabricJob(huge, JobPhase.Assembling).getStatus().conditions())
                .filteredOn(condition -> condition.type().equals("Whole"))
                .extracting(Condition::reason)
                .containsExactly("CannotBeLaunched"));
        Job small = jobs.createJob(namespace, "small", 1, Map.of());
        assertThat(PodSide.map(now(side(create(small, 0)).joinUntilAnswered(report(0, 0, -1, 1))))
                        .size())
                .isEqualTo(1);
    }
}
