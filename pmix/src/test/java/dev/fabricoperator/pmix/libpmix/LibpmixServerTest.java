/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.TrixieRoot;
import dev.fabricoperator.pmix.TrixieRoot.Result;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.pmix.PmixKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The real libpmix 5.0.7, its clients and Open MPI 5.0.7 against the server that this package makes of it. */
class LibpmixServerTest {
    private static TrixieRoot root;
    private static String requests;

    @BeforeAll
    static void compile() {
        root = TrixieRoot.open();
        requests = root.compile("gcc", "pmix/src/test/c/requests.c", "-lpmix");
    }

    @AfterAll
    static void close() {
        if (root != null) {
            root.close();
        }
    }

    private static Result host(int pods, int ranks, int pod, String... command) {
        List<String> arguments = new ArrayList<>(List.of("" + pods, "" + ranks, "" + pod));
        arguments.addAll(Arrays.asList(command));
        return HostProgram.run(root, arguments);
    }

    @Test
    void aClientReadsEveryAttributeOfEveryRankNodeAndAppInItsTypeAndShape() {
        String report = root.compile("gcc", "e2e/programs/pmix-report.c", "-lpmix");
        Result result = host(3, 2, 1, report, "fabric");
        assertThat(result.exitCode()).as(result.text()).isZero();
        JobMap map = SampleJob.of(HostProgram.NSPACE, 3, 2);
        // Two ranks print at once: each line of the expectation once from each, order within one rank.
        for (String line : ExpectedReport.of(map)) {
            assertThat(result.lines().stream()
                            .map(LibpmixServerTest::timeless)
                            .filter(line::equals)
                            .count())
                    .as(line)
                    .isGreaterThanOrEqualTo(2);
        }
        assertThat(result.lines().stream().filter(line -> line.contains("PMIX_ERR")))
                .as("ranks that are not bound")
                .allMatch(line -> line.matches("(rank|node)\\d+ pmix\\.(cpuset|locstr|lcpus) PMIX_ERR_NOT_FOUND"));
        assertThat(result.text()).doesNotContain("?");
    }

    /** {@code Thu Nov 26 20:50:34 2026}, in the clock's own zone. */
    private static String timeless(String line) {
        return line.replaceFirst(
                "(?<=pmix.srv.strtime PMIX_STRING )\\w{3} \\w{3} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d \\d{4}$", "TIME");
    }

    @Test
    void theReportOfOneRankIsTheJobMapLineByLine() {
        String report = root.compile("gcc", "e2e/programs/pmix-report.c", "-lpmix");
        Result result = host(5, 1, 4, report, "fabric");
        assertThat(result.exitCode()).as(result.text()).isZero();
        assertThat(result.lines().stream()
                        .filter(line -> !line.startsWith("host:"))
                        .map(LibpmixServerTest::timeless))
                .containsExactlyElementsOf(ExpectedReport.of(SampleJob.of(HostProgram.NSPACE, 5, 1), 4));
    }

    /**
     * With their own C library, as in a container. 4.2.2 finds no session, and no number of a node that is not its own; 7.0 has another answer for the CPUs of a
     * rank that is not bound.
     */
    @ParameterizedTest
    @CsvSource({
        "bookworm,1,job pmix.session.id .*|(node[0-4]|rank[0-3]) pmix.nodeid .*",
        "sid,0,rank4 pmix.(cpuset|locstr) .*"
    })
    void clientsOfOtherReleasesReadTheSame(String suite, int code, String notFound) {
        try (TrixieRoot others = TrixieRoot.openWithOthers()) {
            String report = others.compileFor(suite, "e2e/programs/pmix-report.c", "libpmix.so.2");
            List<String> arguments = new ArrayList<>(List.of("5", "1", "4"));
            arguments.addAll(List.of(report.split(" ")));
            arguments.add("fabric");
            Result result = HostProgram.run(others, arguments);
            assertThat(result.exitCode()).as(result.text()).isEqualTo(code);
            List<String> read = result.lines().stream()
                    .map(LibpmixServerTest::timeless)
                    .map(line -> line.replaceFirst(" NOT-FOUND$", " PMIX_ERR_NOT_FOUND"))
                    .toList();
            List<String> missed = new ArrayList<>(ExpectedReport.of(SampleJob.of(HostProgram.NSPACE, 5, 1), 4));
            missed.removeIf(line -> read.contains(line) || line.matches(notFound));
            assertThat(missed).isEmpty();
            assertThat(read.stream().filter(line -> line.matches("(?:" + notFound + ")") && line.endsWith("NOT_FOUND")))
                    .hasSize(code == 0 ? 0 : 10);
        }
    }

    @Test
    void anUnmodifiedOpenMpiProgramRunsOnFourRanksOfOnePod() {
        String ring = root.compile("mpicc", "pmix/src/test/c/ring.c");
        Result result = host(1, 4, 0, ring);
        assertThat(result.exitCode()).as(result.text()).isZero();
        assertThat(result.lines()).contains("ring of 4: token 4, sum 6", "host: finalized 3");
        assertThat(result.text()).doesNotContain("refused");
    }

    private static Result bound(int ranks, String... command) {
        List<String> arguments = new ArrayList<>(List.of("1", ranks + HostProgram.BOUND, "0"));
        arguments.addAll(Arrays.asList(command));
        return HostProgram.run(root, arguments);
    }

    @Test
    void boundRanksReadWhereTheyAndTheirPeersAre() {
        Result result = bound(3, requests, "locality", "3");
        assertThat(result.exitCode()).as(result.text()).isZero();
        assertThat(result.lines())
                .contains(
                        "locality 0 hwloc:0 PMIX_SUCCESS SK0:L30:L10:CR0:HT0:NM0",
                        "locality 1 hwloc:1 PMIX_SUCCESS SK1:L31:L11:CR1:HT1:NM1",
                        "locality 2 hwloc:2 PMIX_SUCCESS SK0:L30:L12:CR2:HT2:NM0");
    }

