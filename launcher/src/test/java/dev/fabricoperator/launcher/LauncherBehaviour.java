/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the program does, seen from a scripted pmixd. */
@Timeout(300)
abstract class LauncherBehaviour {

    private final String name;

    @TempDir
    Path directory = Path.of("");

    private ScriptedPmixd pmixd;

    LauncherBehaviour(String name) throws IOException {
        this.name = name;
        pmixd = new ScriptedPmixd();
    }

    @BeforeEach
    void built() {
        assertThat(program()).as("make test-programs builds it").isExecutable();
    }

    @AfterEach
    void close() throws IOException {
        pmixd.close();
    }

    private Path program() {
        return Path.of("target", name).toAbsolutePath();
    }

    private LauncherProcess run(int ranks, List<String> options, String... command) throws IOException {
        return run(ranks, Map.of(), options, command);
    }

    private LauncherProcess run(int ranks, Map<String, String> environment, List<String> options, String... command)
            throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("--socket", pmixd.path().toString(), "--ranks", String.valueOf(ranks)));
        arguments.addAll(options);
        arguments.add("--");
        arguments.addAll(List.of(command));
        return LauncherProcess.start(program(), directory, environment, arguments);
    }

    private void admit(int ranks) throws IOException {
        pmixd.hello();
        pmixd.say("ready ns 0 " + ranks);
        for (int rank = 0; rank < ranks; rank++) {
            pmixd.say("rank " + rank + " PMIX_RANK=" + rank);
        }
        pmixd.say("go");
        for (int rank = 0; rank < ranks; rank++) {
            assertThat(pmixd.line()).startsWith("started " + rank + " ");
        }
    }

    /** All that the launcher says until its ranks have ended, which pmixd finds to be well. */
    private List<String> endWell() throws IOException {
        List<String> lines = new ArrayList<>();
        while (lines.isEmpty() || !lines.getLast().equals("done")) {
            lines.add(pmixd.line());
        }
        pmixd.say("stop 0 ");
        return lines;
    }

    private List<String> rest() {
        List<String> lines = new ArrayList<>();
        for (String line = pmixd.line(); !line.equals("<closed>"); line = pmixd.line()) {
            lines.add(line);
        }
        return lines;
    }

    /** As the kubelet asks: by a process of its own in the container. */
    private int probe(String... options) throws Exception {
        List<String> arguments =
                new ArrayList<>(List.of("--socket", pmixd.path().toString()));
        arguments.addAll(List.of(options));
        Path apart = Files.createTempDirectory(directory, "probe");
        return LauncherProcess.start(program(), apart, Map.of(), arguments).exitCode();
    }

    @Test
    void probesAreAnsweredForTheRanksUntilTheseRunAndWhileAnotherAttemptIsAwaited() throws Exception {
        String ends = "trap 'exit 0' TERM; touch " + directory + "/up; while :; do sleep 0.05; done";
        LauncherProcess launcher = run(2, List.of(), "sh", "-c", ends);
        assertThat(probe("--probe", "0", "--", "sh", "-c", "exit 7")).isZero();
        assertThat(probe("--probe", "1")).isOne();
        admit(2);
        assertThat(probe("--probe", "0", "--", "sh", "-c", "exit 7")).isEqualTo(7);
        assertThat(probe("--probe", "1")).isZero();
        assertThat(probe("--probe", "1", "--running", "600")).isOne();
        while (!Files.exists(directory.resolve("up"))) {
            Thread.sleep(20);
        }
        pmixd.say("again");
        pmixd.say("warn heard");
        while (!Files.readString(launcher.err()).contains("heard")) {
            Thread.sleep(20);
        }
        assertThat(probe("--probe", "0", "--", "sh", "-c", "exit 7")).isZero();
        pmixd.say("stop 3 over");
        assertThat(launcher.exitCode()).isEqualTo(3);
    }

    @Test
    void tells_what_the_container_is_like() throws Exception {
        LauncherProcess launcher = run(2, Map.of("HOME", ""), List.of(), "true");
        List<String> hello = pmixd.hello();
        assertThat(hello.getFirst()).isEqualTo("hello 1");
        assertThat(hello).contains("ranks 2", "home-unset", "end");
        assertThat(hello).anyMatch(line -> line.matches("uid \\d+"));
        assertThat(hello).anyMatch(line -> line.matches("gid \\d+"));
        assertThat(hello).anyMatch(line -> line.matches("cpus [0-9,-]+"));
        assertThat(hello)
                .filteredOn(line -> line.startsWith("net "))
                .allMatch(line -> line.matches("net \\S+ \\S+ \\S+ \\S+"));
        assertThat(hello).noneMatch(line -> line.startsWith("net lo "));
        pmixd.say("stop 124 pods 1 and 3 are missing");
        assertThat(launcher.exitCode()).isEqualTo(124);
        assertThat(launcher.err()).hasContent("fabric-launcher: pods 1 and 3 are missing");
    }

    @Test
    void the_ends_of_many_ranks_reach_a_pmixd_that_reads_them_late() throws Exception {
        int ranks = 400;
        Path ended = directory.resolve("ended");
        LauncherProcess launcher = run(ranks, List.of(), "sh", "-c", "echo >> " + ended);
        pmixd.hello();
        pmixd.say("ready ns 0 " + ranks);
        for (int rank = 0; rank < ranks; rank++) {
            pmixd.say("rank " + rank + " PMIX_RANK=" + rank);
        }
        pmixd.say("go");
        while (!Files.exists(ended)
                || Files.size(ended) < ranks
                || launcher.process().children().findAny().isPresent()) {
            Thread.sleep(10);
        }
        // Time enough to end for a launcher that keeps nothing for later.
        launcher.process().waitFor(500, TimeUnit.MILLISECONDS);

        List<String> lines = endWell();
        assertThat(lines).filteredOn(line -> line.startsWith("exited ")).hasSize(ranks);
        assertThat(rest()).isEmpty();
        assertThat(launcher.exitCode()).isZero();
    }

    @Test
    void gives_each_rank_its_environment() throws Exception {
        LauncherProcess launcher = run(
                2,
                Map.of("OWN", "user"),
                List.of("--tag"),
                "sh",
                "-c",
                "echo \"$PMIX_RANK $PMIX_NAMESPACE $OWN $OTHER $LINES2\"");
        pmixd.hello();
        pmixd.say(
                "ready ns 6 2",
                "set PMIX_NAMESPACE=ns",
                "default OWN=default",
                "default OTHER=all",
                "rankdefault 7 OTHER=seven",
                "set LINES2=a%0Ab%25",
                "rank 6 PMIX_RANK=6",
                "rank 7 PMIX_RANK=7",
                "go");
        endWell();
        assertThat(launcher.exitCode()).isZero();
        assertThat(Files.readAllLines(launcher.out()))
                .containsExactlyInAnyOrder("[6] 6 ns user all a", "[6] b%", "[7] 7 ns user seven a", "[7] b%");
    }

    @Test
    void one_rank_has_the_containers_own_streams_and_no_other_descriptor() throws Exception {
        LauncherProcess launcher = run(1, List.of(), "sh", "-c", "ls /proc/self/fd | wc -l; readlink /proc/$$/fd/1");
        admit(1);
        assertThat(endWell()).containsExactly("exited 0 0 0", "done");
        assertThat(launcher.exitCode()).isZero();
        // Its three, and the one by which ls reads.
        List<String> lines = Files.readAllLines(launcher.out());
        assertThat(lines).hasSize(2);
        assertThat(Integer.parseInt(lines.getFirst().strip())).isEqualTo(4 + inheritedHere());
        assertThat(lines.get(1)).endsWith("/out");
    }

    /** Descriptors that this very process gives to any child. */
    private int inheritedHere() throws Exception {
        Path out = directory.resolve("inherited");
        new ProcessBuilder("sh", "-c", "ls /proc/self/fd | wc -l")
                .redirectOutput(out.toFile())
                .start()
                .waitFor();
        return Integer.parseInt(Files.readString(out).strip()) - 4;
    }

    @Test
    void the_first_failing_rank_ends_the_pod_with_its_code() throws Exception {
        LauncherProcess launcher = run(3, List.of(), "sh", "-c", "[ $PMIX_RANK = 1 ] && exit 7; exec sleep 60");
        admit(3);
        assertThat(pmixd.line()).isEqualTo("exited 1 7 0");
        assertThat(List.of(pmixd.line(), pmixd.line())).containsExactlyInAnyOrder("exited 0 0 15", "exited 2 0 15");
        assertThat(pmixd.line()).isEqualTo("done");
        pmixd.disconnect();
        assertThat(launcher.exitCode()).isEqualTo(7);
    }

    @Test
    void a_rank_that_ignores_TERM_is_killed_after_the_grace_with_all_that_it_started() throws Exception {
        Path trapped = directory.resolve("trapped");
        LauncherProcess launcher = run(2, List.of("--grace", "0"), "sh", "-c", """
                [ $PMIX_RANK = 1 ] && { until [ -e %1$s ]; do sleep 0.05; done; exit 9; }
                trap '' TERM; sh -c 'trap "" TERM; echo $$; : > %1$s; sleep 60' & wait; sleep 60""".formatted(trapped));
        admit(2);
        assertThat(pmixd.line()).isEqualTo("exited 1 9 0");
        assertThat(pmixd.line()).isEqualTo("exited 0 0 9");
        pmixd.disconnect();
        assertThat(launcher.exitCode()).isEqualTo(9);
        String grandchild = Files.readString(launcher.out()).strip();
        // It is killed before the launcher ends; whoever inherits it reaps it a moment later.
        ProcessHandle.of(Long.parseLong(grandchild))
                .ifPresent(process -> assertThat(process.onExit()).succeedsWithin(Duration.ofSeconds(10)));
    }

    @Test
    void a_rank_that_dies_of_a_signal_gives_128_and_its_number() throws Exception {
        LauncherProcess launcher = run(1, List.of(), "sh", "-c", "kill -SEGV $$");
        admit(1);
        assertThat(pmixd.line()).isEqualTo("exited 0 0 11");
        assertThat(pmixd.line()).isEqualTo("done");
        pmixd.say("stop 0");
        assertThat(launcher.exitCode()).isEqualTo(139);
    }

    @Test
    void again_ends_the_ranks_silently_and_starts_them_in_the_next_attempt() throws Exception {
        LauncherProcess launcher =
                run(2, List.of("--tag"), "sh", "-c", "echo $ATTEMPT; [ $ATTEMPT = 2 ] && exit 0; exec sleep 60");
        pmixd.hello();
        pmixd.say("ready ns-1 0 2", "set ATTEMPT=1", "set LEFT=over", "go");
        pmixd.line();
        pmixd.line();
        pmixd.say("again", "ready ns-2 4 2", "set ATTEMPT=2", "go");
        assertThat(pmixd.line()).startsWith("started 0 ");
        assertThat(pmixd.line()).startsWith("started 1 ");
        endWell();
        assertThat(launcher.exitCode()).isZero();
        assertThat(Files.readAllLines(launcher.out())).contains("[4] 2", "[5] 2");
    }

    /** Programs save what they have when they are asked to end, and the other pods may be there long before. */
    @Test
    void the_next_attempt_waits_for_ranks_that_take_their_time_to_end() throws Exception {
        LauncherProcess launcher = run(
                1,
                List.of(),
                "sh",
                "-c",
                "[ $ATTEMPT = 2 ] && exit 0; trap 'sleep 1; echo saved; exit 3' TERM; echo up; while :; do sleep 0.1; done");
        pmixd.hello();
        pmixd.say("ready ns-1 0 1", "set ATTEMPT=1", "go");
        pmixd.line();
        while (!Files.readAllLines(launcher.out()).contains("up")) {
            Thread.sleep(10);
        }
        pmixd.say("again", "ready ns-2 0 1", "set ATTEMPT=2", "go");
        assertThat(pmixd.line()).startsWith("started 0 ");
        assertThat(Files.readAllLines(launcher.out())).containsExactly("up", "saved");
        assertThat(endWell()).containsExactly("exited 0 0 0", "done");
        assertThat(launcher.exitCode()).isZero();
    }

    @Test
    void a_failure_that_came_of_a_lost_peer_is_taken_back() throws Exception {
        LauncherProcess launcher = run(1, List.of(), "sh", "-c", "exit $CODE");
        pmixd.hello();
        pmixd.say("ready ns-1 0 1", "set CODE=16", "go");
        pmixd.line();
        assertThat(pmixd.line()).isEqualTo("exited 0 16 0");
        pmixd.say("hold");
        assertThat(pmixd.line()).isEqualTo("done");
        pmixd.say("again", "ready ns-2 0 1", "set CODE=0", "go");
        endWell();
        assertThat(launcher.exitCode()).isZero();
    }

    /** For pmixd alone knows whether a rank called PMIx_Finalize, or abort with a status that is a code of 0. */
    @Test
    void ranks_that_end_with_0_end_the_pod_as_pmixd_says() throws Exception {
        LauncherProcess launcher = run(1, List.of(), "true");
        admit(1);
        assertThat(pmixd.line()).isEqualTo("exited 0 0 0");
        pmixd.say("hold");
        assertThat(pmixd.line()).isEqualTo("done");
        pmixd.say("stop 1 rank 0 exited with code 0 but without PMIx_Finalize");
        assertThat(launcher.exitCode()).isEqualTo(1);
        assertThat(launcher.err()).hasContent("fabric-launcher: rank 0 exited with code 0 but without PMIx_Finalize");
    }

    @Test
    void ranks_that_end_with_0_are_not_well_where_pmixd_has_gone_without_saying_so() throws Exception {
        LauncherProcess launcher = run(1, List.of(), "true");
        admit(1);
        assertThat(pmixd.line()).isEqualTo("exited 0 0 0");
        assertThat(pmixd.line()).isEqualTo("done");
        pmixd.disconnect();
        assertThat(launcher.exitCode()).isEqualTo(125);
        assertThat(launcher.err()).content().contains("pmixd has gone before it said whether the ranks ended well");
    }

    @Test
    void the_code_of_the_rank_that_began_it_is_the_pods_also_where_another_one_failed_here() throws Exception {
        LauncherProcess launcher = run(2, List.of(), "sh", "-c", "[ $PMIX_RANK = 1 ] && exit 14; exec sleep 60");
        admit(2);
        assertThat(pmixd.line()).isEqualTo("exited 1 14 0");
        pmixd.say("hold", "stop 139 rank 7 was ended by signal 11");
        assertThat(launcher.exitCode()).isEqualTo(139);
    }

    @Test
    void without_a_word_from_pmixd_a_failure_stands() throws Exception {
        LauncherProcess launcher = run(1, List.of(), "sh", "-c", "exit 16");
        admit(1);
        assertThat(launcher.exitCode()).isEqualTo(16);
    }

    @Test
    void stop_ends_the_ranks_with_its_code() throws Exception {
        LauncherProcess launcher = run(2, List.of(), "sleep", "60");
        admit(2);
        pmixd.say("stop 3 rank 5 has called PMIx_Abort");
        assertThat(launcher.exitCode()).isEqualTo(3);
        assertThat(launcher.err()).hasContent("fabric-launcher: rank 5 has called PMIx_Abort");
    }

    @Test
    void the_death_of_pmixd_ends_the_ranks() throws Exception {
        LauncherProcess launcher = run(2, List.of(), "sleep", "60");
        admit(2);
        pmixd.disconnect();
        assertThat(launcher.exitCode()).isEqualTo(125);
        assertThat(launcher.err()).content().contains("pmixd has gone while ranks run");
    }

    @Test
    void signals_are_passed_on_once() throws Exception {
        LauncherProcess launcher = run(
                1,
                List.of(),
                "sh",
                "-c",
                "n=0; trap 'n=$((n+1))' USR1; trap 'echo $n; exit 0' TERM; echo ready; while :; do sleep 0.05; done");
        admit(1);
        while (!Files.readString(launcher.out()).contains("ready")) {
            Thread.sleep(10);
        }
        signal(launcher, "USR1");
        Thread.sleep(300);
        signal(launcher, "TERM");
        assertThat(endWell()).containsExactly("ending", "exited 0 0 0", "done");
        assertThat(launcher.exitCode()).isZero();
        assertThat(Files.readAllLines(launcher.out())).containsExactly("ready", "1");
    }

    private static void signal(LauncherProcess launcher, String signal) throws Exception {
        new ProcessBuilder(
                        "kill", "-" + signal, String.valueOf(launcher.process().pid()))
                .start()
                .waitFor();
    }

    /** What is asked of whoever ends the pod, as the kubelet, is in its own time: a rank that saves may take longer than ranks of a failed job. */
    @Test
    void a_rank_that_dies_of_TERM_does_not_cut_short_another_that_saves() throws Exception {
        LauncherProcess launcher = run(
                2,
                List.of("--grace", "0"),
                "sh",
                "-c",
                "[ $PMIX_RANK = 1 ] || trap 'until [ -e %s ]; do sleep 0.05; done; echo saved; exit 0' TERM; echo up; while :; do sleep 0.05; done"
                        .formatted(directory.resolve("done")));
        admit(2);
        while (Files.readAllLines(launcher.out()).size() < 2) {
            Thread.sleep(10);
        }
        signal(launcher, "TERM");
        assertThat(pmixd.line()).isEqualTo("ending");
        assertThat(pmixd.line()).isEqualTo("exited 1 0 15");
        pmixd.say("stop 143 rank 1 was ended by signal 15");
        assertThat(launcher.process().waitFor(500, TimeUnit.MILLISECONDS)).isFalse();
        Files.createFile(directory.resolve("done"));
        assertThat(launcher.exitCode()).isEqualTo(143);
        assertThat(Files.readAllLines(launcher.out())).contains("saved");
    }

    /** The ranks of a lost pod's job are being ended, and then whoever ends this pod asks, too: once is enough, and their time is his. */
    @Test
    void ranks_that_are_being_ended_get_TERM_once() throws Exception {
        LauncherProcess launcher = run(
                1,
                List.of("--grace", "1"),
                "sh",
                "-c",
                "trap 'echo saves; until [ -e %s ]; do sleep 0.05; done; exit 0' TERM; echo up; while :; do sleep 0.05; done"
                        .formatted(directory.resolve("done")));
        admit(1);
        while (!Files.readAllLines(launcher.out()).contains("up")) {
            Thread.sleep(10);
        }
        pmixd.say("again");
        while (!Files.readAllLines(launcher.out()).contains("saves")) {
            Thread.sleep(10);
        }
        signal(launcher, "TERM");
        assertThat(launcher.process().waitFor(2, TimeUnit.SECONDS)).isFalse();
        Files.createFile(directory.resolve("done"));
        assertThat(launcher.exitCode()).isEqualTo(143);
        assertThat(Files.readAllLines(launcher.out())).containsExactly("up", "saves");
    }

    @Test
    void TERM_while_it_waits_for_the_job_ends_it_at_once() throws Exception {
        LauncherProcess launcher = run(2, List.of(), "sleep", "60");
        pmixd.hello();
        signal(launcher, "TERM");
        assertThat(launcher.exitCode()).isEqualTo(143);
    }

    @Test
    void lines_of_many_ranks_stay_whole_and_complete() throws Exception {
        LauncherProcess launcher = run(
                8,
                List.of(),
                "sh",
                "-c",
                "i=0; while [ $i -lt 500 ]; do printf '%s-' $PMIX_RANK; printf '%0200d\\n' $i; i=$((i+1)); done");
        admit(8);
        endWell();
        assertThat(launcher.exitCode()).isZero();
        List<String> lines = Files.readAllLines(launcher.out());
        assertThat(lines).hasSize(4000).allMatch(line -> line.matches("[0-7]-\\d{200}"));
        assertThat(lines.stream().distinct().count()).isEqualTo(4000);
    }

    @Test
    void a_command_that_is_not_there_ends_the_launcher_and_pmixd_hears_of_it() throws Exception {
        assertThat(run(1, List.of(), "no-such-command").exitCode()).isEqualTo(127);
        pmixd.connect();
        assertThat(pmixd.line()).isEqualTo("hello 1");
        assertThat(pmixd.line()).isEqualTo("<closed>");
        assertThat(run(1, List.of(), "/etc/passwd").exitCode()).isEqualTo(126);
    }

    @Test
    void installs_itself_whole_whatever_the_umask() throws Exception {
        Path copy = directory.resolve("launcher");
        int code = new ProcessBuilder("sh", "-c", "umask 077; exec " + program() + " --install " + copy)
                .start()
                .waitFor();
        assertThat(code).isZero();
        assertThat(copy).isExecutable().hasSameBinaryContentAs(program());
        assertThat(Files.getPosixFilePermissions(copy)).hasSize(7);
        assertThat(new ProcessBuilder(copy.toString(), "--version").start().waitFor())
                .isZero();
        Path nowhere = directory.resolve("no/such/directory");
        assertThat(new ProcessBuilder(program().toString(), "--install", nowhere.toString())
                        .start()
                        .waitFor())
                .isEqualTo(125);
    }

    @Test
    void ready_asks_pmixd() throws Exception {
        List<String> arguments = List.of("--socket", pmixd.path().toString(), "--ready");
        for (String answer : List.of("yes", "no")) {
            LauncherProcess probe = LauncherProcess.start(program(), directory, Map.of(), arguments);
            pmixd.connect();
            assertThat(pmixd.line()).isEqualTo("ready?");
            pmixd.say(answer);
            pmixd.disconnect();
            assertThat(probe.exitCode()).isEqualTo(answer.equals("yes") ? 0 : 1);
        }
        List<String> elsewhere = List.of("--socket", directory.resolve("none").toString(), "--ready");
        assertThat(LauncherProcess.start(program(), directory, Map.of(), elsewhere)
                        .exitCode())
                .isEqualTo(1);
    }

    @Test
    void hostile_text_ends_it_with_a_sentence() throws Exception {
        for (String text :
                List.of("ready ns 0 5", "go", "set A=b", "warn %00", "x".repeat(300_000), "ready ns 0 2\nrank 9 A=b")) {
            LauncherProcess launcher = run(2, List.of(), "sleep", "60");
            pmixd.hello();
            try {
                pmixd.say(text);
            } catch (IOException e) {
                assertThat(e).as("the launcher may have closed it already").hasMessageMatching(".*(pipe|reset).*");
            }
            assertThat(launcher.exitCode()).as(text).isEqualTo(125);
            assertThat(launcher.err()).content().contains("fabric-launcher: pmixd");
            pmixd.disconnect();
        }
    }

    @Test
    void random_bytes_never_break_it() throws Exception {
        Random random = new Random(7);
        for (int i = 0; i < 25; i++) {
            LauncherProcess launcher = run(2, List.of(), "true");
            pmixd.hello();
            byte[] bytes = new byte[random.nextInt(20_000)];
            random.nextBytes(bytes);
            byte[] start = "ready ns 0 2\nset A=".getBytes(StandardCharsets.UTF_8);
            System.arraycopy(start, 0, bytes, 0, Math.min(start.length, bytes.length));
            try {
                pmixd.write(bytes);
            } catch (IOException e) {
                assertThat(e).as("the launcher may have closed it already").hasMessageMatching(".*(pipe|reset).*");
            }
            pmixd.disconnect();
            assertThat(launcher.exitCode()).isEqualTo(125);
            assertThat(launcher.err()).content().doesNotContain("Sanitizer", "runtime error");
        }
    }
}
