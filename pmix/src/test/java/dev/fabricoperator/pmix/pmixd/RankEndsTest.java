/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.TrixieRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * However one rank of Open MPI ends before its time, the job ends: each pod that had ranks left with another code than 0, and the rank that began it is named, whatever
 * others say that have lost it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ResourceLock(PlayedJobService.PROCESSORS)
@Order(PlayedJobService.ON_THE_FIRST_THREAD)
class RankEndsTest {
    private PlayedPods pods;
    private String program;

    @TempDir
    Path directory;

    @BeforeAll
    void build() {
        pods = new PlayedPods(TrixieRoot.open());
        program = pods.root().compile("mpicc", "e2e/programs/mpi-ends.c");
    }

    @AfterAll
    void close() {
        if (pods != null) {
            pods.close();
        }
    }

    /**
     * How a rank ends: a row of the page's table.
     *
     * @param when the others learn of it, as mpi-ends has it
     * @param code that the pods end with
     * @param mpirun what mpirun ends with
     * @param words of the reason, behind the rank's number
     */
    private record Way(String when, String how, int code, int mpirun, String words) {}

    private static final Path DOCUMENT = Path.of(System.getProperty("docs"), "pmixd.md");

    private static final Pattern ROW = Pattern.compile(
            "\\| (before|waiting|collective|finalized) \\| `(\\w+:\\d+)` \\| (\\d+) \\| (\\d+) \\| (.+) \\|");

