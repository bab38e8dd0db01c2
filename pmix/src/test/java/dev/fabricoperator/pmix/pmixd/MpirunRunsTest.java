/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.TrixieRoot;
import java.io.IOException;
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
import org.junit.jupiter.params.provider.ValueSource;

/** The pods of an MPIJob without Kubernetes: pmixd with libpmix, the real launcher as mpirun and in workers, Open MPI as Debian has it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ResourceLock(PlayedJobService.PROCESSORS)
@Order(PlayedJobService.ON_THE_FIRST_THREAD)
class MpirunRunsTest {
    private PlayedPods pods;
    private String proof;

    @TempDir
    Path directory;

    @BeforeAll
    void build() {
        pods = new PlayedPods(TrixieRoot.open());
        proof = pods.compileProof();
    }

    @AfterAll
    void close() {
        if (pods != null) {
            pods.close();
        }
    }

    /** @param command of pod 0, for a shell, in single quotes */
    private TrixieRoot.Result run(int workers, int slots, String command, String beside) throws Exception {
        try (PlayedJobService service = new PlayedJobService(directory, workers + 1)) {
            return run(service, workers, slots, command, beside);
        }
    }

    private TrixieRoot.Result run(PlayedJobService service, int workers, int slots, String command, String beside)
            throws IOException {
        String script = "export PROOF=" + proof + "\nrun_mpirun " + workers + " " + slots + " sh -c '"
                + command.replace("$PROOF", proof) + "'\n" + beside + "\nfinish_run";
        return pods.run(service, script);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aScriptRunsOneMpirunAfterTheOtherInTheSameWorkers(boolean handingOn) throws Exception {
        TrixieRoot.Result result;
        try (PlayedJobService service = new PlayedJobService(directory, 3)) {
            if (handingOn) {
                service.playHandingOn();
            }
            result = run(service, 2, 2, """
                    mpirun -n 4 $PROOF 2; echo first $?
                    mpirun -n 2 $PROOF 2; echo second $?
                    mpirun -n 1 sh -c "echo alone in \\$OMPI_COMM_WORLD_SIZE; exit 7"; echo third $?
                    """, "");
        }
        assertThat(result.lines())
                .as(result.text())
                .contains(
                        "out 0: proof: ring ok, collectives ok, 4 ranks on 2 nodes",
                        "out 0: first 0",
                        "out 0: proof: ring ok, collectives ok, 2 ranks on 1 nodes",
                        "out 0: second 0",
                        "out 0: alone in 1",
                        "out 0: third 7",
                        "mpirun 0");
    }

    @Test
    void inputGoesToRankZeroAndAllOutputComesBackInOrder() throws Exception {
        TrixieRoot.Result result = run(2, 2, """
                seq 1 50000 | mpirun -n 4 sh -c "if [ \\$PMIX_RANK = 0 ]; then cat; else seq 1 50000; fi" > /tmp/numbers; echo code $?
                mpirun -n 1 cat < /dev/null; echo nothing $?
                wc -l < /tmp/numbers; sort -n /tmp/numbers | uniq -c | grep -vc "^ *4 "; rm /tmp/numbers
                """, "");
        assertThat(result.lines())
                .as(result.text())
                .contains("out 0: code 0", "out 0: nothing 0", "out 0: 200000", "out 0: 0", "mpirun 0");
    }

    @Test
    void mpirunThatIsEndedEndsItsRanksAndTheNextOneRuns() throws Exception {
        TrixieRoot.Result result = run(2, 1, """
                mpirun -n 2 sh -c "touch '$RUN'/up.\\$PMIX_RANK; sleep 600" & until [ -e '$RUN'/up.0 -a -e '$RUN'/up.1 ]; do sleep 0.1; done; kill -TERM $!; wait $!; echo ended $?
                mpirun -n 2 $PROOF 1; echo next $?
                """, "");
        assertThat(result.lines())
                .as(result.text())
                .contains(
                        "out 0: ended 143",
                        "out 0: proof: ring ok, collectives ok, 2 ranks on 2 nodes",
                        "out 0: next 0");
    }

    @Test
    void aWorkerThatIsLostEndsTheRunAndAnotherOneTakesPartInTheNext() throws Exception {
        TrixieRoot.Result result = run(2, 1, """
                mpirun -n 2 sh -c "echo up; sleep 600"; echo lost $?
                mpirun -n 2 $PROOF 1; echo next $?
                """, """
                await_text 0 up
                sleep 1
                pkill -KILL -P ${LAUNCHED[2]}; kill -KILL ${LAUNCHED[2]}
                wait ${LAUNCHED[2]} 2> /dev/null
                start_worker 2 1
                """);
        assertThat(result.lines())
                .as(result.text())
                .contains(
                        "out 0: lost 1", "out 0: proof: ring ok, collectives ok, 2 ranks on 2 nodes", "out 0: next 0");
    }

    /** What the job service does not know yet it knows a moment later: nobody waits half a minute for that. */
    @Test
    void aWorkerThatIsRefusedOnceTakesPartInTheRunThatWaitsForIt() throws Exception {
        TrixieRoot.Result result;
        try (PlayedJobService service = new PlayedJobService(directory, 3)) {
            service.answerFirst("pod-2", List.of("403 Forbidden"));
            result = run(service, 2, 1, "timeout 20 mpirun -n 2 $PROOF 1; echo run $?", "");
        }
        assertThat(result.lines())
                .as(result.text())
                .contains("out 2: fabric-launcher: 403 Forbidden", "out 0: run 0", "mpirun 0");
    }
}
