/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.query.FabricQuery;
import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.fabric.traffic.LinkFault;
import dev.fabricoperator.operator.HandMovedClock;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.RankOrder;
import dev.fabricoperator.operator.server.jobs.assembly.Assembly;
import dev.fabricoperator.operator.server.jobs.assembly.JobPodId;
import dev.fabricoperator.operator.server.jobs.placement.BuiltMap;
import dev.fabricoperator.operator.server.jobs.placement.JobTickets;
import dev.fabricoperator.operator.server.jobs.placement.KnownFabrics;
import dev.fabricoperator.operator.server.jobs.status.ImpairedRanks;
import dev.fabricoperator.operator.server.jobs.status.Placement;
import dev.fabricoperator.operator.server.served.JobTraffic;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.protocol.job.JobApp;
import dev.fabricoperator.protocol.job.JobCodecException;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobMapCodec;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.job.PodReport;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a job of two pods in fabric "ib" is told of it; the second pod is the first of the map. */
class ServedJobTest {
    private static final DirectJob JOB = new DirectJob(
            "space",
            new OwnerRef("batch/v1", "Job", "ring", "01234567-89ab"),
            List.of(new DirectJob.App("ring", 1, 2, 2)),
            Duration.ofMinutes(10),
            RankOrder.topology,
            null);
    private static final ServedJob.SeenFabric FIRST = new ServedJob.SeenFabric(1, false, "", null, null);

    private final HandMovedClock clock = new HandMovedClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final Known known = new Known();
    private final AtomicReference<@Nullable FabricOfJob> fabric = new AtomicReference<>();
    private final ServedJob job = new ServedJob(
            new Assembly(JOB, null, Assembly.HostsToPrepare.NONE, this::map),
            () -> JobTickets.NONE,
            fabric,
            clock,
            clock.steady(),
            Duration.ofSeconds(20));
    private boolean inFabric = true;
    private boolean onEthernet;
    private boolean onStorage;
    private boolean devicesLeft;
    private List<ImpairedRanks> impaired = List.of();
    private int renewals;

    /** What the server knows of the fabric. */
    private static final class Known implements KnownFabrics {
        private static final FabricQuery WITHOUT_ROUTES = new FabricQuery(FabricModel.of(List.of(), List.of()));

        private long generation = 1;
        private long ethernetGeneration = 1;
        private long storageGeneration = 1;
        private boolean pending;

        @Override
        public List<ServedDevice> devicesOf(String node) {
            return List.of();
        }

        @Override
        @SuppressWarnings("NullAway") // only its generation, its index and its routes are asked for
        public @Nullable ServedFabric fabric(String name) {
            assertThat(name).isIn("ib", "eth", "stor");
            if (name.equals("eth") && ethernetGeneration < 0) {
                return null;
            }
            boolean storage = name.equals("stor");
            Fabric object = new Fabric();
            object.setMetadata(
                    new ObjectMetaBuilder().withName(name).withUid(name).build());
            object.setStatus(FabricStatusBuilder.builder()
                    .index(name.equals("ib") ? 0 : storage ? 7 : 5)
                    .build());
            return new ServedFabric(
                    FabricFacts.of(object),
                    name.equals("ib") ? generation : storage ? storageGeneration : ethernetGeneration,
                    null,
                    null,
                    WITHOUT_ROUTES,
                    null,
                    List.of());
        }

        @Override
        public List<SwitchFacts> impairedSwitches() {
            return List.of();
        }

        @Override
        public JobTraffic jobTraffic() {
            return new JobTraffic(List.of(), device -> false);
        }

        @Override
        public Set<String> withPreparedHosts() {
            return Set.of();
        }

        @Override
        public boolean isPending(String name) {
            return pending;
        }
    }

    private byte[] map(int attempt, List<Assembly.JoinedPod> joined) {
        BuiltMap built = built();
        fabric.set(FabricOfJob.of(known, built));
        return JobMapCodec.encode(built.map());
    }

