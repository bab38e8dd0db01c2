/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.service.JobServiceThread;
import dev.fabricoperator.pmix.pmixd.service.ServiceSettings;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobTicket;
import dev.fabricoperator.protocol.job.PodReport;
import dev.fabricoperator.protocol.job.TrafficReport;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a pod makes of the job service's answers. */
class JobServiceThreadTest {
    private static final long PATIENCE_MILLIS = 2_000;
    private static final long ENOUGH_MILLIS = 60_000;
    private static final String GOES_ON = "202 an attempt goes on";

    /** What the loop is told, one line each. */
    private static final class Told implements JobServiceThread.Listener {
        final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

        @Override
        public void joined(JobMap map, byte[] encoded) {
            lines.add("joined");
        }

        @Override
        public void ticketed(JobTicket ticket) {
            lines.add("ticketed");
        }

        @Override
        public void refused(int exitCode, String text) {
            lines.add("refused " + exitCode + " " + text);
        }

        @Override
        public void unanswered(String sentence) {
            lines.add(sentence);
        }

        @Override
        public void newerWanted(int attempt) {
            lines.add("newer than " + attempt);
        }

        @Override
        public void fabricChanged(int attempt, JobFabricUpdate update) {
            lines.add("fabric");
        }

        String next() throws InterruptedException {
            return String.valueOf(lines.poll(1, TimeUnit.MINUTES));
        }
    }

    private static PodReport report() {
        return new PodReport(new byte[16], -1, new byte[] {127, 0, 0, 1}, 7471, 1, "0", "0", List.of());
    }

    /** Asks with answers to come, when a first attempt has made the connection. */
    private static Told join(PlayedJobService service, Path directory, List<String> answers) throws Exception {
        Told told = new Told();
        JobServiceThread thread = start(service, directory, told);
        thread.join(report(), false, ENOUGH_MILLIS);
        assertThat(told.next()).isEqualTo("joined");
        service.answerFirst("pod-0", answers);
        thread.join(report().after(0), false, PATIENCE_MILLIS);
        return told;
    }

    private static JobServiceThread start(PlayedJobService service, Path directory, Told told) throws Exception {
        Map<String, String> environment = service.environment();
        String address = URI.create(Objects.requireNonNull(environment.get("FABRIC_JOB_SERVICE"))
                        .split(",")[0])
                .getAuthority();
        Path token = Files.writeString(directory.resolve("token"), "pod-0");
        EventLoop loop = new EventLoop();
        Thread.ofPlatform().daemon().start(() -> loop.run());
        JobServiceThread thread = new JobServiceThread(
                loop,
                new ServiceSettings(
                        List.of(address),
                        PlayedJobService.SERVER_NAME,
                        Objects.requireNonNull(environment.get("FABRIC_JOB_SERVICE_CA")),
                        token),
                told);
        thread.start();
        return thread;
    }

    /** Each answer alone is held for less than the patience, all together for more than twice as long. */
    @Test
    void aPodThatIsNotOfTheAttemptThatGoesOnWaitsForTheNextOneHoweverLate(@TempDir Path directory) throws Exception {
        try (PlayedJobService service = new PlayedJobService(directory, 1)) {
            Told told = join(service, directory, Collections.nCopies(6, GOES_ON));
            assertThat(told.next()).as("said once").isEqualTo(GOES_ON);
            assertThat(told.next()).isEqualTo("joined");
        }
    }

    @Test
    void whatIsNotKnownYetIsAskedAgainAndARefusalStands(@TempDir Path directory) throws Exception {
        try (PlayedJobService service = new PlayedJobService(directory, 1)) {
            List<String> answers = List.of("503 Service Unavailable", "204 No Content", "403 Forbidden");
            assertThat(join(service, directory, answers).next()).isEqualTo("refused 125 403 Forbidden");
        }
    }

    /** Which is longer than it waits for its job. */
    @Test
    void aPodThatIsToldWhenToAskAgainAsksNotBefore(@TempDir Path directory) throws Exception {
        try (PlayedJobService service = new PlayedJobService(directory, 1)) {
            List<String> answers = Collections.nCopies(100, "503 Service Unavailable\r\nRetry-After: 20");
            assertThat(join(service, directory, answers).next())
                    .startsWith("refused 124 this job was not whole within 2 s:")
                    .contains("it answers 503");
            assertThat(service.answersLeft("pod-0")).isEqualTo(99);
        }
    }

    /** As while a release is rolled out: what comes after it must not wait for what an earlier one will never know. */
    @Test
    void anEventThatTheServiceDoesNotUnderstandIsToldOnce(@TempDir Path directory) throws Exception {
        try (PlayedJobService service = new PlayedJobService(directory, 1)) {
            service.doNotUnderstand("clients ");
            Told told = new Told();
            JobServiceThread thread = start(service, directory, told);
            thread.join(report(), false, ENOUGH_MILLIS);
            assertThat(told.next()).isEqualTo("joined");
            thread.report(0, "clients 0 1 0");
            thread.report(0, "finished 0");
            await().atMost(Duration.ofMinutes(1)).until(thread::isIdle);
            assertThat(service.events()).containsExactly("pod-0 clients 0 1 0", "pod-0 finished 0");
        }
    }

    @Test
    void whatPodsHaveSentIsToldOnceWhereItIsTooLongAndAgainWhereItComesTooSoon(@TempDir Path directory)
            throws Exception {
        try (PlayedJobService service = new PlayedJobService(directory, 1)) {
            Told told = new Told();
            JobServiceThread thread = start(service, directory, told);
            thread.join(report(), false, ENOUGH_MILLIS);
            assertThat(told.next()).isEqualTo("joined");
            service.trafficRefusals().addAll(List.of("413 Content Too Large", "409 Conflict"));
            thread.tellTraffic(0, TrafficReport.NONE);
            await().atMost(Duration.ofMinutes(1)).until(thread::isIdle);
            assertThat(service.trafficRefusals()).containsExactly("409 Conflict");
            assertThat(service.traffic()).isNotNull();

            service.trafficRefusals().clear();
            service.trafficRefusals()
                    .addAll(List.of(
                            "429 Too Many Requests\r\nRetry-After: 1", "429 Too Many Requests\r\nRetry-After: 1"));
            thread.tellTraffic(0, TrafficReport.NONE);
            await().atMost(Duration.ofMinutes(1)).until(thread::isIdle);
            assertThat(service.trafficRefusals()).isEmpty();
        }
    }
}