    private static List<Way> ways() throws IOException {
        List<Way> ways = new ArrayList<>();
        for (String line : Files.readAllLines(DOCUMENT)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                ways.add(new Way(
                        row.group(1),
                        row.group(2),
                        Integer.parseInt(row.group(3)),
                        Integer.parseInt(row.group(4)),
                        row.group(5)));
            }
        }
        assertThat(ways).as("rows of " + DOCUMENT).hasSizeGreaterThanOrEqualTo(24);
        return ways;
    }

    private record Shape(int pods, int ranksPerPod, int rank) {}

    /** The first rank, the last one and one between them, with one rank in each pod and with two. */
    private static final List<Shape> SHAPES = List.of(
            new Shape(3, 1, 1),
            new Shape(2, 2, 3),
            new Shape(3, 1, 0),
            new Shape(2, 2, 1),
            new Shape(3, 1, 2),
            new Shape(2, 2, 0));

    /** Each way once, with the shapes in turn. */
    static Stream<Arguments> eachWay() throws IOException {
        List<Arguments> chosen = new ArrayList<>();
        for (Way way : ways()) {
            chosen.add(Arguments.of(way, SHAPES.get(chosen.size() % SHAPES.size())));
        }
        return chosen.stream();
    }

    static Stream<Arguments> eachWayInEachShape() throws IOException {
        return ways().stream().flatMap(way -> SHAPES.stream().map(shape -> Arguments.of(way, shape)));
    }

    @ParameterizedTest
    @MethodSource("eachWay")
    void theJobEndsAndNamesTheRankThatBeganIt(Way way, Shape shape) throws Exception {
        String script = "start_pods %d %d %s %s %s %d\n"
                        .formatted(shape.pods(), shape.ranksPerPod(), program, way.when(), way.how(), shape.rank())
                + "finish";

        TrixieRoot.Result result = pods.run(directory, shape.pods(), script);

        String reason = "rank " + shape.rank() + ' ' + way.words();
        int itsPod = shape.rank() / shape.ranksPerPod();
        List<String> pmixd = new ArrayList<>();
        for (int pod = 0; pod < shape.pods(); pod++) {
            pmixd.add("pmixd " + pod + " 0");
            if (pod == itsPod || !way.when().equals("finalized")) {
                assertThat(result.lines())
                        .as(result.text())
                        .contains("launcher " + pod + ' ' + way.code())
                        .anyMatch(saysReason(pod, reason));
            }
        }
        assertThat(result.lines()).as(result.text()).containsAll(pmixd);
    }

    private static Predicate<String> saysReason(int pod, String reason) {
        return line -> line.startsWith("out " + pod + ": fabric-launcher: " + reason);
    }

    /** The other rank of its pod is in MPI_Init, and waits for it there. mpirun ends such a job, too. */
    @ParameterizedTest
    @CsvSource({"1, 0", "2, 3"})
    void aRankThatEndsWithZeroBeforeInitEndsTheJobWhenAnotherOfItsPodWaitsForIt(int pods, int rank) throws Exception {
        TrixieRoot.Result result = this.pods.run(
                directory, pods, "start_pods " + pods + " 2 " + program + " before exit:0 " + rank + "\nfinish");
        assertThat(result.lines()).as(result.text()).containsAll(PlayedPods.codes("launcher", pods, 1));
        assertThat(result.lines())
                .as(result.text())
                .anyMatch(saysReason(rank / 2, "rank " + rank + " exited with code 0 but without PMIx_Init"));
    }

    @Tag("long")
    @Test
    void mpirunEndsWithWhatThePageSays() throws IOException {
        StringBuilder script = new StringBuilder(
                "cd /tmp; export HOME=/tmp OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1\n");
        List<String> expected = new ArrayList<>();
        for (Way way : ways()) {
            String name = way.when() + ' ' + way.how();
            script.append("mpirun --oversubscribe -n 3 %1$s %2$s 1 > /dev/null 2>&1; echo %2$s $?\n"
                    .formatted(program, name));
            expected.add(name + ' ' + way.mpirun());
        }
        assertThat(pods.root().run(300, "bash", "-uc", script.toString()).lines())
                .containsExactlyElementsOf(expected);
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("eachWayInEachShape")
    void theJobEndsInEveryShape(Way way, Shape shape) throws Exception {
        theJobEndsAndNamesTheRankThatBeganIt(way, shape);
    }

    /** As of the kubelet, which asks launcher and server: of three pods one is ended, and its ranks save what they have, one of two dies. */
    @Test
    void ranksOfAPodThatIsEndedSaveForAsLongAsWhoeverEndsItWaits() throws Exception {
        saveFor(7);
    }

    @Tag("long")
    @Test
    void theirServerStaysWithThem() throws Exception {
        saveFor(60);
    }

    private void saveFor(int seconds) throws Exception {
        TrixieRoot.Result result = pods.run(directory, 2, """
                start_pods 2 2 sh -c 'case $PMIX_NAMESPACE.$PMIX_RANK in
                    *-0.2) trap "sleep %d; echo saved; exit 0" TERM;; *-0.?) trap - TERM;; *) exit 0;; esac
                  echo up; while :; do sleep 0.1; done'
                await_text 0 up; await_text 1 '2. up'; await_text 1 '3. up'
                kill -TERM ${PMIXD[1]}; kill -TERM ${LAUNCHED[1]}
                wait ${LAUNCHED[1]}; echo "ended $?"
                wait ${PMIXD[1]}
                start_pmixd 1
                start_launcher 1 2 true
                finish
                """.formatted(seconds));
        assertThat(result.lines())
                .as(result.text())
                .contains("out 1: [2] saved", "ended 143", "launcher 0 0", "launcher 1 0", "pmixd 0 0", "pmixd 1 0")
                .anyMatch(line -> line.startsWith("out 0: fabric-launcher: ") && line.contains("is being ended"));
        assertThat(result.text()).doesNotContain("pmixd has gone");
    }

    /** As where a Job's successPolicy names the first index: its pod must end for that, though others are reached through it. */
    @Test
    void aPodWhoseRanksAreDoneWaitsForNoOtherWhereItsOwnerMayNeedNoMore() throws Exception {
        TrixieRoot.Result result = pods.run(directory, 4, """
                MORE=(FABRIC_PARTS_WHEN_DONE=true)
                start_pods 4 1 sh -c 'echo up; [ $PMIX_RANK = 0 ] && exit 0; until [ -e $0 ]; do sleep 0.05; done; [ $PMIX_RANK = 2 ] && exit 7; echo goes on' $RUN/go
                for pod in 1 2 3; do await_text $pod up; done
                wait ${LAUNCHED[0]}; echo "first $?"
                wait ${PMIXD[0]}; echo "its server $?"
                for pod in 1 2 3; do await_text $pod 'successPolicy'; kill -0 ${LAUNCHED[$pod]}; done
                touch $RUN/go
                finish
                """);
        assertThat(result.lines())
                .as(result.text())
                .contains("first 0", "its server 0", "launcher 1 0", "launcher 2 7", "launcher 3 0")
                .contains("out 1: [1] goes on", "out 3: [3] goes on", "pmixd 1 0", "pmixd 2 0", "pmixd 3 0")
                .noneMatch(line -> line.contains("waiting for the next attempt"));
    }
}
