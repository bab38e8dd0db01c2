/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import static dev.fabricoperator.e2e.job.JobCase.now;
import static dev.fabricoperator.e2e.job.JobCase.report;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.FaultyApiServer;
import dev.fabricoperator.e2e.cluster.FaultyApiServer.Fault;
import dev.fabricoperator.e2e.cluster.Ports;
import dev.fabricoperator.e2e.junit.ClassNamespace;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A job that ends while no server has it is told as ended, by one writer at a time. */
@WithControlPlane(own = true, needs = Component.CONTROLLER_MANAGER)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UnservedJobsTest {
    private static final String OF_SERVER = "every rank ended with code 0";

    @TempDir
    static Path directory;

    private JobCase jobs;
    private FaultyApiServer apiOfController;
    private FaultyApiServer apiOfServer;
    private OperatorProcess controller;
    private OperatorProcess server;
    private String namespace;
    private final String port = Integer.toString(Ports.free());

    @BeforeAll
    void start(ControlPlane cluster, @ClassNamespace String name) {
        namespace = name;
        jobs = new JobCase(cluster, directory);
        apiOfController = FaultyApiServer.start(cluster, directory.resolve("of-controller"));
        apiOfServer = FaultyApiServer.start(cluster, directory.resolve("of-server"));
        controller = OperatorProcess.begin(
                apiOfController,
                directory,
                "controller",
                Map.of("FABRIC_OPERATOR_JOB_ENDS_INTERVAL", "1s", "FABRIC_OPERATOR_JOB_ENDS_SILENCE", "2s"));
        startServer();
        eventually(() -> assertThat(controller.isReady()).isTrue());
    }

    @AfterEach
    void playNothing() {
        apiOfController.play(request -> Fault.NONE);
        apiOfServer.play(request -> Fault.NONE);
        if (!server.isAlive()) {
            startServer();
        }
    }

    @AfterAll
    void stop() {
        server.kill();
        controller.kill();
        apiOfController.close();
        apiOfServer.close();
        jobs.close();
    }

    private void startServer() {
        server = jobs.beginServer(
                apiOfServer, Map.of("FABRIC_OPERATOR_JOBS_PORT", port, "FABRIC_OPERATOR_JOBS_HOLD", "2s"));
        eventually(() -> assertThat(server.isReady()).isTrue());
    }

    private PodSide side(Pod pod) {
        return jobs.side(URI.create("https://127.0.0.1:" + port), pod);
    }

    /** Its pods, once they have the map of the first attempt. */
    private List<Pod> launched(Job job) throws Exception {
        List<Pod> pods = jobs.pods(job, 2);
        var answers = pods.stream()
                .map(pod -> side(pod).joinUntilAnswered(report(JobCase.index(pod), 0, -1, 1)))
                .toList();
        for (var answer : answers) {
            assertThat(PodSide.map(now(answer)).attempt()).isZero();
        }
        return pods;
    }

    private static Condition finished(FabricJob job) {
        return job.getStatus().conditions().stream()
                .filter(condition -> condition.type().equals("Finished"))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> writersOfStatus(FabricJob job) {
        return job.getMetadata().getManagedFields().stream()
                .filter(field -> "status".equals(field.getSubresource()))
                .map(field -> field.getManager())
                .sorted()
                .toList();
    }

    private FabricJob get(String name) {
        return Objects.requireNonNull(jobs.admin
                .resources(FabricJob.class)
                .inNamespace(namespace)
                .withName(name)
                .get());
    }

    private static boolean isStatusOf(FaultyApiServer.Request request, String name) {
        return request.isWrite() && request.path().endsWith("/fabricjobs/" + name + "/status");
    }

    private static boolean hasEnded(JobPhase phase) {
        return phase == JobPhase.Succeeded || phase == JobPhase.Failed;
    }

    /** Phases that a FabricJob has had from now on. */
    private final class Phases implements Watcher<FabricJob>, AutoCloseable {
        private final List<JobPhase> seen = new CopyOnWriteArrayList<>();
        private final Watch watch;

        Phases(String name) {
            watch = jobs.admin
                    .resources(FabricJob.class)
                    .inNamespace(namespace)
                    .withName(name)
                    .watch(this);
        }

        @Override
        public void eventReceived(Action action, FabricJob job) {
            if (job.getStatus() != null) {
                seen.add(job.getStatus().phase());
            }
        }

        @Override
        public void onClose(WatcherException cause) {}

        /** That it has ended, and has not gone on after that. */
        void assertOneEnd() {
            assertThat(seen).anyMatch(UnservedJobsTest::hasEnded);
            assertThat(seen.stream().dropWhile(phase -> !hasEnded(phase))).allMatch(UnservedJobsTest::hasEnded);
        }

        @Override
        public void close() {
            watch.close();
        }
    }

    @Test
    void jobsThatEndWhileNoServerIsThereAreToldAsTheirOwnersSay() throws Exception {
        Job well = jobs.createJob(namespace, "well", 2, Map.of());
        Job badly = jobs.admin
                .resource(new JobBuilder(PlayedJobs.job(namespace, "badly", 2, Map.of()))
                        .editSpec()
                        .withBackoffLimit(0)
                        .endSpec()
                        .build())
                .create();
        Job left = jobs.createJob(namespace, "left", 2, Map.of());
        List<Pod> podsOfWell = launched(well);
        List<Pod> podsOfBadly = launched(badly);
        launched(left);
        for (Job job : List.of(well, badly, left)) {
            jobs.fabricJob(job, JobPhase.Running);
        }
        server.kill();

        podsOfWell.forEach(pod -> jobs.end(pod, "Succeeded"));
        podsOfBadly.forEach(pod -> jobs.end(pod, "Failed"));
        // As the garbage collector does for a Job that is deleted with --cascade=orphan.
        eventually(() -> jobs.admin.resource(get("left")).edit(object -> {
            object.getMetadata().setOwnerReferences(List.of());
            return object;
        }));

        FabricJob told = jobs.fabricJob(well, JobPhase.Succeeded);
        assertThat(finished(told).reason()).isEqualTo("JobSucceeded");
        assertThat(finished(told).message()).startsWith("Job well is complete").contains("no server was there");
        assertThat(told.getStatus().readyRanks())
                .as("what the server wrote stays")
                .isEqualTo(2);
        assertThat(writersOfStatus(told)).containsExactly("fabric-job-end", "fabric-job-service");
        assertThat(finished(jobs.fabricJob(badly, JobPhase.Failed)).message())
                .startsWith("Job badly has failed: BackoffLimitExceeded");
        assertThat(finished(jobs.fabricJob(left, JobPhase.Failed)).message()).startsWith("its owner is gone");
    }

    /** As of a kind whose version the API server serves no more: it does not say that there are no such objects. */
    @Test
    void thatOwnersCannotBeReadIsSaidOnceAndEndsNoJob() throws Exception {
        List<Job> unread = List.of(
                jobs.createJob(namespace, "unread", 2, Map.of()), jobs.createJob(namespace, "unread-too", 2, Map.of()));
        List<Pod> pods = new ArrayList<>();
        for (Job job : unread) {
            pods.addAll(launched(job));
            jobs.fabricJob(job, JobPhase.Running);
        }
        server.kill();
        AtomicInteger asked = new AtomicInteger();
        apiOfController.play(request -> {
            if (!request.isWrite() && request.path().contains("/jobs/unread")) {
                asked.incrementAndGet();
                return new Fault.Refused(404);
            }
            return Fault.NONE;
        });
        pods.forEach(pod -> jobs.end(pod, "Succeeded"));
        String said = "whether a Job of batch/v1 has ended cannot be read";
        eventually(() -> assertThat(controller.log()).contains(said, "delete these FabricJobs"));
        int before = asked.get();
        eventually(() -> assertThat(asked.get()).isGreaterThan(before + 4));
        assertThat(controller.log()).containsOnlyOnce(said);
        assertThat(get("unread").getStatus().phase()).isEqualTo(JobPhase.Running);

        apiOfController.play(request -> Fault.NONE);
        for (Job job : unread) {
            jobs.fabricJob(job, JobPhase.Succeeded);
        }
    }

    @Test
    void aJobThatGoesOnWithoutAServerIsNotEnded() throws Exception {
        Job job = jobs.createJob(namespace, "goes-on", 2, Map.of());
        List<Pod> pods = launched(job);
        jobs.fabricJob(job, JobPhase.Running);
        server.kill();
        // Another one that has ended shows that the controller has looked.
        Job other = jobs.createJob(namespace, "has-ended", 2, Map.of());
        FabricJob written = get("goes-on");
        FabricJob alike = new FabricJob();
        alike.setMetadata(written.getMetadata()
                .edit()
                .withName("has-ended")
                .withUid(null)
                .withResourceVersion(null)
                .withManagedFields()
                .editFirstOwnerReference()
                .withName("has-ended")
                .withUid(other.getMetadata().getUid())
                .endOwnerReference()
                .build());
        alike.setSpec(written.getSpec());
        jobs.admin.resource(alike).create();
        jobs.pods(other, 2).forEach(pod -> jobs.end(pod, "Succeeded"));
        jobs.fabricJob(other, JobPhase.Succeeded);

        assertThat(get("goes-on").getStatus().phase()).isEqualTo(JobPhase.Running);

        startServer();
        pods.forEach(pod ->
                eventually(() -> assertThat(side(pod).event(0, "finished 0")).isEqualTo(204)));
        assertThat(finished(jobs.fabricJob(job, JobPhase.Succeeded)).message()).isEqualTo(OF_SERVER);
    }

    @Test
    void aServersWriteThatIsLateDoesNotSetAnEndedJobBackToRunning() throws Exception {
        CompletableFuture<Void> controllerHasWritten = new CompletableFuture<>();
        Job job = jobs.createJob(namespace, "late-server", 2, Map.of());
        List<Pod> pods = jobs.pods(job, 2);
        var first = side(pods.getFirst()).join(report(0, 0, -1, 1));
        jobs.fabricJob(job, JobPhase.Assembling);
        try (Phases phases = new Phases("late-server")) {
            // The server's next one says that the ranks run; that they have ended waits behind it.
            List<FaultyApiServer.Request> held = new CopyOnWriteArrayList<>();
            apiOfServer.play(request -> {
                if (isStatusOf(request, "late-server") && !controllerHasWritten.isDone()) {
                    held.add(request);
                    return new Fault.Held(controllerHasWritten);
                }
                return Fault.NONE;
            });
            var second = side(pods.getLast()).joinUntilAnswered(report(1, 0, -1, 1));
            assertThat(now(second).statusCode()).isEqualTo(200);
            eventually(() -> assertThat(held).isNotEmpty());

            pods.forEach(pod -> eventually(
                    () -> assertThat(side(pod).event(0, "finished 0")).isEqualTo(204)));
            pods.forEach(pod -> jobs.end(pod, "Succeeded"));
            assertThat(finished(jobs.fabricJob(job, JobPhase.Succeeded)).message())
                    .contains("no server was there");
            controllerHasWritten.complete(null);

            eventually(() -> assertThat(finished(get("late-server")).message()).isEqualTo(OF_SERVER));
            phases.assertOneEnd();
        }
        assertThat(now(first).statusCode()).isIn(200, 204);
    }

    @Test
    void theControllersWriteThatIsLateChangesNothingOfWhatAServerHasSaid() throws Exception {
        CompletableFuture<Void> controllerWrites = new CompletableFuture<>();
        CompletableFuture<Void> serverHasWritten = new CompletableFuture<>();
        Job job = jobs.createJob(namespace, "late-controller", 2, Map.of());
        List<Pod> pods = launched(job);
        jobs.fabricJob(job, JobPhase.Running);
        apiOfServer.play(request -> isStatusOf(request, "late-controller") && !controllerWrites.isDone()
                ? new Fault.Held(controllerWrites)
                : Fault.NONE);
        List<FaultyApiServer.Request> held = new CopyOnWriteArrayList<>();
        apiOfController.play(request -> {
            if (isStatusOf(request, "late-controller") && !serverHasWritten.isDone()) {
                held.add(request);
                return new Fault.Held(serverHasWritten);
            }
            return Fault.NONE;
        });
        pods.forEach(pod ->
                eventually(() -> assertThat(side(pod).event(0, "finished 0")).isEqualTo(204)));
        pods.forEach(pod -> jobs.end(pod, "Succeeded"));
        eventually(() -> assertThat(held).isNotEmpty());

        controllerWrites.complete(null);
        FabricJob told = jobs.fabricJob(job, JobPhase.Succeeded);
        serverHasWritten.complete(null);

        // When it has told of another one, that ends later, it has looked at this one again.
        Job after = jobs.createJob(namespace, "after-late", 2, Map.of());
        List<Pod> podsAfter = launched(after);
        jobs.fabricJob(after, JobPhase.Running);
        server.kill();
        podsAfter.forEach(pod -> jobs.end(pod, "Succeeded"));
        jobs.fabricJob(after, JobPhase.Succeeded);
        assertThat(get("late-controller").getMetadata().getResourceVersion())
                .isEqualTo(told.getMetadata().getResourceVersion());
        assertThat(finished(told).message()).isEqualTo(OF_SERVER);
        assertThat(writersOfStatus(told)).containsExactly("fabric-job-service");
    }

    @Test
    void aServerThatHasNotHeardOfAPodsEndAsksTheOwner() throws Exception {
        Job job = jobs.createJob(namespace, "unheard", 2, Map.of());
        List<Pod> pods = launched(job);
        jobs.fabricJob(job, JobPhase.Running);
        server.kill();
        jobs.end(pods.getFirst(), "Succeeded");
        eventually(() -> assertThat(jobs.admin.resource(job).get().getStatus().getSucceeded())
                .isEqualTo(1));

        startServer();
        eventually(() -> assertThat(side(pods.getLast()).event(0, "finished 0")).isEqualTo(204));
        jobs.end(pods.getLast(), "Succeeded");

        eventually(() -> assertThat(finished(get("unheard")).message()).isEqualTo(OF_SERVER));
        assertThat(get("unheard").getStatus().phase()).isEqualTo(JobPhase.Succeeded);
    }
}
