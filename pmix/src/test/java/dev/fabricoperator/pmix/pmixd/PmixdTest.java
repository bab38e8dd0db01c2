/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.pmix.TrixieRoot;
import dev.fabricoperator.pmix.job.JobLimits;
import dev.fabricoperator.pmix.job.JobMap;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole pods without Kubernetes: pmixd as a process with libpmix, the real launcher, Open MPI as Debian has it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ResourceLock(PlayedJobService.PROCESSORS)
class PmixdTest {
    private TrixieRoot root;
    private String proof;
    private String launcher;

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
        launcher = "/scratch/launcher";
    }

    @AfterAll
    void close() {
        if (root != null) {
            root.close();
        }
    }

    private TrixieRoot.Result run(PlayedJobService service, String script) throws IOException {
        List<String> command = new ArrayList<>(List.of("env"));
        service.environment()
                .forEach((name, value) ->
                        command.add((name.equals("FABRIC_JOB_SERVICE") ? "JOB_SERVICE=" : "CA=") + value));
        command.add("CLASSES=" + TrixieRoot.classPath(Main.class, Device.class));
        command.addAll(List.of("LAUNCHER=" + launcher, "PROOF=" + proof));
        command.add("TESTS=" + TrixieRoot.classPath(Flood.class));
        command.add("FOREIGN=" + TrixieRoot.classPath(Main.class) + "/dev/fabricoperator/pmix/foreign/libforeign.so");
        command.addAll(List.of("bash", "-uc", "source /src/pmix/src/test/sh/pods.sh\n" + script));
        return root.run(120, command.toArray(String[]::new));
    }

    private TrixieRoot.Result run(int pods, String script) throws IOException, GeneralSecurityException {
        try (PlayedJobService service = new PlayedJobService(directory, pods)) {
            return run(service, script);
        }
    }

    private static List<String> codes(String of, int pods, int code) {
        return IntStream.range(0, pods)
                .mapToObj(pod -> of + ' ' + pod + ' ' + code)
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"2,1", "2,2", "2,4", "4,1", "4,2", "4,4", "8,1", "8,2", "8,4"})
    void anUnmodifiedOpenMpiProgramRunsOverPods(int pods, int ranks) throws Exception {
        TrixieRoot.Result result = run(pods, "start_pods " + pods + " " + ranks + " $PROOF " + ranks + "\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .contains("out 0: [0] proof: ring ok, collectives ok, " + pods * ranks + " ranks on " + pods + " nodes")
                .containsAll(codes("launcher", pods, 0))
                .containsAll(codes("pmixd", pods, 0));
    }

    @Test
    void ranksThatNoLauncherStartsFindTheirServersByTheirEnvironmentAlone() throws Exception {
        TrixieRoot.Result result = run(
                3, "install -m 755 $PROOF $RUN/proof; for i in 0 1 2; do start_fixed $i $RUN/proof 1; done\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .contains("out 0: proof: ring ok, collectives ok, 3 ranks on 3 nodes")
                .containsAll(codes("launcher", 3, 0))
                .containsAll(codes("pmixd", 3, 0));
    }

    @Test
    void aRankThatNoLauncherStartsEndsWithItsServerWhenAnotherPodIsLost() throws Exception {
        TrixieRoot.Result result = run(
                2,
                "install -m 755 $PROOF $RUN/proof; start_fixed 0 $RUN/proof 1; start_fixed 1 sleep 60\n"
                        + "await_text 1 serving; sleep 2; kill -KILL ${PMIXD[1]}; kill -KILL ${LAUNCHED[1]}\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .contains("pmixd 0 1")
                .doesNotContain("launcher 0 0")
                .noneMatch(line -> line.contains("ring ok"));
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

    /** As a script does that runs one MPI program after the other. */
    @Test
    void programsThatARankRunsOneAfterTheOtherMeetThoseOfOtherRanksInEachFence() throws Exception {
        String fence = root.compile("gcc", "pmix/src/test/c/fence.c", "-lpmix");
        TrixieRoot.Result result =
                run(2, "start_pods 2 1 sh -c 'for i in $(seq 100); do " + fence + " 4 1; done; echo all'\nfinish");
        assertThat(result.lines()).as(result.text()).contains("out 0: [0] all").containsAll(codes("launcher", 2, 0));
        assertThat(result.lines().stream().filter("out 0: [0] fence without data: PMIX_SUCCESS"::equals))
                .hasSize(100);
    }

    @Test
    void whenAPodIsLostTheOthersStayAndTheNextAttemptRuns() throws Exception {
        TrixieRoot.Result result = run(3, """
                start_pods 3 1 sh -c 'case $PMIX_NAMESPACE in *-0) echo first; sleep 60;; *) exec '$PROOF';; esac'
                for pod in 0 1 2; do await_text $pod first; done
                kill -9 ${LAUNCHED[1]} ${PMIXD[1]}
                wait ${LAUNCHED[1]} ${PMIXD[1]} 2> /dev/null
                start_pmixd 1
                start_launcher 1 1 $PROOF
                finish
                """);
        assertThat(result.lines())
                .as(result.text())
                .contains("out 0: [0] proof: ring ok, collectives ok, 3 ranks on 3 nodes")
                .containsAll(codes("launcher", 3, 0));
        assertThat(result.text())
                .containsPattern("pod 1 \\(pod-1, [\\d.]+, port \\d+\\) is lost|a pod was replaced")
                .contains("serving test.job-0f4e8a26-1: pod 2 of 3");
    }

    /** A fence that fails lets Open MPI go on and ask for what others have put, while its namespace is forgotten. */
    @Test
    void ranksThatAreInAFenceWhenAPodIsLostRunAgainInTheNextAttempt() throws Exception {
        TrixieRoot.Result result = run(3, """
                start_pods 3 1 sh -c 'echo $PMIX_NAMESPACE; case $PMIX_NAMESPACE.$PMIX_RANK in *-0.0) exec sleep 60;; esac; exec '$PROOF
                for pod in 0 1 2; do await_text $pod '-0$'; done
                sleep 2
                kill -9 ${LAUNCHED[1]} ${PMIXD[1]}
                wait ${LAUNCHED[1]} ${PMIXD[1]} 2> /dev/null
                start_pmixd 1
                start_launcher 1 1 $PROOF
                finish
                """);
        assertThat(result.lines())
                .as(result.text())
                .contains("out 0: [0] proof: ring ok, collectives ok, 3 ranks on 3 nodes")
                .containsAll(codes("launcher", 3, 0));
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
    void aPodThatIsTerminatedIsALossAndNoFailureOfTheJob() throws Exception {
        TrixieRoot.Result result = run(2, """
                start_pods 2 1 sh -c 'case $PMIX_NAMESPACE in *-0) echo first; exec sleep 60;; *) exec '$PROOF';; esac'
                for pod in 0 1; do await_text $pod first; done
                kill -TERM ${LAUNCHED[1]}; sleep 0.1; kill -TERM ${PMIXD[1]}
                wait ${LAUNCHED[1]}; echo terminated $?
                wait ${PMIXD[1]}
                start_pmixd 1
                start_launcher 1 1 $PROOF
                finish
                """);
        assertThat(result.lines())
                .as(result.text())
                .contains("terminated 143")
                .contains("out 0: [0] proof: ring ok, collectives ok, 2 ranks on 2 nodes")
                .containsAll(codes("launcher", 2, 0));
    }

    @Test
    void aRefusalIsTheLaunchersLastWordAndItsCode() throws Exception {
        try (PlayedJobService service = new PlayedJobService(directory, 2)) {
            service.refuse("parallelism 1 is less than completions 2: set them equal");
            TrixieRoot.Result result = run(service, "start_pods 1 1 true\nfinish");
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
            TrixieRoot.Result result = run(service, "start_pods 1 1 true\nfinish");
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
    void aToolMayAskAndNotActAsARankAndItsEventsReachPmixdsLog() throws Exception {
        String queries = root.compile("gcc", "pmix/src/test/c/queries.c", "-lpmix");
        TrixieRoot.Result result = run(1, """
                start_pods 1 1 sh -c 'echo up; until [ -e '$RUN'/go ]; do sleep 0.05; done; exec '$PROOF
                await_text 0 up
                tool() { env -i PATH=$PATH HOME=/ PMIX_SYSTEM_TMPDIR=$RUN/pod-0 timeout 20 "$@" 2>&1; echo "code $?"; }
                tool env AS_TOOL=1 %s act pmix.qry.ns
                tool pevent --range 5 PMIX_EVENT_NODE_DOWN
                touch $RUN/go
                finish
                """.formatted(queries));
        assertThat(result.lines())
                .as(result.text())
                .contains(
                        "publish: PMIX_ERR_NO_PERMISSIONS",
                        "lookup: PMIX_ERR_NO_PERMISSIONS",
                        "log: PMIX_ERR_NO_PERMISSIONS")
                .containsSequence("code 0", "code 0")
                .anyMatch(line -> line.matches("log 0: pmixd .* event -231 of tool pevent\\..*"))
                // Its PMIx_Abort has returned PMIX_SUCCESS, whatever the answer was.
                .contains("out 0: [0] proof: ring ok, collectives ok, 1 ranks on 1 nodes", "launcher 0 0");
    }

    @Test
    void garbageOnEveryPortOfAPodDisturbsNoRank() throws Exception {
        TrixieRoot.Result result = run(2, """
                start_pods 2 1 sh -c 'echo up; until [ -e '$RUN'/go ]; do sleep 0.05; done; exec '$PROOF
                for pod in 0 1; do await_text $pod up; done
                port=$(tr '\\0' '\\n' < /proc/$(pgrep -P ${LAUNCHED[0]} | head -n 1)/environ | sed -n 's/^PMIX_SERVER_URI41=.*://p')
                for n in $(seq 20); do
                  head -c $((n * 50)) /dev/urandom > /dev/tcp/127.0.0.1/$port
                  head -c $((n * 50)) /dev/urandom > /dev/tcp/$NET.10/7471
                done 2> /dev/null
                touch $RUN/go
                finish
                """);
        assertThat(result.lines())
                .as(result.text())
                .contains("out 0: [0] proof: ring ok, collectives ok, 2 ranks on 2 nodes")
                .contains("out 0: fabric-launcher: refused a connection to the PMIx port: not a PMIx handshake")
                .containsAll(codes("launcher", 2, 0));
        assertThat(result.text())
                .contains("refused a connection to the PMIx port")
                .contains("does not speak the protocol of pmixd");
    }

    /** As with {@code readOnlyRootFilesystem}: all mounts but the pod's own directory. The JVM's own options are the image's. */
    @Test
    void pmixdWritesNothingOutsideItsOwnVolumes() throws Exception {
        TrixieRoot.Result result = run(2, """
                mkdir -p $RUN/private $RUN/pod-0; chmod 777 $RUN/private $RUN/pod-0
                cat > $RUN/readonly <<'END'
                for each in pod-0 private; do mount --bind $RUN/$each $RUN/$each; done
                for each in / /scratch; do mount -o remount,bind,ro $each; done
                touch /written /tmp/written 2> /dev/null && echo writable >&2
                exec "$@"
                END
                WRAPPER=(env RUN=$RUN unshare --mount bash $RUN/readonly)
                MORE=(FABRIC_PRIVATE_DIRECTORY=$RUN/private JDK_JAVA_OPTIONS=-Dfabric-operator.foreign=$FOREIGN)
                start_pmixd 0
                WRAPPER=() MORE=()
                start_launcher 0 1 $PROOF
                start_pmixd 1; start_launcher 1 1 sh -c "env | grep ^PMIX_.*TMPDIR; exec $PROOF"
                await_text 0 serving; find $RUN/private -mindepth 1 -printf 'private %m %u %y\\n'
                find $RUN/pod-1 -name 'pmix-*' -printf 'shared %m %u %y\\n'
                finish
                """);
        assertThat(result.lines())
                .as(result.text())
                .contains("private 700 root d", "shared 700 root d")
                .contains("out 0: [0] proof: ring ok, collectives ok, 2 ranks on 2 nodes")
                .containsAll(codes("pmixd", 2, 0))
                .doesNotContain("log 0: writable");
        assertThat(said(result, "out 1: [1] PMIX_SERVER_TMPDIR="))
                .singleElement()
                .asString()
                .endsWith("/pod-1");
    }

    /** Descriptors end before the bounds of the ports do; when they are there again, so are the ports. */
    @Test
    void portsThatTheKernelLetsAcceptNothingForAWhileServeAgainAfterwards() throws Exception {
        TrixieRoot.Result result = run(2, """
                WRAPPER=(bash -c 'ulimit -n 100; exec "$@"' limited)
                start_pods 2 1 sh -c 'echo up; until [ -e '$RUN'/go ]; do sleep 0.05; done; exec '$PROOF
                for pod in 0 1; do await_text $pod up; done
                port=$(tr '\\0' '\\n' < /proc/$(pgrep -P ${LAUNCHED[0]} | head -n 1)/environ | sed -n 's/^PMIX_SERVER_URI41=.*://p')
                for target in 127.0.0.1/$port $NET.10/7471; do
                  (for n in $(seq 120); do exec {open}<>/dev/tcp/$target; done; echo "held by $target"; sleep 1)
                done
                touch $RUN/go
                finish
                """);
        assertThat(said(result, "held by")).as(result.text()).hasSize(2);
        assertThat(result.text())
                .contains("hands over none: Too many open files")
                .contains("cannot be taken: Too many open files");
        assertThat(result.lines())
                .as(result.text())
                .contains("out 0: [0] proof: ring ok, collectives ok, 2 ranks on 2 nodes")
                .containsAll(codes("pmixd", 2, 0));
    }

    /** One bad message to libpmix itself would end it: it gets its connections from the filter, and has no port. */
    @ParameterizedTest
    @ValueSource(strings = {"", "setpriv --reuid 1000 --regid 1000 --clear-groups --bounding-set=-all --inh-caps=-all"})
    void libpmixListensNowhere(String wrapper) throws Exception {
        TrixieRoot.Result result = run(2, "WRAPPER=(%s) MORE=(HOME=/tmp)\n".formatted(wrapper) + """
                start_pods 2 2 sh -c 'echo up; until [ -e '$RUN'/go ]; do sleep 0.05; done; exec '$PROOF' 2'
                for pod in 0 1; do await_text $pod up; done
                inodes=$(ls -l /proc/${PMIXD[0]}/fd | sed -n 's/.*socket:\\[\\(.*\\)\\]/\\1/p')
                cat /proc/net/tcp /proc/net/tcp6 | awk -v inodes=" $(echo $inodes) " '$4 == "0A" && index(inodes, " " $10 " ") { sub(/.*:/, "", $2); print $2 }' |
                  while read -r port; do echo "pmixd listens at $((16#$port))"; done
                port=$(tr '\\0' '\\n' < /proc/$(pgrep -P ${LAUNCHED[0]} | head -n 1)/environ | sed -n 's/^PMIX_SERVER_URI41=.*://p')
                echo "ranks know $port"
                for n in 1 2 3; do head -c 100 /dev/urandom > /dev/tcp/127.0.0.1/$port; done
                touch $RUN/go
                finish
                """);
        String known = said(result, "ranks know ").getFirst().replace("ranks know ", "");
        assertThat(said(result, "pmixd listens at "))
                .as(result.text())
                .containsExactlyInAnyOrder("pmixd listens at " + known, "pmixd listens at 7471");
        assertThat(result.lines())
                .as(result.text())
                .contains("out 0: [0] proof: ring ok, collectives ok, 4 ranks on 2 nodes")
                .containsAll(codes("pmixd", 2, 0));
    }

    @Test
    void hostNetworkIsRefusedUnlessItIsAllowed() throws Exception {
        TrixieRoot.Result result = run(2, """
                MORE=(HOST_IP=$NET.10); start_pmixd 0
                wait ${PMIXD[0]}; echo refused $?
                MORE=(HOST_IP=$NET.10 FABRIC_HOST_NETWORK=allowed); start_pmixd 0
                MORE=(HOST_IP=$NET.10); start_pmixd 1
                for pod in 0 1; do start_launcher $pod 1 $PROOF; done
                finish
                """);
        assertThat(result.lines()).as(result.text()).contains("refused 2").containsAll(codes("pmixd", 2, 0));
        assertThat(said(result, "cannot start: this pod has spec.hostNetwork")).hasSize(1);
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
        assertThat(said(result, "cannot start: the dynamic loader finds libpmix 4.2.2"))
                .as(result.text())
                .hasSize(1);
    }

    private static List<String> said(TrixieRoot.Result result, String text) {
        return result.lines().stream().filter(line -> line.contains(text)).toList();
    }

    /**
     * 4,096 ranks with 2 KiB each, as bytes: four real pmixds and launchers start 4,096 real processes, of which 64, the clients
     * of libpmix, bring 128 KiB each.
     */
    @Test
    void aFenceOf4096RanksWithTwoKibibytesEachFitsIntoTheHeapOfSuchAJob() throws Exception {
        String fence = root.compile("gcc", "pmix/src/test/c/fence.c", "-lpmix");
        TrixieRoot.Result result = run(
                4,
                "HEAP=" + JobLimits.heapMebibytes(4096)
                        + "m\nstart_pods 4 1024 sh -c 'if [ $((PMIX_RANK % 64)) = 0 ]; then exec "
                        + fence + " 131072 64; fi'\n"
                        + "await_text 0 'fence without data'; grep VmHWM /proc/${PMIXD[0]}/status\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .containsAll(codes("launcher", 4, 0))
                .containsAll(codes("pmixd", 4, 0));
        assertThat(said(result, "fence with data: PMIX_SUCCESS"))
                .as(result.text())
                .hasSize(64);
        assertThat(said(result, "the last one's bytes: right")).hasSize(64);
        assertThat(said(result, "fence without data: PMIX_SUCCESS")).hasSize(64);
    }

    /** One rank in each pod: libpmix 5.0.7 tells the status of a failed fence to one participant of a pod only. */
    @Test
    void aFenceThatDoesNotFitIsAnsweredWithOutOfResourceAndTheJobGoesOn() throws Exception {
        String fence = root.compile("gcc", "pmix/src/test/c/fence.c", "-lpmix");
        TrixieRoot.Result result = run(4, "start_pods 4 1 " + fence + " 4194304 1\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .containsAll(codes("launcher", 4, 0))
                .containsAll(codes("pmixd", 4, 0));
        assertThat(said(result, "fence with data: PMIX_ERR_OUT_OF_RESOURCE"))
                .as(result.text())
                .hasSize(4);
        assertThat(said(result, "fence without data: PMIX_SUCCESS")).hasSize(4);
    }

    /** More connections than a heap of 24 MiB has room for, if each is kept for a while; on the mesh port any pod of a cluster may make them. */
    @Test
    void connectionsThatAreMadeAndResetInALoopEndNoRunningPod() throws Exception {
        TrixieRoot.Result result = run(2, """
                start_pods 2 1 sh -c 'echo up; until [ -e '$RUN'/go ]; do sleep 0.05; done; exec '$PROOF
                for pod in 0 1; do await_text $pod up; done
                port=$(tr '\\0' '\\n' < /proc/$(pgrep -P ${LAUNCHED[0]} | head -n 1)/environ | sed -n 's/^PMIX_SERVER_URI41=.*://p')
                for target in $NET.10:7471 127.0.0.1:$port $RUN/pod-0/pmixd.sock; do
                  /jdk/bin/java -XX:TieredStopAtLevel=1 -cp $TESTS dev.fabricoperator.pmix.pmixd.Flood $target 20000
                done
                touch $RUN/go
                finish
                """);
        assertThat(result.lines())
                .as(result.text())
                .anyMatch(line -> line.matches("flood of 127\\.[\\d.]+:7471: most of 20000 connections made"))
                .contains("flood of pmixd.sock: most of 20000 connections made")
                .anyMatch(line -> line.startsWith("flood of 127.0.0.1:") && line.contains(": most of 20000"))
                .contains("out 0: [0] proof: ring ok, collectives ok, 2 ranks on 2 nodes")
                .containsAll(codes("launcher", 2, 0))
                .containsAll(codes("pmixd", 2, 0));
        assertThat(result.lines()).as("lines of the log").hasSizeLessThan(400);
    }

    /** Two ranks in each of three pods run it; what each of them prints follows its name. */
    private TrixieRoot.Result exchange(String what) throws Exception {
        String program = root.compile("gcc", "pmix/src/test/c/exchange.c", "-lpmix");
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
            assertThat(said(result, "[" + rank + "] local: PMIX_SUCCESS type 22: " + first + " " + (first + 1)))
                    .as(result.text())
                    .hasSize(2);
        }
    }

    /** libpmix 5.0.7 tells the status of a failed fence to one participant of a pod. */
    @Test
    void aFenceOfWhichAParticipantIsGoneSucceedsInNoPod() throws Exception {
        String program = root.compile("gcc", "pmix/src/test/c/exchange.c", "-lpmix");
        TrixieRoot.Result result = run(2, "start_pods 2 2 " + program + " gone\nfinish");
        assertThat(result.lines()).as(result.text()).containsAll(codes("launcher", 2, 3));
        assertThat(said(result, "out 0: [1] fence: PMIX_SUCCESS")).isEmpty();
        assertThat(said(result, "out 1: [")).as(result.text()).anyMatch(line -> line.contains("fence: PMIX_ERR_"));
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
        assertThat(said(result, "] connect without one: PMIX_SUCCESS"))
                .as(result.text())
                .isEmpty();
        assertThat(said(result, "connect without one: PMIX_ERR_"))
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

    @Test
    void ranksAreToldOfTheFabricsGenerationsAndThenReadTheirValues() throws Exception {
        String program = root.compile("gcc", "pmix/src/test/c/events.c", "-lpmix", "-lpthread");
        TrixieRoot.Result result;
        JobMap held;
        try (PlayedJobService service = new PlayedJobService(directory, 3)) {
            service.playFabric(root.scratch(""));
            service.playHandingOn();
            result = run(service, "start_pods 3 2 " + program + " /scratch\nfinish");
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

    @Test
    void openMpiPublishesNamesConnectsAndMakesCommunicatorsOfGroupsBetweenPods() throws Exception {
        String program = root.compile("mpicc", "e2e/programs/mpi-exchange.c");
        TrixieRoot.Result result = run(2, "start_pods 2 2 " + program + "\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .contains("out 0: [0] names and connections: ok, 2 with 2", "out 0: [0] sessions: ok, 4 ranks")
                .containsAll(codes("launcher", 2, 0));
    }

    @Test
    void openMpiStartsWithASessionAlone() throws Exception {
        String program = root.compile("mpicc", "e2e/programs/mpi-exchange.c");
        TrixieRoot.Result result = run(2, "start_pods 2 2 " + program + " sessions\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .contains("out 0: [0] sessions: ok, 4 ranks")
                .containsAll(codes("launcher", 2, 0));
    }
}