    @Test
    void boundRanksAreCountedByTheirPackage() {
        String report = root.compile("gcc", "e2e/programs/pmix-report.c", "-lpmix");
        Result result = bound(3, report, "fabric");
        assertThat(result.exitCode()).as(result.text()).isZero();
        assertThat(result.lines())
                .contains("rank0 pmix.pkgrank PMIX_UINT16 0", "rank1 pmix.pkgrank PMIX_UINT16 0")
                .contains("rank2 pmix.pkgrank PMIX_UINT16 1", "rank2 pmix.cpuset PMIX_STRING hwloc:2")
                .contains("node0 pmix.lcpus PMIX_STRING 0:1:2");
    }

    @Test
    void openMpiKnowsWhichRanksShareACacheAndANumaNode() {
        String shares = root.compile("mpicc", "pmix/src/test/c/shares.c");
        Result result = bound(5, shares);
        assertThat(result.exitCode()).as(result.text()).isZero();
        assertThat(result.lines())
                .contains("shares 0 core 1 L3 3 numa 3 host 5", "shares 1 core 1 L3 2 numa 2 host 5")
                .contains("host: finalized 4");
    }

    @Test
    void abortReachesTheHostWithItsTextAndTheClientIsAnswered() {
        Result result = host(1, 1, 0, requests, "abort");
        assertThat(result.exitCode()).isEqualTo(7);
        assertThat(result.text()).contains("host: abort 0 7 cannot go on").contains("abort PMIX_SUCCESS");
    }

    @Test
    void spawnIsRefusedWithWhatToDoInstead() {
        Result result = host(1, 1, 0, requests, "spawn");
        assertThat(result.exitCode()).as(result.text()).isZero();
        assertThat(result.lines()).contains("spawn PMIX_ERR_NOT_SUPPORTED");
        assertThat(result.text()).contains("host: refused 0 PMIx_Spawn").contains("set its completions");
    }

    @Test
    void anUnknownQueryIsAnsweredAsSuch() {
        Result result = host(1, 1, 0, requests, "query", "test.unknown");
        assertThat(result.exitCode()).as(result.text()).isZero();
        assertThat(result.text()).contains("host: refused").contains("PMIx_Query_info of test.unknown");
        assertThat(result.lines()).anyMatch(line -> line.startsWith("query test.unknown PMIX_ERR_NOT_"));
    }

    @Test
    void whatIsNotServedBeyondThePodIsRefusedAndNeverLeftWithoutAnAnswer() {
        Result result = host(2, 1, 0, requests, "others");
        assertThat(result.exitCode()).as(result.text()).isZero();
        assertThat(result.lines())
                .contains("resolve_peers PMIX_SUCCESS 1", "resolve_nodes PMIX_SUCCESS job-0,job-1")
                .contains("publish PMIX_ERR_NOT_SUPPORTED", "lookup PMIX_ERR_NOT_SUPPORTED")
                .contains("connect PMIX_ERR_NOT_SUPPORTED", "group PMIX_ERR_NOT_SUPPORTED")
                .contains("job_control PMIX_ERR_NOT_SUPPORTED", "host: finalized 0");
        assertThat(result.text()).contains("refused -2 PMIx_Connect (MPI_Comm_connect, MPI_Comm_accept)");
    }

    @Test
    void eventsGoFromClientToHostAndFromHostToClient() {
        Result result = host(2, 1, 0, requests, "event");
        assertThat(result.exitCode()).as(result.text()).isZero();
        assertThat(result.lines())
                .contains("host: event -330 hello", "notify PMIX_SUCCESS")
                .contains("event PMIX_EVENT_NODE_DOWN from pmixd.test affected 1 text pod job-1 is gone");
    }

    @Test
    void aFenceBeyondThePodIsTheHostsAndAKeyOfAnAbsentPeerIsADirectModex() {
        Result result = host(2, 1, 0, requests, "fence");
        assertThat(result.exitCode()).as(result.text()).isZero();
        assertThat(result.lines())
                .contains("host: modex of 0: 0 with data", "host: direct modex 1")
                .contains("fence PMIX_SUCCESS", "get PMIX_ERR_NOT_FOUND");
        assertThat(result.text()).contains("rank=-2]] with data");
    }

    @Test
    void whatWaitsForTheLibrarysThreadIsRefusedOnThatThreadInsteadOfWaitingForEver() {
        Result result = host(2, 1, 0, requests, "fence");
        assertThat(result.lines())
                .as(result.text())
                .contains(
                        "host: not deregistered: what waits for libpmix's thread is called on it",
                        "fence PMIX_SUCCESS");
    }

    @Test
    void noDamagedHandshakeReachesTheLibraryAndASilentConnectionHoldsNobodyUp() {
        Result result = HostProgram.java(root, FuzzProgram.class, List.of("20261121", "1500"));
        assertThat(result.exitCode()).as(result.text()).isZero();
        assertThat(result.lines()).contains("last 0");
        assertThat(result.text()).containsPattern("refused 1\\d{3} answered \\d+ of 1502");
    }

    @Test
    void withoutItsEnvironmentTheServerSaysWhatItsParentMustSet() {
        Result result = root.run(
                30,
                "/jdk/bin/java",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                TrixieRoot.classPath(LibpmixServer.class, PmixKeys.class, HostProgram.class),
                HostProgram.class.getName(),
                "1",
                "1",
                "0",
                "/bin/true");
        assertThat(result.exitCode()).isNotZero();
        assertThat(result.text()).contains("PMIX_MCA_gds=hash");
    }
}
