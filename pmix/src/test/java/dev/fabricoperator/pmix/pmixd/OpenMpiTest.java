/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static dev.fabricoperator.pmix.pmixd.PlayedPods.codes;
import static dev.fabricoperator.pmix.pmixd.PlayedPods.linesWith;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.TrixieRoot;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Open MPI, as Debian has it, over whole pods without Kubernetes: its jobs, what becomes of them when a pod is lost, and what strangers do to their ports meanwhile. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ResourceLock(PlayedJobService.PROCESSORS)
@Order(PlayedJobService.ON_THE_FIRST_THREAD)
class OpenMpiTest {
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

    private TrixieRoot.Result run(int count, String script) throws IOException, GeneralSecurityException {
        return pods.run(
                directory,
                count,
                script,
                "PROOF=" + proof,
                "TESTS=" + TrixieRoot.classPath(Flood.class),
                "FOREIGN=" + TrixieRoot.classPath(Main.class) + "/dev/fabricoperator/pmix/foreign/libforeign.so");
    }

    @Test
    void whereTheyAreAndDirectoriesOfTheSessionAreThereWhileRanksRun() throws Exception {
        TrixieRoot.Result result = run(2, """
                rm() { find $RUN -name 'session-*' -printf 'left %p\\n'; command rm "$@"; }
                start_waiting_pods 2 2 $PROOF 2
                find $RUN/pod-1/session-* -printf 'there %y %m %P\\n'
                find $RUN/pod-1 -name '*place*' -printf 'there %m %f: '
                head -c 18 $RUN/pod-1/place.json; grep -o '"ranks":[^a-z]*]' $RUN/pod-1/place.json
                touch $RUN/go
                finish
                """);
        assertThat(result.lines())
                .as(result.text())
                .contains("there 644 place.json: {\"schemaVersion\":1\"ranks\":[2,3]")
                .contains("there d 700 ", "there d 700 job", "there d 700 job/2", "there d 700 job/3")
                .contains("out 0: [0] proof: ring ok, collectives ok, 4 ranks on 2 nodes")
                .containsAll(codes("launcher", 2, 0))
                .noneMatch(line -> line.startsWith("left "));
    }

    @Test
    void theLauncherTellsWhatItsRanksRunAndWhere() throws Exception {
        String report = pods.root().compile("gcc", "e2e/programs/pmix-report.c", "-lpmix");
        TrixieRoot.Result result = run(1, "cd /tmp; start_pods 1 2 %s one 100%% %%s\nfinish".formatted(report));
        assertThat(result.lines())
                .as(result.text())
                .contains("launcher 0 0", "out 0: [1] app0 pmix.wdir PMIX_STRING /tmp")
                .contains("out 0: [1] app0 pmix.app.argv PMIX_STRING " + report + " one 100% %s")
                .anyMatch(line -> line.matches(".* node0 pmix.pmem PMIX_UINT64 [1-9]\\d{6,}"))
                .anyMatch(
                        line -> line.matches(".* job pmix.nsdir PMIX_STRING /tmp/pods\\S+/pod-0/session-[0-9a-f]+/job"))
                .anyMatch(line -> line.matches(".* rank1 pmix.pdir PMIX_STRING \\S+/session-[0-9a-f]+/job/1"));
    }

