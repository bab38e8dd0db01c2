/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.TrixieRoot;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Debian's MPICH of two releases, which has no PMIx and speaks PMI-1, as an unmodified image would bring it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ResourceLock(PlayedJobService.PROCESSORS)
@Order(PlayedJobService.ON_THE_FIRST_THREAD)
class PmiTest {
    private PlayedPods pods;

    @TempDir
    Path directory;

    @BeforeAll
    void open() {
        pods = new PlayedPods(TrixieRoot.openWithOthers());
    }

    @AfterAll
    void close() {
        if (pods != null) {
            pods.close();
        }
    }

    /** MPICH 5 of sid takes no two ranks for neighbours in memory, whatever it is told: Debian builds it so. */
    @ParameterizedTest
    @CsvSource({"2, 2", "1, 4"})
    void mpich5RunsOverPods(int count, int ranks) throws Exception {
        String ring = pods.root().compileForMpich("sid", "pmix/src/test/c/ring.c");
        TrixieRoot.Result result =
                pods.run(directory, count, "start_pods %d %d %s\nfinish".formatted(count, ranks, ring));
        assertThat(result.lines())
                .as(result.text())
                .containsAll(PlayedPods.codes("launcher", count, 0))
                .contains("out 0: [0] ring of 4: token 4, sum 6");
    }

    @ParameterizedTest
    @CsvSource({"2, 2", "3, 1", "1, 4"})
    void mpichRunsOverPods(int count, int ranks) throws Exception {
        String proof = pods.root().compileForMpich("bookworm", "e2e/programs/mpi-proof.c");
        try (PlayedJobService service = new PlayedJobService(directory, count)) {
            TrixieRoot.Result result = pods.run(
                    service,
                    "MORE=(FABRIC_REQUIRE_PMIX=true)\nstart_pods %d %d %s %d\nfinish"
                            .formatted(count, ranks, proof, ranks));
            assertThat(result.lines())
                    .as(result.text())
                    .containsAll(PlayedPods.codes("launcher", count, 0))
                    .containsAll(PlayedPods.codes("pmixd", count, 0))
                    .contains("out 0: [0] proof: ring ok, collectives ok, " + count * ranks + " ranks on " + count
                            + " nodes");
            assertThat(service.events()).noneMatch(event -> event.endsWith("unconnected"));
            for (int pod = 0; pod < count; pod++) {
                assertThat(service.events())
                        .containsSubsequence("pod-" + pod + " clients 0 " + ranks + " 0", "pod-" + pod + " finished 0")
                        .containsOnlyOnce("pod-" + pod + " clients 0 " + ranks + " 0");
            }
        }
    }

    /** As in an MPIJob of MPICH: its mpiexec is the launcher program, which hands on the whole environment. */
    @ParameterizedTest
    @ValueSource(strings = {"bookworm", "sid"})
    void ranksOfOneMpiexecAfterTheOtherFindEachOther(String suite) throws Exception {
        String ring = pods.root().compileForMpich(suite, "pmix/src/test/c/ring.c");
        String ends = pods.root().compileForMpich("bookworm", "e2e/programs/mpi-ends.c");
        TrixieRoot.Result result;
        try (PlayedJobService service = new PlayedJobService(directory, 3)) {
            result = pods.run(service, """
                    run_mpirun 2 2 sh -c '
                    export HYDRA_HOST_FILE=/etc/mpi/hostfile GREETING=hello
                    mpiexec -n 4 %1$s; echo first $?
                    mpiexec.hydra -np 2 -ppn 1 -genv OWN own sh -c "echo \\$GREETING \\$OWN \\$PMI_RANK of \\$PMI_SIZE"; echo second $?
                    mpiexec -n 4 %2$s waiting abort:7 3; echo third $?
                    mpirun -n 4 %1$s; echo fourth $?
                    '
                    finish_run
                    """.formatted(ring, ends));
        }
        assertThat(result.lines())
                .as(result.text())
                .contains("out 0: ring of 4: token 4, sum 6", "out 0: first 0")
                .contains("out 0: hello own 0 of 2", "out 0: hello own 1 of 2", "out 0: second 0")
                .contains("out 0: third 7", "out 0: fourth 0", "mpirun 0");
    }