    private BuiltMap built() {
        return new BuiltMap(
                ofGeneration(1),
                JobMapCodec.HIGHEST_VERSION,
                () -> {
                    renewals++;
                    return devicesLeft ? null : ofGeneration(known.generation);
                },
                () -> impaired,
                () -> Placement.UNKNOWN);
    }

    private JobMap ofGeneration(long generation) {
        List<JobPod> pods = new ArrayList<>();
        for (int pod = 0; pod < 2; pod++) {
            String name = "ring-" + (1 - pod);
            pods.add(new JobPod(name, "host", 0, 2 * pod, 2, new byte[] {10, 0, 0, 1}, 7471, "", List.of()));
        }
        List<JobFabric> others = new ArrayList<>();
        if (onEthernet) {
            others.add(made("eth", 5, known.ethernetGeneration));
        }
        if (onStorage) {
            others.add(made("stor", 7, known.storageGeneration));
        }
        return new JobMap(
                "space.ring-0",
                0,
                new byte[32],
                List.of(new JobApp(0, "ring", 4)),
                pods,
                inFabric ? made("ib", 0, generation) : null,
                others);
    }

    private static JobFabric made(String name, int index, long generation) {
        return new JobFabric(name, null, name, index, generation, List.of(), List.of(), "", 0, new short[0], Map.of());
    }

    private static JobPodId pod(int ordinal) {
        return new JobPodId(ordinal, "ring-" + ordinal, "uid-" + ordinal, Instant.EPOCH, "node");
    }

    private void join() {
        for (int pod = 0; pod < 2; pod++) {
            PodReport report = new PodReport(new byte[16], -1, new byte[4], 7471, 2, "", "", List.of());
            var unused = job.join(pod(pod), report, false);
        }
    }

    private CompletableFuture<JobResponse> watch(int pod, ServedJob.@Nullable SeenFabric seen) {
        return job.watch(pod(pod), 0, seen, null);
    }

    private static JobFabricUpdate news(CompletableFuture<JobResponse> answer) throws JobCodecException {
        assertThat(answer).isDone();
        assertThat(answer.join().status()).isEqualTo(200);
        return JobFabricUpdate.decode(answer.join().body());
    }

    private static long generation(CompletableFuture<JobResponse> answer) throws JobCodecException {
        assertThat(news(answer)).isInstanceOf(JobFabricUpdate.Updated.class);
        JobMap map = ((JobFabricUpdate.Updated) news(answer)).map();
        return Objects.requireNonNull(map.fabric()).generation();
    }

    @ParameterizedTest
    @ValueSource(longs = {-90, 90})
    void aClockThatIsSetNeitherEndsAWaitNorProlongsIt(long seconds) {
        PodReport report = new PodReport(new byte[16], -1, new byte[4], 7471, 2, "", "", List.of());
        CompletableFuture<JobResponse> held = job.join(pod(0), report, false);

        clock.set(Duration.ofSeconds(seconds));
        job.expire();
        assertThat(held).isNotDone();
        clock.move(Duration.ofSeconds(20));
        job.expire();
        assertThat(held).isCompleted();

        clock.move(JOB.assemblyTimeout().minusSeconds(21));
        clock.set(Duration.ofSeconds(seconds));
        job.expire();
        assertThat(job.phase()).isEqualTo(JobPhase.Assembling);
        clock.move(Duration.ofSeconds(1));
        job.expire();
        assertThat(job.phase()).isEqualTo(JobPhase.TimedOut);
        assertThat(job.progress().waitingSince()).as("as it was when it began").isEqualTo("2026-01-01T00:00:00Z");
    }

    @Test
    void aPodThatTheAttemptHasNoSlotForIsToldThatItGoesOnAndAsksAgainWhenItHasEnded() {
        join();
        CompletableFuture<JobResponse> first = job.awaitNextAttempt("uid-2");
        assertThat(first).isNotDone();
        clock.move(Duration.ofSeconds(20));
        job.expire();
        assertThat(first).isCompletedWithValue(JobResponse.ATTEMPT_GOES_ON);

        CompletableFuture<JobResponse> second = job.awaitNextAttempt("uid-2");
        job.ended(pod(0), 0, 0, null);
        assertThat(second).as("one of two pods").isNotDone();
        job.ended(pod(1), 0, 0, null);
        assertThat(second).isCompletedWithValue(JobResponse.NOTHING);
    }