    @Test
    void aProgramThatSpawnsIsToldInItsLogWhatIsSupported() throws Exception {
        String spawn = pods.root().compile("mpicc", "pmix/src/test/c/spawn.c");
        TrixieRoot.Result result = run(1, "start_pods 1 1 " + spawn + "\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .contains("launcher 0 0", "out 0: [0] spawn failed")
                .anyMatch(line -> line.startsWith(
                        "out 0: fabric-launcher: rank 0: PMIx_Spawn (MPI_Comm_spawn) is not supported"));
    }

    @Test
    void aPodOfWhichNoRankHasAskedItsServerSaysSoBeforeItsEnd() throws Exception {
        try (PlayedJobService service = new PlayedJobService(directory, 2)) {
            TrixieRoot.Result result = pods.run(service, "start_pods 2 2 sh -c 'echo alone'\nfinish");
            assertThat(result.lines()).as(result.text()).containsAll(codes("launcher", 2, 0));
            assertThat(service.events())
                    .containsSubsequence("pod-0 unconnected", "pod-0 finished 0")
                    .containsSubsequence("pod-1 unconnected", "pod-1 finished 0");
        }
        try (PlayedJobService service = new PlayedJobService(directory, 2)) {
            TrixieRoot.Result result = pods.run(service, "start_pods 2 1 " + proof + " 1\nfinish");
            assertThat(result.lines()).as(result.text()).containsAll(codes("launcher", 2, 0));
            assertThat(service.events())
                    .containsSubsequence("pod-0 clients 1 0 0", "pod-0 finished 0")
                    .noneMatch(event -> event.endsWith("unconnected"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "FABRIC_PARTS_WHEN_DONE=true"})
    void aJobOfWhichNoRankHasAskedItsServerFailsWhereItsNamespaceWantsThat(String more) throws Exception {
        try (PlayedJobService service = new PlayedJobService(directory, 3)) {
            TrixieRoot.Result result = pods.run(
                    service, "MORE=(FABRIC_REQUIRE_PMIX=true " + more + ")\nstart_pods 3 2 sh -c 'echo alone'\nfinish");
            assertThat(result.lines())
                    .as(result.text())
                    .containsAll(codes("launcher", 3, 1))
                    .contains("out 2: fabric-launcher: " + PodServer.WITHOUT_PMIX);
            assertThat(service.events())
                    .containsSubsequence("pod-0 unconnected", "pod-0 finished 1 " + PodServer.WITHOUT_PMIX)
                    .containsSubsequence("pod-2 unconnected", "pod-2 finished 1 " + PodServer.WITHOUT_PMIX);
        }
    }

    /** Whichever of the two ends first. */
    @ParameterizedTest
    @CsvSource({"0, 1", "1, 0"})
    void oneRankThatHasAskedItsServerIsEnoughForTheWholeJob(int alone, int slow) throws Exception {
        String report = pods.root().compile("gcc", "e2e/programs/pmix-report.c", "-lpmix");
        try (PlayedJobService service = new PlayedJobService(directory, 2)) {
            TrixieRoot.Result result = pods.run(service, """
                    MORE=(FABRIC_REQUIRE_PMIX=true)
                    start_pods 2 1 sh -c '[ $PMIX_RANK != %d ] || sleep 3; [ $PMIX_RANK = %d ] || exec %s one'
                    finish
                    """.formatted(slow, alone, report));
            assertThat(result.lines()).as(result.text()).containsAll(codes("launcher", 2, 0));
            assertThat(service.events())
                    .containsSubsequence("pod-" + alone + " unconnected", "pod-" + alone + " finished 0")
                    .contains("pod-" + (1 - alone) + " finished 0");
        }
    }

    /** Its ranks have ended well, whatever theirs do: what it has told stays with them, who fail the job. The first pod is the one that the others are reached through. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aPodThatIsEndedWhileItWaitsForWhatOthersSayLeavesTheVerdictToThem(int first) throws Exception {
        int last = first == 2 ? 0 : 2;
        TrixieRoot.Result result = run(3, """
                MORE=(FABRIC_REQUIRE_PMIX=true)
                start_pods 3 1 sh -c 'echo up; [ $PMIX_RANK != %2$d ] || until [ -e $0 ]; do sleep 0.05; done' $RUN/go
                for pod in 0 1 2; do await_text $pod up; done; sleep 1
                kill -0 ${LAUNCHED[%1$d]} && echo waits
                kill -TERM ${LAUNCHED[%1$d]}; kill -TERM ${PMIXD[%1$d]}
                wait ${LAUNCHED[%1$d]}; echo "first $?"
                touch $RUN/go
                finish
                """.formatted(first, last));
        assertThat(result.lines())
                .as(result.text())
                .contains("waits", "first 0", "launcher " + (3 - first - last) + " 1", "launcher " + last + " 1")
                .containsAll(codes("pmixd", 3, 0));
    }

    /** As of ranks that save what they have on SIGTERM: nobody waits for a pod that is being ended. */
    @Test
    void aPodWhoseRanksEndWellWhileItIsEndedDoesNotWaitForWhatOthersSay() throws Exception {
        TrixieRoot.Result result = run(2, """
                MORE=(FABRIC_REQUIRE_PMIX=true)
                start_pods 2 1 sh -c 'trap "sleep 2; exit 0" TERM; echo up; until [ -e $0 ]; do sleep 0.05; done' $RUN/go
                for pod in 0 1; do await_text $pod up; done
                kill -TERM ${LAUNCHED[1]}; kill -TERM ${PMIXD[1]}
                for n in $(seq 200); do kill -0 ${LAUNCHED[1]} 2> /dev/null || break; sleep 0.1; done
                kill -0 ${LAUNCHED[1]} 2> /dev/null && echo 'waits for the others'
                touch $RUN/go
                finish
                """);
        assertThat(result.lines())
                .as(result.text())
                .contains("launcher 0 1", "launcher 1 0")
                .doesNotContain("waits for the others");
    }

    @Test
    void aPodWaitsForWhatOthersSayNoLongerThanForItsJobToBecomeWhole() throws Exception {
        TrixieRoot.Result result = run(2, """
                MORE=(FABRIC_REQUIRE_PMIX=true); TIMEOUT=15
                start_pods 2 1 sh -c 'echo up; [ $PMIX_RANK = 1 ] || until [ -e $0 ]; do sleep 0.05; done' $RUN/go
                for pod in 0 1; do await_text $pod up; done
                for n in $(seq 600); do kill -0 ${LAUNCHED[1]} 2> /dev/null || break; sleep 0.1; done
                kill -0 ${LAUNCHED[1]} 2> /dev/null && echo 'waits for the others'
                touch $RUN/go
                finish
                """);
        assertThat(result.lines())
                .as(result.text())
                .contains("launcher 0 1", "launcher 1 0")
                .doesNotContain("waits for the others");
    }

    /** What is left out names files and libraries of mpirun's own. */
    @Test
    void ranksAreToldInTheirEnvironmentWhatMpirunTellsItsOwn() throws Exception {
        TrixieRoot.Result result = run(1, """
                cd /tmp
                start_pods 1 2 sh -c 'env > '$RUN'/ours.$PMIX_RANK' 'a b' c
                wait ${LAUNCHED[0]}
                env -i PATH=$PATH HOME=/tmp OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \\
                  mpirun --oversubscribe -n 2 sh -c 'env > '$RUN'/theirs.$PMIX_RANK' 'a b' c
                echo "mpirun $?"
                for rank in 0 1; do
                  for whose in ours theirs; do
                    sed -i "s/$whose\\./WHOSE./" $RUN/$whose.$rank
                    grep '^OMPI_' $RUN/$whose.$rank | grep -Ev 'ALLOW_RUN_AS_ROOT|btl_tcp_if_include|yield_when_idle' \\
                      | grep -Ev '^OMPI_(FILE_LOCATION|LIBDIR_LOC|MCA_PREFIXES|MCA_cpu_type|MCA_mca_base_component_path|TOOL_NAME|VERSION)=' \\
                      | sort > $RUN/told.$whose
                  done
                  echo "$rank: $(wc -l < $RUN/told.theirs) variables of mpirun, not told:" $(comm -13 $RUN/told.ours $RUN/told.theirs)
                  sed "s/^/$rank: /" $RUN/told.ours
                done
                finish
                """);
        assertThat(result.lines())
                .as(result.text())
                .contains("mpirun 0", "0: 13 variables of mpirun, not told:", "1: 13 variables of mpirun, not told:")
                .contains("1: OMPI_COMM_WORLD_LOCAL_RANK=1", "1: OMPI_COMM_WORLD_SIZE=2", "1: OMPI_FIRST_RANKS=0")
                .contains("1: OMPI_APP_CTX_NUM_PROCS=2", "1: OMPI_MCA_initial_wdir=/tmp");
    }

    @ParameterizedTest
    @CsvSource({"2,1", "2,4", "4,2", "8,4"})
    void anUnmodifiedOpenMpiProgramRunsOverPods(int pods, int ranks) throws Exception {
        TrixieRoot.Result result = run(pods, "start_pods " + pods + " " + ranks + " $PROOF " + ranks + "\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .contains("out 0: [0] proof: ring ok, collectives ok, " + pods * ranks + " ranks on " + pods + " nodes")
                .containsAll(codes("launcher", pods, 0))
                .containsAll(codes("pmixd", pods, 0));
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"2,2", "4,1", "4,4", "8,1", "8,2"})
    void itDoesInTheOtherShapesToo(int pods, int ranks) throws Exception {
        anUnmodifiedOpenMpiProgramRunsOverPods(pods, ranks);
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
    void whenAPodIsLostTheOthersStayAndTheNextAttemptRuns() throws Exception {
        TrixieRoot.Result result = run(3, """
                start_pods 3 1 sh -c 'case $PMIX_NAMESPACE in *-0) echo first; sleep 60;; *) exec '$PROOF';; esac'
                for pod in 0 1 2; do await_text $pod first; done
                replace_pod 1 1 $PROOF
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
                replace_pod 1 1 $PROOF
                finish
                """);
        assertThat(result.lines())
                .as(result.text())
                .contains("out 0: [0] proof: ring ok, collectives ok, 3 ranks on 3 nodes")
                .containsAll(codes("launcher", 3, 0));
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
    void aToolMayAskAndNotActAsARankAndItsEventsReachPmixdsLog() throws Exception {
        String queries = pods.root().compile("gcc", "pmix/src/test/c/queries.c", "-lpmix");
        TrixieRoot.Result result = run(1, """
                start_waiting_pods 1 1 $PROOF
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
                start_waiting_pods 2 1 $PROOF
                port=$(pmix_port 0)
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
        assertThat(linesWith(result, "out 1: [1] PMIX_SERVER_TMPDIR="))
                .singleElement()
                .asString()
                .endsWith("/pod-1");
    }

    /** Descriptors end before the bounds of the ports do; when they are there again, so are the ports. */
    @Test
    void portsThatTheKernelLetsAcceptNothingForAWhileServeAgainAfterwards() throws Exception {
        TrixieRoot.Result result = run(2, """
                WRAPPER=(bash -c 'ulimit -n 100; exec "$@"' limited)
                start_waiting_pods 2 1 $PROOF
                port=$(pmix_port 0)
                hold() { # target, text that pmixd writes for want of descriptors
                  (for n in $(seq 120); do exec {open}<>/dev/tcp/$1; done; echo "held by $1"; await_text 0 "$2")
                }
                hold 127.0.0.1/$port 'hands over none'
                hold $NET.10/7471 'cannot be taken'
                touch $RUN/go
                finish
                """);
        assertThat(linesWith(result, "held by")).as(result.text()).hasSize(2);
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
                start_waiting_pods 2 2 $PROOF 2
                inodes=$(ls -l /proc/${PMIXD[0]}/fd | sed -n 's/.*socket:\\[\\(.*\\)\\]/\\1/p')
                cat /proc/net/tcp /proc/net/tcp6 | awk -v inodes=" $(echo $inodes) " '$4 == "0A" && index(inodes, " " $10 " ") { sub(/.*:/, "", $2); print $2 }' |
                  while read -r port; do echo "pmixd listens at $((16#$port))"; done
                port=$(pmix_port 0)
                echo "ranks know $port"
                for n in 1 2 3; do head -c 100 /dev/urandom > /dev/tcp/127.0.0.1/$port; done
                touch $RUN/go
                finish
                """);
        String known = linesWith(result, "ranks know ").getFirst().replace("ranks know ", "");
        assertThat(linesWith(result, "pmixd listens at "))
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
        assertThat(linesWith(result, "cannot start: this pod has spec.hostNetwork"))
                .hasSize(1);
    }

    /** More connections than a heap of 24 MiB has room for, if each is kept for a while; on the mesh port any pod of a cluster may make them. */
    @Test
    void connectionsThatAreMadeAndResetInALoopEndNoRunningPod() throws Exception {
        TrixieRoot.Result result = run(2, """
                start_waiting_pods 2 1 $PROOF
                port=$(pmix_port 0)
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

    @Test
    void openMpiPublishesNamesConnectsAndMakesCommunicatorsOfGroupsBetweenPods() throws Exception {
        String program = pods.root().compile("mpicc", "e2e/programs/mpi-exchange.c");
        TrixieRoot.Result result = run(2, "start_pods 2 2 " + program + "\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .contains("out 0: [0] names and connections: ok, 2 with 2", "out 0: [0] sessions: ok, 4 ranks")
                .containsAll(codes("launcher", 2, 0));
    }

    @Test
    void openMpiStartsWithASessionAlone() throws Exception {
        String program = pods.root().compile("mpicc", "e2e/programs/mpi-exchange.c");
        TrixieRoot.Result result = run(2, "start_pods 2 2 " + program + " sessions\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .contains("out 0: [0] sessions: ok, 4 ranks")
                .containsAll(codes("launcher", 2, 0));
    }
}