    /** As of a program that drops its environment: four ranks are four jobs of one rank. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void ranksThatFindNoServerSeeOneRankEachAndAllPodsSaySo(int code) throws Exception {
        String size = pods.root().compileForMpich("bookworm", "pmix/src/test/c/size.c");
        try (PlayedJobService service = new PlayedJobService(directory, 2)) {
            TrixieRoot.Result result = pods.run(
                    service,
                    "MORE=(FABRIC_REQUIRE_PMIX=" + (code == 1) + ")\nstart_pods 2 2 env -u PMI_FD " + size
                            + "\nfinish");
            assertThat(result.lines())
                    .as(result.text())
                    .containsAll(PlayedPods.codes("launcher", 2, code))
                    .contains("out 0: [0] MPICH: rank 0 of 1", "out 0: [1] MPICH: rank 0 of 1")
                    .contains("out 1: [2] MPICH: rank 0 of 1", "out 1: [3] MPICH: rank 0 of 1");
            String why = code == 0 ? "" : " " + PodServer.WITHOUT_PMIX;
            assertThat(service.events())
                    .containsSubsequence("pod-0 clients 0 0 2", "pod-0 unconnected", "pod-0 finished " + code + why)
                    .containsSubsequence("pod-1 unconnected", "pod-1 finished " + code + why);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "before, exit:7, 7, exited with code 7",
        "before, exit:0, 1, 'exited with code 0 but without PMI_Init, which another rank of its pod has called'",
        "waiting, exit:0, 1, exited with code 0 but without PMI_Finalize",
        "waiting, abort:7, 7, aborted with status 7",
        "collective, abort:7, 7, aborted with status 7",
        "collective, abort:256, 1, aborted with status",
        "collective, exit:0, 1, exited with code 0 but without PMI_Finalize",
        "collective, signal:9, 137, was ended by signal 9",
        "collective, signal:11, 139, was ended by signal 11",
        "finalized, exit:7, 7, exited with code 7",
    })
    void theJobEndsAndNamesTheRankThatBeganIt(String when, String how, int code, String words) throws Exception {
        String ends = pods.root().compileForMpich("bookworm", "e2e/programs/mpi-ends.c");
        TrixieRoot.Result result =
                pods.run(directory, 2, "start_pods 2 2 " + ends + ' ' + when + ' ' + how + " 3\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .contains("launcher 1 " + code, "launcher 0 " + (when.equals("finalized") ? 0 : code))
                .containsAll(PlayedPods.codes("pmixd", 2, 0))
                .anyMatch(line -> line.startsWith("out 1: fabric-launcher: rank 3 " + words));
    }

    /** MPICH 4.0.2 goes by another word of the answer than MPICH 5. */
    @ParameterizedTest
    @ValueSource(strings = {"bookworm", "sid"})
    void aRankFindsWhatARankOfAnotherPodHasPublishedAndNothingThatIsNotThere(String suite) throws Exception {
        String names = pods.root().compileForMpich(suite, "pmix/src/test/c/names.c");
        TrixieRoot.Result result = pods.run(directory, 2, "start_pods 2 1 " + names + "\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .containsAll(PlayedPods.codes("launcher", 2, 0))
                .contains(
                        "out 0: [0] publish: done",
                        "out 0: [0] publish again: no name",
                        "out 0: [0] unpublish what is not: no service",
                        "out 0: [0] unpublish: done")
                .contains(
                        "out 1: [1] lookup before: no name",
                        "out 1: [1] unpublish another's: no service",
                        "out 1: [1] lookup: done",
                        "out 1: [1] found tag#0$description#10.0.0.1$100%$",
                        "out 1: [1] lookup after: no name");
    }

    /** Of one pod, of which one rank takes no part: all ranks have ended when it is said. */
    @Test
    void aPodSaysHowManyOfItsRanksHaveFoundTheOthersAndByWhatBeforeItsEnd() throws Exception {
        String ends = pods.root().compileForMpich("bookworm", "e2e/programs/mpi-ends.c");
        try (PlayedJobService service = new PlayedJobService(directory, 1)) {
            pods.run(service, "start_pods 1 3 " + ends + " before exit:7 2\nfinish");
            assertThat(service.events()).containsSubsequence("pod-0 clients 0 2 1", "pod-0 finished 7");
        }
    }

    /** The pod's log says so; MPICH 4.0.2 in a job of one rank fails before it asks. */
    @Test
    void moreProcessesAreRefusedInOneLine() throws Exception {
        TrixieRoot.Result result = pods.run(directory, 1, """
                start_pods 1 1 bash -c 'printf "mcmd=spawn\\nnprocs=1\\nexecname=a\\nendcmd\\n" >&100; read -r answer <&100; echo "$answer"'
                finish
                """);
        assertThat(result.lines()).as(result.text()).contains("out 0: [0] cmd=spawn_result rc=-1 msg=not_supported");
        assertThat(PlayedPods.linesWith(
                        result, "fabric-launcher: rank 0: PMI_Spawn_multiple (MPI_Comm_spawn) is not supported"))
                .as(result.text())
                .hasSize(1);
    }

    /** Of these two Debian's MPICH 5 is built with PMI-2, too. */
    @Test
    void aRankThatIsToldToTakePmi2FailsAtOnceAndThePodsLogSaysWhatToDo() throws Exception {
        String size = pods.root().compileForMpich("sid", "pmix/src/test/c/size.c");
        TrixieRoot.Result result =
                pods.run(directory, 1, "start_pods 1 1 env MPIR_CVAR_PMI_VERSION=2 " + size + "\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .contains("launcher 0 15")
                .anyMatch(line -> line.contains("PMI_Init returned -1"))
                .anyMatch(line -> line.startsWith("out 0: fabric-launcher: rank 0: its MPI asks for PMI-2"));
    }

    /** One rank's connection ends, and with it the job; what the others have said is not mixed with it. */
    @Test
    void aRankThatWritesALineWithoutEndFailsAlone() throws Exception {
        String size = pods.root().compileForMpich("bookworm", "pmix/src/test/c/size.c");
        String script = """
                start_pods 2 2 bash -c 'if [ "$PMI_RANK" = 3 ]; then head -c 100000 /dev/zero | tr "\\\\0" x >&100; exit 9; fi; exec %s'
                finish
                """.formatted(size);
        TrixieRoot.Result result = pods.run(directory, 2, script);
        assertThat(result.lines())
                .as(result.text())
                .contains("launcher 0 9", "launcher 1 9")
                .containsAll(PlayedPods.codes("pmixd", 2, 0))
                .anyMatch(line -> line.startsWith("out 1: fabric-launcher: rank 3 exited with code 9"));
    }

    /** Ranks of an attempt that is over have their time to end, while the next one has been joined: what they say then is not the new one's. */
    @Test
    void whatRanksSayWhileTheyEndIsNotOfTheNextAttempt() throws Exception {
        String proof = pods.root().compileForMpich("bookworm", "e2e/programs/mpi-proof.c");
        List<String> lines = pods.run(directory, 2, """
                        ranks() {
                          "$@" bash -c 'case $PMIX_NAMESPACE in *-0)
                            trap "sleep 3; printf \"cmd=init pmi_version=1\\ncmd=put kvsname=$PMIX_NAMESPACE key=a value=b\\ncmd=barrier_in\\ncmd=abort exitcode=9\\n\" >&100; sleep 1; exit 0" TERM
                            echo up; while :; do sleep 0.1; done;; esac; exec %s 2'
                        }
                        ranks start_pods 2 2
                        await_text 0 up; await_text 1 up
                        ranks replace_pod 1 2
                        finish
                        """.formatted(proof)).lines();
        assertThat(lines)
                .as(String.join("\n", lines))
                .contains("launcher 0 0", "launcher 1 0")
                .contains("out 0: [0] proof: ring ok, collectives ok, 4 ranks on 2 nodes")
                .noneMatch(line -> line.contains("aborted with status 9"));
    }

    /** A second attempt has connections and pairs of its own. */
    @Test
    void afterALostPodTheRanksMeetAgain() throws Exception {
        String proof = pods.root().compileForMpich("bookworm", "e2e/programs/mpi-proof.c");
        List<String> lines = pods.run(directory, 2, """
                        ranks() { "$@" sh -c 'case $PMIX_NAMESPACE in *-0) echo up; sleep 100;; esac; exec %s 2'; }
                        ranks start_pods 2 2
                        await_text 0 up; await_text 1 up
                        ranks replace_pod 1 2
                        finish
                        """.formatted(proof)).lines();
        assertThat(lines)
                .as(String.join("\n", lines))
                .contains("launcher 0 0", "launcher 1 0")
                .contains("out 0: [0] proof: ring ok, collectives ok, 4 ranks on 2 nodes");
    }
}