    @Test
    void theFirstPodIsToldThatAChangeIsPendingAndThenItsValues() throws Exception {
        join();
        CompletableFuture<JobResponse> waits = watch(1, FIRST);
        job.tellFabric();
        assertThat(waits).as("nothing has changed").isNotDone();

        known.pending = true;
        job.tellFabric();
        assertThat(news(waits)).isEqualTo(new JobFabricUpdate.Pending());

        CompletableFuture<JobResponse> again = watch(1, new ServedJob.SeenFabric(1, true, "", null, null));
        assertThat(again).as("it is pending still").isNotDone();
        known.generation = 2;
        known.pending = false;
        job.tellFabric();
        assertThat(generation(again)).isEqualTo(2);
    }

    @Test
    void whatHasChangedWhileNobodyAskedIsToldAtOnce() throws Exception {
        join();
        known.generation = 5;
        assertThat(generation(watch(1, FIRST))).isEqualTo(5);
    }

    @Test
    void aChangeThatIsAnnouncedAndDoesNotComeEndsWithTheValuesThatHold() throws Exception {
        join();
        assertThat(generation(watch(1, new ServedJob.SeenFabric(1, true, "", null, null))))
                .isEqualTo(1);
    }

    @Test
    void newValuesAreToldTwiceAtOnceAndThenOnceInASecond() throws Exception {
        join();
        known.generation = 2;
        assertThat(generation(watch(1, FIRST))).isEqualTo(2);
        known.generation = 3;
        clock.move(Duration.ofMillis(100));
        assertThat(generation(watch(1, new ServedJob.SeenFabric(2, false, "", null, null))))
                .isEqualTo(3);
        known.generation = 4;
        CompletableFuture<JobResponse> waits = watch(1, new ServedJob.SeenFabric(3, false, "", null, null));
        clock.move(Duration.ofMillis(999));
        job.tellFabric();
        assertThat(waits).isNotDone();
        known.generation = 5;
        clock.move(Duration.ofMillis(1));
        job.tellFabric();
        assertThat(generation(waits)).isEqualTo(5);
    }

    @Test
    void otherPodsAndWhoDoesNotAskAreNotTold() throws Exception {
        join();
        CompletableFuture<JobResponse> first = watch(1, FIRST);
        CompletableFuture<JobResponse> other = watch(0, FIRST);
        known.generation = 2;
        job.tellFabric();
        assertThat(generation(first)).isEqualTo(2);
        known.pending = true;
        clock.move(Duration.ofSeconds(1));
        CompletableFuture<JobResponse> silent = watch(1, null);
        job.tellFabric();
        assertThat(other).isNotDone();
        assertThat(silent).isNotDone();
    }

    /** The server may be of a later release than the job's pods, whose map it did not make. */
    @Test
    void aPodIsToldInAVersionThatItReads() throws Exception {
        join();
        CompletableFuture<JobResponse> ofTheReleaseBefore = watch(1, new ServedJob.SeenFabric(1, false, "", "", null));
        known.generation = 2;
        job.tellFabric();
        assertThat(version(ofTheReleaseBefore)).isBetween(5, JobMapCodec.VERSION_WITH_ROUTES);
        clock.move(Duration.ofSeconds(5));
        known.generation = 3;
        CompletableFuture<JobResponse> ofThisRelease =
                watch(1, new ServedJob.SeenFabric(2, false, "", "", null, JobMapCodec.HIGHEST_VERSION));
        job.tellFabric();
        assertThat(version(ofThisRelease)).isGreaterThan(JobMapCodec.VERSION_WITH_ROUTES);
    }

    /** Of the map in the news: its fourth byte. */
    private static int version(CompletableFuture<JobResponse> answer) throws JobCodecException {
        return ((JobFabricUpdate.Updated) news(answer)).encoded()[3];
    }

