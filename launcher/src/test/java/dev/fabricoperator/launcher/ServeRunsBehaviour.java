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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A worker of an MPIJob, seen from a scripted pmixd: its SSH server is played by a script. */
@Timeout(300)
abstract class ServeRunsBehaviour {
    private final String name;

    @TempDir
    Path directory = Path.of("");

    private ScriptedPmixd pmixd;
    private int graceSeconds = 10;

    ServeRunsBehaviour(String name) throws IOException {
        this.name = name;
        pmixd = new ScriptedPmixd();
    }

    @BeforeEach
    void image() throws IOException {
        PlayedImage.write(directory, "trap 'exit 0' TERM; while :; do sleep 0.05; done");
    }

    @AfterEach
    void close() throws IOException {
        pmixd.close();
    }

    private LauncherProcess serve(String... daemon) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "--serve-runs",
                "2",
                "--socket",
                pmixd.path().toString(),
                "--pmixd",
                PlayedImage.of(directory).toString(),
                "--grace",
                String.valueOf(graceSeconds),
                "--"));
        arguments.addAll(List.of(daemon));
        return LauncherProcess.start(
                Path.of("target", name).toAbsolutePath(),
                directory,
                Map.of("PMIXD_POD_NAME", "worker-0", "OWN", "of the container"),
                arguments);
    }

    private LauncherProcess serve() throws IOException {
        return serve("sh", "-c", "trap 'exit 3' TERM; touch " + listening() + "; while :; do sleep 0.05; done");
    }

    private Path listening() {
        return directory.resolve("listening");
    }

    private void end(LauncherProcess launcher) throws InterruptedException {
        while (!Files.exists(listening())) {
            Thread.sleep(5);
        }
        launcher.process().destroy();
        assertThat(launcher.exitCode()).isEqualTo(3);
    }

    /** One rank of a run that has as many ranks as are named. */
    private void start(int first, int count, String... command) throws IOException {
        pmixd.say("ready ns " + first + ' ' + count);
        for (String word : command) {
            pmixd.say("argument " + word);
        }
        for (int rank = first; rank < first + count; rank++) {
            pmixd.say("rank " + rank + " PMIX_RANK=" + rank);
        }
        pmixd.say("go");
        for (int rank = 0; rank < count; rank++) {
            assertThat(pmixd.line()).startsWith("started " + rank + ' ');
        }
    }

    private List<String> upToDone() {
        return until("done");
    }

    private List<String> until(String last) {
        List<String> lines = new ArrayList<>();
        for (String line = pmixd.line(); !line.equals(last); line = pmixd.line()) {
            assertThat(line).as("after " + lines).isNotEqualTo("<closed>");
            lines.add(line);
        }
        return lines;
    }

    @Test
    void serves_one_run_after_the_other_good_or_bad() throws Exception {
        LauncherProcess launcher = serve();
        assertThat(pmixd.hello()).contains("ranks 2");
        start(0, 1, "sh", "-c", "echo first $PMIX_RANK $OWN $PMIXD_POD_NAME; echo 50%25 >&2");
        assertThat(upToDone())
                .containsExactlyInAnyOrder(
                        "output 0 1 first 0 of the container%0A",
                        "output 0 2 50%25%0A", "exited 0 0 0", "output-end 0");
        pmixd.say("again");
        start(2, 2, "sh", "-c", "[ $PMIX_RANK = 3 ] && exit 7; sleep 60");
        assertThat(upToDone()).contains("exited 1 7 0", "exited 0 0 15", "output-end 0", "output-end 1");
        pmixd.say("again");
        // No rank here in this one.
        pmixd.say("ready ns 5 0", "go", "again");
        start(0, 3, "true");
        assertThat(upToDone()).contains("exited 2 0 0");
        assertThat(launcher.process().isAlive()).isTrue();
        end(launcher);
        assertThat(launcher.err()).isEmptyFile();
    }

    /** What is said of PMI-1 comes before each run, and each run has stores of its own. */
    @Test
    void ranks_of_a_run_that_speak_pmi_1_are_answered() throws Exception {
        // Not sh: descriptors above 9 are not known to each.
        String rank = "exec 3<&$PMI_FD 4>&$PMI_FD; ask() { echo \"$1\" >&4; read -r answer <&3; echo \"$answer\"; }; "
                + "ask \"cmd=init pmi_version=1 pmi_subversion=1\"; ask \"cmd=put kvsname=ns key=a value=$PMIX_RANK\"; "
                + "ask cmd=barrier_in; ask \"cmd=get kvsname=ns key=b\"; ask cmd=finalize";
        LauncherProcess launcher = serve();
        pmixd.hello();
        for (int run = 0; run < 2; run++) {
            pmixd.say("pmi 2 0 ns", "ready ns 0 1", "argument bash", "argument -c");
            pmixd.say("argument " + rank.replace("%", "%25"), "rank 0 PMIX_RANK=0", "go");
            assertThat(pmixd.line()).startsWith("started 0 ");
            assertThat(pmixd.line()).isEqualTo("pmi-init 0");
            List<String> lines = until("pmi-fence");
            assertThat(lines).contains("pmi-put a=0");
            if (run == 0) {
                pmixd.say("kept b=of%20another");
            }
            pmixd.say("fenced 0");
            assertThat(String.join("", upToDone()))
                    .contains("pmi-finalize 0", "exited 0 0 0")
                    .contains(run == 0 ? "value=of another" : "key_not_found");
            pmixd.say("again");
        }
        end(launcher);
        assertThat(launcher.err()).isEmptyFile();
    }

    @Test
    void ranks_run_where_mpirun_was_called_or_stay_where_they_are() throws Exception {
        LauncherProcess launcher = serve();
        pmixd.hello();
        for (String[] each : new String[][] {
            {"directory /usr/bin", "output 0 1 /usr/bin%0A"},
            {"directory -/usr/bin", "output 0 1 /usr/bin%0A"},
            {"directory -/no/such", "output 0 1 " + Path.of("").toAbsolutePath() + "%0A"},
            {
                "directory /no/such",
                "output 0 2 fabric-launcher: cannot change to directory /no/such: No such file or directory%0A"
            }
        }) {
            pmixd.say("ready ns 0 1", each[0], "argument pwd", "go");
            assertThat(pmixd.line()).startsWith("started 0 ");
            assertThat(upToDone()).as(each[0]).contains(each[1]);
            pmixd.say("again");
        }
        end(launcher);
    }

    @Test
    void a_run_whose_ranks_are_bound_leaves_those_of_the_next_one_as_they_are() throws Exception {
        LauncherProcess launcher = serve();
        pmixd.hello();
        String[] command = {"argument grep", "argument Cpus_allowed_list", "argument /proc/self/status"};
        List<Set<String>> runs = new ArrayList<>();
        for (String each : new String[] {"bind core", "bind none"}) {
            pmixd.say("ready ns 0 2", each);
            pmixd.say(command);
            pmixd.say("go");
            runs.add(upToDone().stream()
                    .filter(line -> line.startsWith("output "))
                    .map(line -> line.replaceAll(".*%09", ""))
                    .collect(Collectors.toSet()));
            pmixd.say("again");
        }
        end(launcher);

        boolean alone = Runtime.getRuntime().availableProcessors() == 1;
        assertThat(runs.getLast()).hasSize(1);
        assertThat(runs.getFirst()).hasSize(alone ? 1 : 2);
        if (!alone) {
            assertThat(runs.getFirst()).doesNotContainAnyElementsOf(runs.getLast());
        }
    }

    @Test
    void stop_ends_the_ranks_and_not_the_worker() throws Exception {
        graceSeconds = 1;
        LauncherProcess launcher = serve();
        pmixd.hello();
        start(0, 2, "sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done");
        pmixd.line();
        pmixd.line();
        pmixd.say("stop 1 rank 5 has failed");
        assertThat(upToDone()).contains("exited 0 0 9", "exited 1 0 9");
        pmixd.say("again");
        start(0, 1, "true");
        upToDone();
        end(launcher);
        assertThat(launcher.err()).hasContent("fabric-launcher: rank 5 has failed");
    }

    /** As when the kubelet ends the pod: it kills in its own time, and one rank that dies at once does not cut short another that saves. */
    @Test
    void ranks_of_a_worker_that_is_ended_have_the_time_of_whoever_ends_it() throws Exception {
        graceSeconds = 0;
        LauncherProcess launcher = serve();
        pmixd.hello();
        start(
                0,
                2,
                "sh",
                "-c",
                "[ $PMIX_RANK = 1 ] || trap 'until [ -e %s ]; do sleep 0.05; done; echo saved; exit 5' TERM; echo up; while :; do sleep 0.05; done"
                        .formatted(directory.resolve("go")));
        pmixd.line();
        pmixd.line();
        while (!Files.exists(listening())) {
            Thread.sleep(5);
        }
        launcher.process().destroy();
        List<String> lines = new ArrayList<>();
        while (!lines.contains("exited 1 0 15")) {
            lines.add(pmixd.line());
        }
        assertThat(launcher.process().waitFor(500, TimeUnit.MILLISECONDS)).isFalse();
        Files.createFile(directory.resolve("go"));
        assertThat(upToDone()).contains("output 0 1 saved%0A", "exited 0 5 0");
        assertThat(launcher.exitCode()).isEqualTo(3);
    }

    @Test
    void again_ends_ranks_of_which_nobody_hears_any_more() throws Exception {
        LauncherProcess launcher = serve();
        pmixd.hello();
        start(0, 1, "sh", "-c", "trap 'sleep 0.5; exit 4' TERM; echo ready; while :; do sleep 0.05; done");
        assertThat(pmixd.line()).isEqualTo("output 0 1 ready%0A");
        // The next run does not know how long they take, nor does it hear of them.
        pmixd.say("again");
        start(0, 1, "true");
        assertThat(upToDone()).containsExactlyInAnyOrder("exited 0 0 0", "output-end 0");
        end(launcher);
        assertThat(launcher.err()).isEmptyFile();
    }

    @Test
    void a_pmixd_that_goes_after_again_is_replaced_when_the_ranks_have_ended() throws Exception {
        graceSeconds = 1;
        LauncherProcess launcher = serve();
        pmixd.hello();
        start(0, 1, "sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done");
        assertThat(pmixd.line()).isEqualTo("output 0 1 ready%0A");
        pmixd.say("again");
        pmixd.disconnect();
        pmixd.hello();
        start(0, 1, "true");
        upToDone();
        end(launcher);
    }

    @Test
    void rank_0_reads_what_comes_and_says_what_it_has_taken() throws Exception {
        LauncherProcess launcher = serve();
        pmixd.hello();
        start(0, 1, "cat");
        pmixd.say("input a%00%25", "input b%0A");
        List<String> lines = new ArrayList<>();
        int taken = 0;
        while (taken < 5) {
            String line = pmixd.line();
            lines.add(line);
            taken += line.startsWith("taken ") ? Integer.parseInt(line.substring(6)) : 0;
        }
        pmixd.say("input-end");
        lines.addAll(upToDone());
        assertThat(lines.stream()
                        .filter(line -> line.startsWith("output 0 1 "))
                        .map(line -> line.substring("output 0 1 ".length()))
                        .collect(Collectors.joining()))
                .isEqualTo("a%00%25b%0A");
        pmixd.say("again");
        // One that does not read: whoever sends it must not wait.
        start(0, 1, "sh", "-c", "exec <&-; echo closed; sleep 60");
        assertThat(pmixd.line()).isEqualTo("output 0 1 closed%0A");
        pmixd.say("input 123456789");
        assertThat(pmixd.line()).isEqualTo("taken 9");
        end(launcher);
    }

    @Test
    void input_may_come_before_the_rank_that_reads_it() throws Exception {
        LauncherProcess launcher = serve();
        pmixd.hello();
        for (int run = 0; run < 2; run++) {
            pmixd.say("input early%0A", "input-end");
            start(0, 1, "cat");
            assertThat(upToDone()).contains("taken 6", "output 0 1 early%0A");
            pmixd.say("again");
        }
        end(launcher);
    }

    @Test
    void other_ranks_read_nothing() throws Exception {
        LauncherProcess launcher = serve();
        pmixd.hello();
        start(2, 1, "cat");
        assertThat(upToDone()).containsExactlyInAnyOrder("exited 0 0 0", "output-end 0");
        end(launcher);
    }

    @Test
    void signals_are_passed_to_the_ranks() throws Exception {
        LauncherProcess launcher = serve();
        pmixd.hello();
        start(0, 1, "sh", "-c", "trap 'echo got; exit 5' USR1; echo ready; while :; do sleep 0.05; done");
        assertThat(pmixd.line()).isEqualTo("output 0 1 ready%0A");
        pmixd.say("signal 10");
        assertThat(upToDone()).contains("output 0 1 got%0A", "exited 0 5 0");
        end(launcher);
    }

    @Test
    void ranks_wait_while_pmixd_takes_nothing_and_nothing_is_lost() throws Exception {
        LauncherProcess launcher = serve();
        pmixd.hello();
        start(
                0,
                2,
                "sh",
                "-c",
                "head -c 3000000 /dev/zero | tr '\\0' x; echo; touch " + directory + "/ended-$PMIX_RANK");
        Thread.sleep(1500);
        assertThat(directory.resolve("ended-0")).doesNotExist();
        List<String> lines = upToDone();
        for (String rank : List.of("0", "1")) {
            String prefix = "output " + rank + " 1 ";
            String text = lines.stream()
                    .filter(line -> line.startsWith(prefix))
                    .map(line -> line.substring(prefix.length()))
                    .collect(Collectors.joining());
            assertThat(text).hasSize(3_000_000 + "%0A".length()).endsWith("x%0A");
        }
        end(launcher);
    }

    @Test
    void what_a_rank_leaves_behind_is_not_waited_for() throws Exception {
        LauncherProcess launcher = serve();
        pmixd.hello();
        start(0, 1, "sh", "-c", "sleep 20 & echo last");
        assertThat(upToDone()).containsExactlyInAnyOrder("output 0 1 last%0A", "exited 0 0 0", "output-end 0");
        end(launcher);
    }

    @Test
    void another_pmixd_is_started_where_one_has_gone() throws Exception {
        LauncherProcess launcher = serve();
        pmixd.hello();
        start(0, 1, "sleep", "60");
        pmixd.disconnect();
        assertThat(pmixd.hello()).contains("ranks 2");
        start(0, 1, "true");
        upToDone();
        // After a run, without a word in the log.
        pmixd.disconnect();
        pmixd.hello();
        end(launcher);
        assertThat(Files.readAllLines(launcher.err()))
                .singleElement()
                .asString()
                .startsWith("fabric-launcher: pmixd has gone: the ranks are ended");
    }

    @Test
    void the_ssh_servers_end_is_the_workers() throws Exception {
        Path trapped = directory.resolve("trapped");
        LauncherProcess launcher = serve("sh", "-c", "until [ -e %s ]; do sleep 0.05; done; exit 9".formatted(trapped));
        pmixd.hello();
        start(
                0,
                1,
                "sh",
                "-c",
                "trap 'echo ended; exit 0' TERM; : > %s; while :; do sleep 0.05; done".formatted(trapped));
        assertThat(upTo("exited 0 0 0")).contains("output 0 1 ended%0A");
        assertThat(launcher.exitCode()).isEqualTo(9);
    }

    private List<String> upTo(String last) {
        List<String> lines = new ArrayList<>();
        while (lines.isEmpty() || !lines.getLast().equals("<closed>")) {
            lines.add(pmixd.line());
        }
        assertThat(lines).contains(last);
        return lines;
    }

    @Test
    void TERM_ends_the_worker_with_its_ranks_and_its_ssh_servers_code() throws Exception {
        LauncherProcess launcher = serve();
        pmixd.hello();
        start(0, 1, "sleep", "60");
        end(launcher);
        assertThat(upTo("exited 0 0 15")).isNotEmpty();
    }

    @Test
    void a_worker_without_its_command_says_so() throws Exception {
        LauncherProcess launcher = serve("no-such-sshd");
        assertThat(launcher.exitCode()).isEqualTo(127);
        assertThat(launcher.err()).hasContent("fabric-launcher: no-such-sshd: not found");
    }

    @Test
    void text_that_it_does_not_understand_costs_a_pmixd_and_not_the_worker() throws Exception {
        LauncherProcess launcher = serve();
        for (String text : List.of(
                "go",
                "set A=b",
                "warn %00",
                "ready ns 0 1\ngo",
                "ready ns 0 2000",
                "ready ns 0 1\ndirectory a\ndirectory b")) {
            pmixd.hello();
            pmixd.write((text + '\n').getBytes(StandardCharsets.UTF_8));
            assertThat(pmixd.line()).as(text).isEqualTo("<closed>");
            // The pauses between pmixds grow; a run that starts begins them anew.
            pmixd.hello();
            start(0, 1, "true");
            upToDone();
            pmixd.disconnect();
        }
        assertThat(launcher.process().waitFor(10, TimeUnit.MILLISECONDS)).isFalse();
        end(launcher);
        assertThat(Files.readAllLines(launcher.err())).allMatch(line -> line.startsWith("fabric-launcher: pmixd"));
    }
}
