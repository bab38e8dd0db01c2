/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.pmix.TrixieRoot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pods of an MPIJob without Kubernetes: pmixd with libpmix, the real launcher as mpirun and in workers, Open MPI as Debian has it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ResourceLock(PlayedJobService.PROCESSORS)
class MpirunRunsTest {
    private TrixieRoot root;
    private String proof;

    @TempDir
    Path directory;

    @BeforeAll
    void build() {
        root = TrixieRoot.open();
        proof = root.compile("mpicc", "e2e/programs/mpi-proof.c", "-lm");
        TrixieRoot.Result built = root.run(
                120,
                "bash",
                "-c",
                "gcc -static -O1 -D_GNU_SOURCE '-DVERSION=\"test\"' -o /scratch/launcher /src/launcher/src/main/c/*.c");
        assertThat(built.exitCode()).as(built.text()).isZero();
    }

    @AfterAll
    void close() {
        if (root != null) {
            root.close();
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
        List<String> line = new ArrayList<>(List.of("env"));
        service.environment()
                .forEach((name, value) ->
                        line.add((name.equals("FABRIC_JOB_SERVICE") ? "JOB_SERVICE=" : "CA=") + value));
        line.add("CLASSES=" + TrixieRoot.classPath(Main.class, Device.class));
        line.addAll(List.of("LAUNCHER=/scratch/launcher", "bash", "-uc"));
        line.add("source /src/pmix/src/test/sh/pods.sh\nexport PROOF=" + proof + "\nrun_mpirun " + workers + " " + slots
                + " sh -c '" + command.replace("$PROOF", proof) + "'\n" + beside + "\nfinish_run");
        return root.run(120, line.toArray(String[]::new));
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
                mpirun -n 2 sh -c "echo up; sleep 600" & sleep 8; kill -TERM $!; wait $!; echo ended $?
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
}