    @Test
    void aJobThatHasNoPartInAFabricIsNotTold() {
        inFabric = false;
        join();
        known.generation = 2;
        CompletableFuture<JobResponse> waits = watch(1, FIRST);
        job.tellFabric();
        assertThat(waits).isNotDone();
    }

    @Test
    void newsOfAnotherFabricOfTheJobAreToldToWhoSaysWhatItKnowsOfThatAndToNobodyElse() throws Exception {
        onEthernet = true;
        join();
        CompletableFuture<JobResponse> waits = watch(1, new ServedJob.SeenFabric(1, false, "5:1", null, null));
        job.tellFabric();
        assertThat(waits).as("it knows all").isNotDone();
        known.ethernetGeneration = -1;
        job.tellFabric();
        assertThat(waits).as("it is not served yet").isNotDone();
        known.ethernetGeneration = 2;
        job.tellFabric();
        assertThat(((JobFabricUpdate.Updated) news(waits)).map().otherGenerations())
                .isEqualTo("5:2");

        clock.move(Duration.ofSeconds(5));
        known.ethernetGeneration = -1;
        onEthernet = false;
        known.generation = 2;
        CompletableFuture<JobResponse> without = watch(1, new ServedJob.SeenFabric(1, false, "5:2", null, null));
        job.tellFabric();
        assertThat(((JobFabricUpdate.Updated) news(without)).map().otherGenerations())
                .isEmpty();
        clock.move(Duration.ofSeconds(5));
        known.ethernetGeneration = 2;
        onEthernet = true;
        CompletableFuture<JobResponse> back = watch(1, new ServedJob.SeenFabric(2, false, "", null, null));
        job.tellFabric();
        assertThat(((JobFabricUpdate.Updated) news(back)).map().otherGenerations())
                .as("it is served again")
                .isEqualTo("5:2");

        clock.move(Duration.ofSeconds(5));
        CompletableFuture<JobResponse> ofBefore = watch(1, new ServedJob.SeenFabric(2, false, null, null, null));
        job.tellFabric();
        assertThat(ofBefore).isNotDone();
        known.generation = 3;
        job.tellFabric();
        assertThat(((JobFabricUpdate.Updated) news(ofBefore)).map().fabrics()).hasSize(1);
    }

    @Test
    void newsOfOneFabricAreToldAlsoAfterAnotherOfTheJobIsGone() throws Exception {
        onEthernet = true;
        onStorage = true;
        join();
        known.ethernetGeneration = -1;
        onEthernet = false;
        known.storageGeneration = 2;
        CompletableFuture<JobResponse> waits = watch(1, new ServedJob.SeenFabric(1, false, "5:1,7:1", null, null));
        job.tellFabric();
        assertThat(((JobFabricUpdate.Updated) news(waits)).map().otherGenerations())
                .isEqualTo("7:2");
        clock.move(Duration.ofSeconds(5));
        CompletableFuture<JobResponse> next = watch(1, new ServedJob.SeenFabric(1, false, "7:2", null, null));
        job.tellFabric();
        assertThat(next).as("it knows all that is served").isNotDone();
    }

    @Test
    void whereAllDevicesHaveLeftTheFabricThatIsFoundOutOnceForEachGeneration() throws Exception {
        join();
        devicesLeft = true;
        known.generation = 2;
        CompletableFuture<JobResponse> waits = watch(1, FIRST);
        job.tellFabric();
        job.tellFabric();
        assertThat(waits).isNotDone();
        assertThat(renewals).isEqualTo(1);
        devicesLeft = false;
        known.generation = 3;
        job.tellFabric();
        assertThat(generation(waits)).isEqualTo(3);
    }

    private JobResponse tellMap(int pod) throws JobRefusedException {
        return job.mapTold(pod(pod), 0, () -> Objects.requireNonNull(FabricOfJob.of(known, built())));
    }

    private static ServedJob.SeenFabric knowing(JobFabricUpdate.Impaired impaired) {
        return new ServedJob.SeenFabric(1, false, "", null, impaired.digest());
    }

