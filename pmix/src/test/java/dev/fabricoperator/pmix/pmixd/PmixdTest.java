/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static dev.fabricoperator.pmix.pmixd.PlayedPods.codes;
import static dev.fabricoperator.pmix.pmixd.PlayedPods.linesWith;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.TrixieRoot;
import dev.fabricoperator.protocol.job.JobLimits;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.TrafficReport;
import dev.fabricoperator.protocol.job.TrafficReportCodec;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole pods without Kubernetes: how they end, and what clients of libpmix get between them. {@link OpenMpiTest} has those that run MPI. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PmixdTest {
    private PlayedPods pods;

    @TempDir
    Path directory;

    @BeforeAll
    void build() {
        pods = new PlayedPods(TrixieRoot.open());
    }

    @AfterAll
    void close() {
        if (pods != null) {
            pods.close();
        }
    }

    private TrixieRoot.Result run(int count, String script) throws IOException, GeneralSecurityException {
        return pods.run(directory, count, script);
    }

    @Test
    void theCodeOfTheFirstFailingRankIsEverybodysAndItsReasonIsSaid() throws Exception {
        TrixieRoot.Result result =
                run(3, "start_pods 3 2 sh -c 'if [ $PMIX_RANK = 3 ]; then exit 7; else sleep 60; fi'\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .containsAll(codes("launcher", 3, 7))
                .containsAll(codes("pmixd", 3, 0));
        for (int pod = 0; pod < 3; pod++) {
            assertThat(result.lines())
                    .contains("out " + pod
                            + ": fabric-launcher: rank 3 exited with code 7 in pod pod-1: the job is ended");
        }
    }

    @Test
    void aRankThatIsKilledEndsTheJobWithItsSignal() throws Exception {
        TrixieRoot.Result result =
                run(2, "start_pods 2 1 sh -c 'if [ $PMIX_RANK = 1 ]; then kill -9 $$; else sleep 60; fi'\nfinish");
        assertThat(result.lines()).as(result.text()).containsAll(codes("launcher", 2, 137));
    }

    @Test
    void programsThatKnowNothingOfPmixEndInAnyOrder() throws Exception {
        TrixieRoot.Result result = run(3, "start_pods 3 1 sh -c 'sleep 0.$PMIX_RANK; echo rank $PMIX_RANK'\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .contains("out 0: [0] rank 0", "out 1: [1] rank 1", "out 2: [2] rank 2")
                .containsAll(codes("launcher", 3, 0))
                .containsAll(codes("pmixd", 3, 0));
    }

    /** Pods below one another hand their reports up, and the first tells the job service. */
    @Test
    void whenAllHaveEndedTheFirstPodTellsWhatEachHasSent() throws Exception {
        try (PlayedJobService service = new PlayedJobService(directory, 3)) {
            TrixieRoot.Result result = pods.run(service, "start_pods 3 1 sh -c 'sleep 0.$PMIX_RANK'\nfinish");
            assertThat(result.lines()).as(result.text()).containsAll(codes("pmixd", 3, 0));

            TrafficReport told = TrafficReportCodec.decode(Objects.requireNonNull(service.traffic()), 3);
            assertThat(told.names()).containsExactly("pod-0", "pod-1", "pod-2");
            assertThat(told.pods()).extracting(TrafficReport.Pod::index).containsExactly(0, 1, 2);
            assertThat(told.pods()).allMatch(TrafficReport.Pod::connectionsKnown);
        }
    }

    /** For 15 s they would tell it more than ten times. The first asks whether somebody watches 1 s after its start, and again within 3 s here. */
    @Test
    void whileSomebodyWatchesTheFirstPodTellsEachSecondWhatAllHaveSentAndNoLonger() throws Exception {
        try (PlayedJobService service = new PlayedJobService(directory, 3)) {
            service.watchUntil(3);
            TrixieRoot.Result result = pods.run(service, "start_pods 3 1 sleep 15\nfinish");
            assertThat(result.lines()).as(result.text()).containsAll(codes("pmixd", 3, 0));

            List<byte[]> reports = service.trafficReports();
            // Three while somebody watches, some that were under way, and the last.
            assertThat(reports).hasSizeBetween(4, 10);
            long before = -1;
            for (byte[] report : reports) {
                TrafficReport told = TrafficReportCodec.decode(report, 3);
                assertThat(told.names()).contains("pod-0");
                assertThat(told.pods()).extracting(TrafficReport.Pod::index).contains(0);
                long millis = told.pods().getFirst().millis();
                assertThat(millis).isGreaterThan(before);
                before = millis;
            }
            TrafficReport last = TrafficReportCodec.decode(reports.getLast(), 3);
            assertThat(last.names()).containsExactly("pod-0", "pod-1", "pod-2");
            assertThat(last.pods()).hasSize(3);
            assertThat(last.pods().getFirst().millis()).isGreaterThan(14_000);
        }
    }

    /** As a script does that runs one MPI program after the other. */
    @Test
    void programsThatARankRunsOneAfterTheOtherMeetThoseOfOtherRanksInEachFence() throws Exception {
        String fence = pods.root().compile("gcc", "pmix/src/test/c/fence.c", "-lpmix");
        TrixieRoot.Result result =
                run(2, "start_pods 2 1 sh -c 'for i in $(seq 25); do " + fence + " 4 1; done; echo all'\nfinish");
        assertThat(result.lines()).as(result.text()).contains("out 0: [0] all").containsAll(codes("launcher", 2, 0));
        assertThat(result.lines().stream().filter("out 0: [0] fence without data: PMIX_SUCCESS"::equals))
                .hasSize(25);
    }

    @Test
    void whenPmixdDiesItsRanksAreEndedAndTheLauncherSaysWhy() throws Exception {
        TrixieRoot.Result result = run(1, """
                start_pods 1 1 sh -c 'echo up; sleep 60'
                await_text 0 up
                kill -9 ${PMIXD[0]}
                finish
                """);
        assertThat(result.lines())
                .as(result.text())
                .contains("launcher 0 125", "out 0: fabric-launcher: pmixd has gone while ranks run: they are ended");
    }

    @Test
    void aRefusalIsTheLaunchersLastWordAndItsCode() throws Exception {
        try (PlayedJobService service = new PlayedJobService(directory, 2)) {
            service.refuse("parallelism 1 is less than completions 2: set them equal");
            TrixieRoot.Result result = pods.run(service, "start_pods 1 1 true\nfinish");
            assertThat(result.lines())
                    .as(result.text())
                    .contains(
                            "launcher 0 125",
                            "out 0: fabric-launcher: parallelism 1 is less than completions 2: set them equal");
        }
    }

    @Test
    void aJobThatNeverBecomesWholeEndsWithACodeOfItsOwn() throws Exception {
        try (PlayedJobService service = new PlayedJobService(directory, 2)) {
            service.expire("pod-1 is missing");
            TrixieRoot.Result result = pods.run(service, "start_pods 1 1 true\nfinish");
            assertThat(result.lines())
                    .as(result.text())
                    .contains("launcher 0 124", "out 0: fabric-launcher: pod-1 is missing");
        }
    }

    @Test
    void whereTheKubeletStartsContainersAgainPmixdFailsWithTheLauncher() throws Exception {
        TrixieRoot.Result result = run(1, "RESTART_POLICY=OnFailure\nstart_pods 1 1 sh -c 'exit 3'\nfinish");
        assertThat(result.lines()).as(result.text()).contains("launcher 0 3", "pmixd 0 1");
    }

    @Test
    void anotherLibpmixThanTheOneThatPmixdIsMadeForIsNamed() throws Exception {
        TrixieRoot.Result result = run(1, """
                mkdir -p $RUN/lib
                echo 'const char *PMIx_Get_version(void) { return "OpenPMIx 4.2.2, repo rev: v4.2.2"; }' |
                  gcc -shared -fPIC -Wl,--no-as-needed -x c - -o $RUN/lib/libpmix.so.2
                MORE=(LD_LIBRARY_PATH=$RUN/lib); start_pmixd 0
                finish
                """);
        assertThat(result.lines()).as(result.text()).contains("pmixd 0 2");
        assertThat(linesWith(result, "cannot start: the dynamic loader finds libpmix 4.2.2"))
                .as(result.text())
                .hasSize(1);
    }

    @Test
    void aFenceOf1024RanksWithTwoKibibytesEachFitsIntoTheHeapOfSuchAJob() throws Exception {
        fenceFits(1024);
    }

    @Tag("long")
    @Test
    void aFenceOf4096RanksWithTwoKibibytesEachFitsIntoTheHeapOfSuchAJob() throws Exception {
        fenceFits(4096);
    }

    /**
     * Of 2 KiB a rank, as bytes: four real pmixds and launchers start a real process for each rank, of which one in 64, a client
     * of libpmix, brings 128 KiB.
     */
    private void fenceFits(int ranks) throws Exception {
        int clients = ranks / 64;
        String fence = pods.root().compile("gcc", "pmix/src/test/c/fence.c", "-lpmix");
        // A rank that ends without PMIx_Init while others of its pod have called it is a failure: those that take part
        // wait until the others have ended.
        TrixieRoot.Result result =
                run(4, "HEAP=" + JobLimits.heapMebibytes(ranks) + "m\n" + """
                start_pods 4 %1$d sh -c '
                  if [ $(((PMIX_RANK + 1) %% %1$d)) = 0 ]; then echo the last one; fi
                  if [ $((PMIX_RANK %% 64)) = 0 ]; then
                    until [ -e "$0" ]; do sleep 0.2; done
                    exec %2$s 131072 64
                  fi' "$RUN/go"
                for pod in 0 1 2 3; do
                  await_text $pod 'the last one'
                  until [ "$(pgrep -c -P "${LAUNCHED[$pod]}")" -le %3$d ]; do sleep 0.1; done
                done
                touch "$RUN/go"
                await_text 0 'fence without data'; grep VmHWM /proc/${PMIXD[0]}/status
                finish""".formatted(ranks / 4, fence, clients / 4));
        assertThat(result.lines())
                .as(result.text())
                .containsAll(codes("launcher", 4, 0))
                .containsAll(codes("pmixd", 4, 0));
        assertThat(linesWith(result, "fence with data: PMIX_SUCCESS"))
                .as(result.text())
                .hasSize(clients);
        assertThat(linesWith(result, "the last one's bytes: right")).hasSize(clients);
        assertThat(linesWith(result, "fence without data: PMIX_SUCCESS")).hasSize(clients);
    }

    /** One rank in each pod: libpmix 5.0.7 tells the status of a failed fence to one participant of a pod only. */
    @Test
    void aFenceThatDoesNotFitIsAnsweredWithOutOfResourceAndTheJobGoesOn() throws Exception {
        String fence = pods.root().compile("gcc", "pmix/src/test/c/fence.c", "-lpmix");
        TrixieRoot.Result result = run(4, "start_pods 4 1 " + fence + " 4194304 1\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .containsAll(codes("launcher", 4, 0))
                .containsAll(codes("pmixd", 4, 0));
        assertThat(linesWith(result, "fence with data: PMIX_ERR_OUT_OF_RESOURCE"))
                .as(result.text())
                .hasSize(4);
        assertThat(linesWith(result, "fence without data: PMIX_SUCCESS")).hasSize(4);
    }

    /** Two ranks in each of three pods run it; what each of them prints follows its name. */
    private TrixieRoot.Result exchange(String what) throws Exception {
        String program = pods.root().compile("gcc", "pmix/src/test/c/exchange.c", "-lpmix");
        TrixieRoot.Result result = run(3, "start_pods 3 2 " + program + " " + what + "\nfinish");
        assertThat(result.lines()).as(result.text()).containsAll(codes("launcher", 3, 0));
        return result;
    }

    private static List<String> ofEvery(String line) {
        return IntStream.range(0, 6)
                .mapToObj(rank -> "out " + rank / 2 + ": [" + rank + "] " + line)
                .toList();
    }

    @Test
    void whatARankPublishesRanksOfAllPodsFindInItsRangeAsLongAsItLasts() throws Exception {
        TrixieRoot.Result result = exchange("names");
        assertThat(result.lines())
                .as(result.text())
                .contains("out 0: [0] publish: PMIX_SUCCESS")
                .contains("out 2: [5] awaited: at last of 0 type 3", "out 0: [0] never: PMIX_ERR_TIMEOUT")
                .contains("out 0: [1] again: PMIX_ERR_DUPLICATE_KEY")
                .containsAll(ofEvery("name: of 0 of 0 type 3"))
                .containsAll(ofEvery("two: 7 8 9 of 2, of 0 of 0"))
                .containsAll(ofEvery("partial: PMIX_ERR_PARTIAL_SUCCESS"))
                .contains("out 0: [0] once: only of 2 type 3", "out 0: [0] twice: PMIX_ERR_NOT_FOUND")
                .contains("out 0: [1] unpublish of another: PMIX_ERR_NOT_FOUND")
                .contains("out 0: [0] unpublish: PMIX_SUCCESS")
                .contains("out 0: [0] too large: PMIX_ERR_OUT_OF_RESOURCE")
                .containsAll(ofEvery("unpublished: PMIX_ERR_NOT_FOUND"));
        for (int rank = 0; rank < 6; rank++) {
            int first = rank / 2 * 2;
            assertThat(result.lines())
                    .contains(
                            "out " + rank / 2 + ": [" + rank + "] local: pod of " + first + " of " + first + " type 3")
                    .contains("out " + rank / 2 + ": [" + rank + "] own: rank " + rank + " of " + rank + " type 3");
        }
    }

    @Test
    void everyRankReadsWhichProcessesItsPodHas() throws Exception {
        TrixieRoot.Result result = exchange("local");
        for (int rank = 0; rank < 6; rank++) {
            int first = rank / 2 * 2;
            assertThat(linesWith(result, "[" + rank + "] local: PMIX_SUCCESS type 22: " + first + " " + (first + 1)))
                    .as(result.text())
                    .hasSize(2);
        }
    }

    /** libpmix 5.0.7 tells the status of a failed fence to one participant of a pod. */
    @Test
    void aFenceOfWhichAParticipantIsGoneSucceedsInNoPod() throws Exception {
        String program = pods.root().compile("gcc", "pmix/src/test/c/exchange.c", "-lpmix");
        TrixieRoot.Result result = run(2, "start_pods 2 2 " + program + " gone\nfinish");
        assertThat(result.lines()).as(result.text()).containsAll(codes("launcher", 2, 3));
        assertThat(linesWith(result, "out 0: [1] fence: PMIX_SUCCESS")).isEmpty();
        assertThat(linesWith(result, "out 1: [")).as(result.text()).anyMatch(line -> line.contains("fence: PMIX_ERR_"));
    }

    @Test
    void whatWasPublishedForAsLongAsItsRankRunsIsGoneWithIt() throws Exception {
        assertThat(exchange("leave").lines())
                .contains("out 0: [0] while it runs: until I end of 5 type 3")
                .contains("out 0: [0] when it has ended: PMIX_ERR_NOT_FOUND");
    }

    @Test
    void ranksOfSeveralPodsConnectAndDisconnect() throws Exception {
        TrixieRoot.Result result = exchange("connections");
        assertThat(result.lines())
                .as(result.text())
                .containsAll(ofEvery("connect all: PMIX_SUCCESS"))
                .containsAll(ofEvery("disconnect all: PMIX_SUCCESS"));
        for (int pod = 0; pod < 3; pod++) {
            String rank = "out " + pod + ": [" + 2 * pod + "] ";
            assertThat(result.lines())
                    .contains(rank + "connect: PMIX_SUCCESS", rank + "disconnect: PMIX_SUCCESS")
                    .contains(rank + "disconnect again: PMIX_ERR_INVALID_OPERATION");
        }
    }

    @Test
    void ranksThatTheJobDoesNotHaveAreUnreachableAndTheJobGoesOn() throws Exception {
        TrixieRoot.Result result = exchange("strays");
        assertThat(result.lines())
                .as(result.text())
                .containsAll(ofEvery("connect stray: PMIX_ERR_UNREACH"))
                .containsAll(ofEvery("disconnect stray: PMIX_ERR_UNREACH"))
                .containsAll(ofEvery("fence stray: PMIX_ERR_UNREACH"))
                .containsAll(ofEvery("connect elsewhere: PMIX_ERR_NOT_SUPPORTED"));
    }

    @Test
    void aConnectionOfWhichAParticipantIsGoneSucceedsInNoPod() throws Exception {
        TrixieRoot.Result result = exchange("without");
        assertThat(linesWith(result, "] connect without one: PMIX_SUCCESS"))
                .as(result.text())
                .isEmpty();
        assertThat(linesWith(result, "connect without one: PMIX_ERR_"))
                .as(result.text())
                .hasSize(5);
    }

    /** Nobody is connected to those who have given up. */
    @Test
    void aConnectionThatOneHasGivenUpIsNoneForAllAndTheNextOneWorks() throws Exception {
        TrixieRoot.Result result = exchange("late");
        assertThat(result.lines())
                .as(result.text())
                .contains("out 0: [0] connect in time: PMIX_ERR_TIMEOUT")
                .contains(
                        "out 1: [2] connect in time: PMIX_ERR_TIMEOUT", "out 2: [4] connect in time: PMIX_ERR_TIMEOUT")
                .containsAll(ofEvery("connect all: PMIX_SUCCESS"));
    }

    @Test
    void ranksOfSeveralPodsConstructGroupsWithIdsOfTheirOwn() throws Exception {
        TrixieRoot.Result result = exchange("groups");
        assertThat(result.lines())
                .as(result.text())
                .containsAll(ofEvery("construct plain: 6 members"))
                .containsAll(ofEvery("construct pod: 2 members"))
                .containsAll(ofEvery("destruct first: PMIX_SUCCESS"))
                .containsAll(ofEvery("destruct plain: PMIX_SUCCESS"))
                .containsAll(ofEvery("destruct pod: PMIX_SUCCESS"))
                .containsAll(ofEvery("destruct every: PMIX_SUCCESS"))
                .containsAll(ofEvery("late group: PMIX_ERR_TIMEOUT"));
        List<String> ids = result.lines().stream()
                .filter(line -> line.contains(" members, context "))
                .map(line -> line.replaceFirst(".*] construct ", ""))
                .toList();
        assertThat(ids).hasSize(18);
        assertThat(ids.stream().distinct())
                .as("one id for all members of a group, another for each group")
                .hasSize(3);
    }

    @Test
    void whatARankLogsIsInThePodsLog() throws Exception {
        assertThat(exchange("log").lines())
                .contains("out 0: [0] log: PMIX_SUCCESS", "out 0: [0] mail: PMIX_ERR_NOT_SUPPORTED")
                .contains("out 0: fabric-launcher: rank 0 to stdout: a line, 100 %")
                .contains("out 0: and another");
    }

    /**
     * In the heap of a small job. What it may not have any more is refused, and all that others want of each other goes on. libpmix 5.0.7 asks its host
     * once for all that is wanted of a rank ("gets").
     */
    @ParameterizedTest
    @CsvSource({"groups, most", "lookups, most", "gets, few"})
    void aRankThatAsksWithoutEndForWhatNeverComesIsRefusedAndTheOthersGetTheirAnswers(String kind, String refused)
            throws Exception {
        String program = pods.root().compile("gcc", "pmix/src/test/c/flood.c", "-lpmix", "-lpthread");
        TrixieRoot.Result result = run(3, "start_pods 3 2 " + program + " " + kind + " 20000\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .containsAll(codes("launcher", 3, 0))
                .containsAll(codes("pmixd", 3, 0))
                .contains("out 1: [2] " + kind + ": " + refused + " refused, some wait")
                .containsAll(ofEvery("fence of all: PMIX_SUCCESS"));
        for (String what : List.of("fence of the others", "lookup", "get", "group", "destruct")) {
            assertThat(linesWith(result, "] " + what + ": PMIX_SUCCESS"))
                    .as(result.text())
                    .hasSize(10);
        }
    }

    /** Also where the second pod is slower than the first, which is refused and must not run away from it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1000})
    void ranksThatConnectInEverNewSetsAreRefusedAndTheJobGoesOn(int pauseMicros) throws Exception {
        String program = pods.root().compile("gcc", "pmix/src/test/c/flood.c", "-lpmix", "-lpthread");
        TrixieRoot.Result result =
                run(2, "start_pods 2 6 " + program + " connections 2047 " + pauseMicros + "\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .containsAll(codes("launcher", 2, 0))
                .containsAll(codes("pmixd", 2, 0));
        // Each has been in the first sets or, later, had its share.
        assertThat(linesWith(result, "made, some refused")).as(result.text()).hasSize(12);
        assertThat(result.lines()).contains("out 1: [11] connections: many made, some refused");
        assertThat(linesWith(result, "] fence: PMIX_SUCCESS")).hasSize(12);
    }

    /** The library's thread and the loop meet in every order: no call is left without its answer. More rounds: {@code -DmixedRounds}. */
    @Test
    void ranksThatAskEverythingAtOnceGetEveryAnswer() throws Exception {
        String program = pods.root().compile("gcc", "pmix/src/test/c/mixed.c", "-lpmix", "-lpthread");
        TrixieRoot.Result result =
                run(3, "start_pods 3 4 " + program + " " + Integer.getInteger("mixedRounds", 200) + "\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .containsAll(codes("launcher", 3, 0))
                .containsAll(codes("pmixd", 3, 0));
        assertThat(linesWith(result, "] all rounds")).hasSize(12);
    }

    @Test
    void exactlyTheRanksOnADeviceWithAnImpairedLinkAreToldOfItAndOfItsEnd() throws Exception {
        String program = pods.root().compile("gcc", "pmix/src/test/c/links.c", "-lpmix", "-lpthread");
        TrixieRoot.Result result;
        try (PlayedJobService service = new PlayedJobService(directory, 3)) {
            service.playFabric(pods.root().scratch(""));
            service.playHandingOn();
            result = pods.run(service, "start_pods 3 2 " + program + " /scratch 2 3\nfinish");
        }
        assertThat(result.lines()).as(result.text()).containsAll(codes("launcher", 3, 0));
        for (int rank = 0; rank < 6; rank++) {
            String start = "out " + rank / 2 + ": [" + rank + "] link ";
            var told = assertThat(result.lines().stream()
                            .filter(line -> line.startsWith(start))
                            .map(line -> line.substring(start.length())))
                    .as(result.text());
            if (rank / 2 == 1) {
                told.containsExactly(
                        "-3001 of fab://pod-10 ranks 2 to 3: mlx5_0 port 1 of node-1: 40 symbol errors in 2 s",
                        "-3002 of fab://pod-10 ranks 2 to 3: is over: mlx5_0 port 1 of node-1: 40 symbol errors in 2 s");
            } else {
                told.isEmpty();
            }
        }
    }

    @Test
    void ranksAreToldOfTheFabricsGenerationsAndThenReadTheirValues() throws Exception {
        String program = pods.root().compile("gcc", "pmix/src/test/c/events.c", "-lpmix", "-lpthread");
        TrixieRoot.Result result;
        JobMap held;
        try (PlayedJobService service = new PlayedJobService(directory, 3)) {
            service.playFabric(pods.root().scratch(""));
            service.playHandingOn();
            result = pods.run(service, "start_pods 3 2 " + program + " /scratch\nfinish");
            held = service.heldByFirst();
        }
        assertThat(result.lines()).as(result.text()).containsAll(codes("launcher", 3, 0));
        assertThat(held).as("after generation 2").isNotNull();
        assertThat(Objects.requireNonNull(held.fabric()).generation()).isEqualTo(2);
        assertThat(held.pods())
                .extracting(pod -> pod.devices().getFirst().deviceId())
                .containsExactly("fab://pod-00", "fab://pod-10", "fab://pod-20");
        result.lines().stream()
                .filter(line -> line.contains("] after "))
                .forEach(line -> System.out.println("from a generation of the fabric to a rank's handler: " + line));
        for (int rank = 0; rank < 6; rank++) {
            String start = "out " + rank / 2 + ": [" + rank + "] ";
            assertThat(result.lines().stream()
                            .filter(line -> line.startsWith(start) && !line.startsWith(start + "after "))
                            .map(line -> line.substring(start.length())))
                    .as(result.text())
                    .containsExactly(
                            "before costs: 0 101",
                            "before coordinates: 0 2",
                            "before endpoint: 2",
                            "event PMIX_FABRIC_UPDATE_PENDING index 3",
                            "event PMIX_FABRIC_UPDATED index 3 plane plane-0 coordinates yes",
                            "event PMIX_FABRIC_UPDATE_ENDPOINTS index 3",
                            "kept costs: 0 101",
                            "kept coordinates: 0 2",
                            "kept endpoint: 2",
                            "refreshed costs: 100 101",
                            "refreshed coordinates: 1 2",
                            "refreshed endpoint: 102",
                            "asked costs: 100 101",
                            "asked groups: 0:generation2",
                            "event PMIX_FABRIC_UPDATE_PENDING index 3",
                            "event PMIX_FABRIC_UPDATED index 3 plane plane-1 coordinates no",
                            "refreshed again costs: 100 201",
                            "refreshed again coordinates: 1 2",
                            "refreshed again endpoint: 102");
        }
    }
}