    private static ImpairedRanks onTheFirstPod(LinkFault kind) {
        return new ImpairedRanks(
                List.of(new ImpairedRanks.Use(0, 1, "fab://a")),
                List.of(new Impairment(kind, "/sys/x", 40, 10, 2, 60, 300, Instant.EPOCH)),
                "ranks 0-1: 40 of " + kind);
    }

    private CompletableFuture<JobResponse> devicesChange(
            CompletableFuture<JobResponse> waits, List<ImpairedRanks> now) {
        impaired = now;
        clock.move(Duration.ofSeconds(1));
        job.devicesChanged();
        job.tellFabric();
        return waits;
    }

    @Test
    void theFirstPodIsToldOfADeviceWithAnImpairedLinkOnceHoweverOftenItsSignsChange() throws Exception {
        join();
        JobFabricUpdate.Impaired none = new JobFabricUpdate.Impaired(List.of());
        CompletableFuture<JobResponse> older = devicesChange(
                watch(1, new ServedJob.SeenFabric(1, false, "", null, null)),
                List.of(onTheFirstPod(LinkFault.SymbolErrors)));
        assertThat(older).as("a pod of a release that has no use for it").isNotDone();

        CompletableFuture<JobResponse> told = watch(1, knowing(none));
        JobFabricUpdate.Impaired ill = (JobFabricUpdate.Impaired) news(told);
        assertThat(ill.devices())
                .containsExactly(new JobFabricUpdate.ImpairedDevice(0, "fab://a", "ranks 0-1: 40 of SymbolErrors"));

        CompletableFuture<JobResponse> waits = watch(1, knowing(ill));
        for (int change = 0; change < 20; change++) {
            LinkFault also = change % 2 == 0 ? LinkFault.LinkDowns : LinkFault.CarrierChanges;
            devicesChange(waits, List.of(onTheFirstPod(LinkFault.SymbolErrors), onTheFirstPod(also)));
        }
        assertThat(waits).isNotDone();
        assertThat(news(devicesChange(waits, List.of()))).isEqualTo(none);
        assertThat(watch(1, knowing(none))).isNotDone();
    }

    private static int status(CompletableFuture<JobResponse> answer) {
        return answer.isDone() ? answer.join().status() : 0;
    }

    @Test
    void aReplicaThatHasNotMadeTheJobsMapAsksForItAndThenTellsWhatHasChangedMeanwhile() throws Exception {
        known.generation = 2;
        CompletableFuture<JobResponse> waits = watch(1, FIRST);
        job.tellFabric();
        assertThat(waits).isNotDone();
        assertThat(job.askForMap()).isTrue();
        assertThat(status(waits)).isEqualTo(202);

        assertThat(tellMap(1)).isEqualTo(JobResponse.NOTHING);
        assertThat(generation(watch(1, FIRST))).isEqualTo(2);
        known.pending = true;
        clock.move(Duration.ofSeconds(5));
        CompletableFuture<JobResponse> again = watch(1, new ServedJob.SeenFabric(2, false, "", null, null));
        assertThat(job.askForMap()).as("it is known").isFalse();
        assertThat(news(again)).isEqualTo(new JobFabricUpdate.Pending());
    }

    @Test
    void whoDoesNotTellItsMapIsAskedAgainAfterPausesThatGrow() {
        List<Integer> asked = new ArrayList<>();
        for (int second = 0; second < 1_000; second++) {
            CompletableFuture<JobResponse> waits = watch(1, FIRST);
            if (job.askForMap()) {
                asked.add(second);
                assertThat(status(waits)).isEqualTo(202);
            }
            clock.move(Duration.ofSeconds(1));
        }
        assertThat(asked).containsExactly(0, 4, 12, 28, 60, 124, 252, 508, 808);
    }

    @Test
    void aMapThatNobodyHasAskedForIsNotRead() throws Exception {
        var silent = watch(1, null);
        assertThat(job.askForMap()).as("who is not to be told").isFalse();
        assertThatThrownBy(() -> tellMap(1)).isInstanceOf(JobRefusedException.class);
        var unused = watch(1, FIRST);
        assertThat(job.askForMap()).isTrue();
        assertThatThrownBy(() -> tellMap(0)).as("another pod").isInstanceOf(JobRefusedException.class);
        assertThat(tellMap(1)).isEqualTo(JobResponse.NOTHING);
        assertThatThrownBy(() -> tellMap(1)).as("once").isInstanceOf(JobRefusedException.class);
        assertThat(renewals).isZero();
        assertThat(status(silent)).as("it has asked again").isEqualTo(204);
    }

    @Test
    void aReplicaThatHasMadeTheJobsMapDoesNotAskForIt() {
        join();
        var unused = watch(1, FIRST);
        assertThat(job.askForMap()).isFalse();
    }

    @Test
    void aMapThatIsToldOfAnOldAttemptIsOutdated() throws Exception {
        var waits = watch(1, FIRST);
        assertThat(job.askForMap()).isTrue();
        assertThat(job.watch(pod(0), 1, null, null)).isNotDone();
        assertThat(tellMap(1)).isEqualTo(JobResponse.NEWER_ATTEMPT);
        assertThat(fabric.get()).isNull();
        assertThat(status(waits)).isEqualTo(202);
    }

    @Test
    void thePodThatAsksIsToldWhenSomebodyBeginsToWatchAndWhenNobodyDoesAnyMore() throws JobCodecException {
        AtomicBoolean watched = new AtomicBoolean();
        job.isWatched(watched::get);
        join();

        CompletableFuture<JobResponse> waits = job.watch(pod(1), 0, null, false);
        job.tellTrafficWanted();
        assertThat(waits).isNotDone();
        CompletableFuture<JobResponse> ofTheReleaseBefore = job.watch(pod(0), 0, null, null);

        watched.set(true);
        job.tellTrafficWanted();
        assertThat(news(waits)).isEqualTo(new JobFabricUpdate.TrafficWanted(true));
        assertThat(ofTheReleaseBefore).isNotDone();

        CompletableFuture<JobResponse> knows = job.watch(pod(1), 0, null, true);
        assertThat(knows).isNotDone();
        watched.set(false);
        job.tellTrafficWanted();
        assertThat(news(knows)).isEqualTo(new JobFabricUpdate.TrafficWanted(false));
    }

    @Test
    void whatIsWatchedMayBeToldEachSecondAndTheLastReportSoonAfter() {
        Duration pause = Duration.ofSeconds(5);
        Duration ofWatched = Duration.ofMillis(500);
        AtomicBoolean watched = new AtomicBoolean(true);
        job.isWatched(watched::get);

        assertThat(job.pauseOfTraffic(pause, ofWatched, -1)).isZero();
        assertThat(job.pauseOfTraffic(pause, ofWatched, -1)).isEqualTo(ofWatched);
        clock.move(ofWatched);
        assertThat(job.pauseOfTraffic(pause, ofWatched, -1)).isZero();
        watched.set(false);
        clock.move(ofWatched);
        assertThat(job.pauseOfTraffic(pause, ofWatched, -1)).isZero();
        clock.move(ofWatched);
        assertThat(job.pauseOfTraffic(pause, ofWatched, -1)).isEqualTo(pause.minus(ofWatched));
    }

    @Test
    void theLastReportOfAnAttemptIsTakenOnceHoweverShortAgoAnotherOneWas() {
        Duration pause = Duration.ofSeconds(5);
        Duration ofWatched = Duration.ofMillis(500);

        assertThat(job.pauseOfTraffic(pause, ofWatched, -1)).isZero();
        assertThat(job.pauseOfTraffic(pause, ofWatched, 0)).isZero();
        assertThat(job.pauseOfTraffic(pause, ofWatched, 0)).isEqualTo(pause);
        assertThat(job.pauseOfTraffic(pause, ofWatched, 1))
                .as("who says one attempt after the other")
                .isEqualTo(pause);
        clock.move(ofWatched);
        assertThat(job.pauseOfTraffic(pause, ofWatched, 1)).isZero();
        assertThat(job.pauseOfTraffic(pause, ofWatched, 0)).isEqualTo(pause);
    }
}
