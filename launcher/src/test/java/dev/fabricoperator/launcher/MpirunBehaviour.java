/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program called as mpirun in the launcher of an MPIJob; pmixd and the image's own mpirun are played. */
@Timeout(300)
abstract class MpirunBehaviour {
    private final String name;

    @TempDir
    Path directory = Path.of("");

    private ScriptedPmixd pmixd;

    MpirunBehaviour(String name) throws IOException {
        this.name = name;
        pmixd = new ScriptedPmixd();
    }

    @BeforeEach
    void image() throws IOException {
        PlayedImage.write(directory, "touch $TEST_DIRECTORY/pmixd; exec sleep 1");
        Files.createDirectory(directory.resolve("bin"));
        for (String program : List.of("mpirun", "prterun")) {
            PlayedImage.executable(
                    directory.resolve("bin").resolve(program), "echo own " + program + " \"$@\"; exit 4");
        }
    }

    @AfterEach
    void close() throws IOException {
        // A temporary directory warns of links that lead out of it.
        for (String program : List.of("mpirun", "mpiexec", "mpiexec.hydra", "prterun", "orterun")) {
            Files.deleteIfExists(links().resolve(program));
        }
        pmixd.close();
    }

    private LauncherProcess run(Map<String, String> environment, List<String> options, String... command)
            throws IOException {
        Map<String, String> all = new HashMap<>(environment);
        all.put("PATH", directory.resolve("bin") + ":/usr/bin:/bin");
        all.put("PMIXD_TEST_DIRECTORY", directory.toString());
        List<String> arguments = new ArrayList<>(List.of(
                "--with-mpirun",
                links().toString(),
                "--socket",
                pmixd.path().toString(),
                "--pmixd",
                PlayedImage.of(directory).toString()));
        arguments.addAll(options);
        arguments.add("--");
        arguments.addAll(List.of(command));
        return LauncherProcess.start(Path.of("target", name).toAbsolutePath(), directory, all, arguments);
    }

    private LauncherProcess run(String... command) throws IOException {
        return run(Map.of(), List.of(), command);
    }

    private Path links() {
        return directory.resolve("links");
    }

    /** The request, without hello. */
    private List<String> request() throws IOException {
        List<String> hello = pmixd.hello();
        assertThat(hello).startsWith("hello 1").contains("ranks 0").endsWith("end");
        return upTo("run-end");
    }

    private List<String> upTo(String last) {
        List<String> lines = new ArrayList<>();
        for (String line = pmixd.line(); !line.equals(last); line = pmixd.line()) {
            assertThat(line).as("after " + lines).isNotEqualTo("<closed>");
            lines.add(line);
        }
        return lines;
    }

    @Test
    void a_directory_of_links_that_others_may_write_is_not_first_in_path() throws Exception {
        Files.createDirectory(links());
        Files.setPosixFilePermissions(links(), PosixFilePermissions.fromString("rwxrwxrwx"));
        LauncherProcess launcher = run("sh", "-c", "echo $PATH; exit 5");
        assertThat(launcher.exitCode()).isEqualTo(5);
        assertThat(launcher.out()).hasContent(directory.resolve("bin") + ":/usr/bin:/bin");
        assertThat(launcher.err())
                .hasContent("fabric-launcher: the image's own mpirun runs what is to run: " + links()
                        + ": Operation not permitted");
    }

    @Test
    void nobody_else_can_replace_the_directory_of_links() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(run("sh", "-c", "exit 5").exitCode()).isEqualTo(5);
        // The sticky bit, which java.nio has no name for.
        assertThat((int) Files.getAttribute(directory, "unix:mode") & 07777).isEqualTo(01777);
        assertThat((int) Files.getAttribute(links(), "unix:mode") & 07777).isEqualTo(0755);
    }

    @Test
    void hands_command_directory_and_variables_to_pmixd_and_ends_with_the_runs_code() throws Exception {
        LauncherProcess launcher = run(
                Map.of("NCCL_DEBUG", "INFO\n", "OMPI_MCA_pml", "ob1", "OMPI_MCA_plm_rsh_args", "-q", "OTHER", "x"),
                List.of(),
                "mpirun",
                "-np",
                "4",
                "--map-by",
                ":OVERSUBSCRIBE",
                "-x",
                "NCCL_DEBUG",
                "--mca",
                "btl",
                "tcp,self",
                "ring",
                "50%",
                "");
        assertThat(request())
                .containsExactly(
                        "run 4 0 oversubscribe",
                        "directory -" + Path.of("").toAbsolutePath(),
                        "argument ring",
                        "argument 50%25",
                        "argument ",
                        "set OMPI_MCA_pml=ob1",
                        "set NCCL_DEBUG=INFO%0A",
                        "set OMPI_MCA_btl=tcp,self");
        // Its standard input is a pipe: that is asked for when the ranks run.
        pmixd.say("started", "output 3 1 three%0A", "output 0 2 zero", "stop 7 rank 3 has failed");
        assertThat(launcher.exitCode()).isEqualTo(7);
        assertThat(launcher.out()).hasContent("three");
        assertThat(Files.readString(launcher.err())).contains("zero").contains("mpirun: rank 3 has failed\n");
        assertThat(directory.resolve("pmixd")).exists();
    }

    @Test
    void serves_a_script_that_calls_it_again_and_again_by_any_of_its_names() throws Exception {
        LauncherProcess launcher = run(
                "sh",
                "-c",
                "mpirun -n 1 --bind-to core a && mpiexec -N 2 --wdir /w b; echo first $?; prterun -n 3 --wdir w c; exit $?");
        List<List<String>> requests = new ArrayList<>();
        for (int code : new int[] {0, 5, 6}) {
            requests.add(request());
            pmixd.say("stop " + code);
            pmixd.disconnect();
        }
        assertThat(launcher.exitCode()).isEqualTo(6);
        assertThat(launcher.out()).hasContent("first 5");
        assertThat(requests.get(0)).contains("run 1 0 -", "bind core", "argument a");
        assertThat(requests.get(1))
                .contains("run 0 2 -", "directory /w", "argument b")
                .doesNotContain("bind none");
        assertThat(requests.get(2))
                .contains("run 3 0 -", "directory " + Path.of("").toAbsolutePath() + "/w", "argument c");
    }

    @Test
    void what_it_does_not_understand_runs_the_images_own_mpirun() throws Exception {
        LauncherProcess launcher = run("sh", "-c", "mpirun -n 1 a : -n 1 b; mpirun b --rankfile");
        // The program's own arguments are not its.
        assertThat(request()).contains("argument b", "argument --rankfile");
        pmixd.say("stop 0");
        assertThat(launcher.exitCode()).isZero();
        assertThat(launcher.out()).hasContent("own mpirun -n 1 a : -n 1 b");
        assertThat(launcher.err())
                .hasContent(
                        "mpirun: ':' is not understood: several programs in one run; the image's own mpirun runs it,"
                                + " which reaches the workers by ssh");
    }

    @Test
    void the_images_own_programs_find_each_other() throws Exception {
        PlayedImage.executable(directory.resolve("bin/mpirun"), "exec prterun by \"$PATH\" \"$@\"");
        LauncherProcess launcher = run("mpirun", "--app", "file");
        assertThat(launcher.exitCode()).isEqualTo(4);
        assertThat(launcher.out())
                .hasContent("own prterun by " + directory.resolve("bin") + ":/usr/bin:/bin --app file");
    }

    @Test
    void questions_go_to_the_images_own_mpirun_without_a_word() throws Exception {
        LauncherProcess launcher = run("sh", "-c", links() + "/mpirun --version");
        assertThat(launcher.exitCode()).isEqualTo(4);
        assertThat(launcher.out()).hasContent("own mpirun --version");
        assertThat(launcher.err()).isEmptyFile();
    }

    @Test
    void a_command_that_is_an_absolute_path_of_mpirun_is_taken_too() throws Exception {
        String own = directory.resolve("bin/mpirun").toString();
        LauncherProcess launcher = run(own, "-n", "2", "a");
        assertThat(request()).contains("run 2 0 -");
        pmixd.say("stop 0");
        assertThat(launcher.exitCode()).isZero();
        LauncherProcess other = run(own, "--app", "file");
        assertThat(other.exitCode()).isEqualTo(4);
        assertThat(other.out()).hasContent("own mpirun --app file");
    }

    @Test
    void an_image_without_mpirun_is_named() throws Exception {
        LauncherProcess launcher = run("sh", "-c", "PATH=" + links() + "; mpirun --app file");
        assertThat(launcher.exitCode()).isEqualTo(127);
        assertThat(launcher.err()).content().contains("mpirun: the image has no mpirun of its own");
    }

    @Test
    void a_second_run_at_the_same_time_is_the_images_own() throws Exception {
        LauncherProcess launcher = run(
                "sh",
                "-c",
                "mpirun -n 1 a & until [ -e %s ]; do sleep 0.05; done; mpirun -n 1 b; wait"
                        .formatted(directory.resolve("pmixd")));
        request();
        while (!Files.readString(launcher.out()).contains("own mpirun -n 1 b")) {
            Thread.sleep(10);
        }
        pmixd.say("stop 0");
        assertThat(launcher.exitCode()).isZero();
        assertThat(launcher.err()).content().contains("mpirun: another run has not ended");
    }

    @Test
    void tags_lines_as_mpirun_does() throws Exception {
        LauncherProcess launcher = run("mpirun", "--tag-output", "-n", "2", "a");
        request();
        pmixd.say(
                "started",
                "output 0 1 a hal",
                "output 1 1 other%0Aand",
                "output 0 1 f%0A",
                "output 1 2 complaint%0A",
                "stop 0");
        assertThat(launcher.exitCode()).isZero();
        assertThat(Files.readAllLines(launcher.out()))
                .containsExactly("[1,1]<stdout>: other", "[1,0]<stdout>: a half", "[1,1]<stdout>: and");
        assertThat(launcher.err()).hasContent("[1,1]<stderr>: complaint");
    }

    @Test
    void standard_error_goes_where_it_is_asked_to() throws Exception {
        LauncherProcess launcher = run("mpirun", "--merge-stderr-to-stdout", "-n", "2", "a");
        request();
        pmixd.say("output 1 2 complaint%0A", "stop 0");
        assertThat(launcher.exitCode()).isZero();
        assertThat(launcher.out()).hasContent("complaint");
        assertThat(launcher.err()).isEmptyFile();
    }

    @Test
    void notes_are_said_unless_it_is_to_be_quiet() throws Exception {
        for (boolean quiet : new boolean[] {false, true}) {
            LauncherProcess launcher =
                    run("mpirun", "--bind-to", "package", quiet ? "--quiet" : "--oversubscribe", "a");
            request();
            pmixd.say("stop 0");
            pmixd.disconnect();
            assertThat(launcher.exitCode()).isZero();
            assertThat(Files.readString(launcher.err()))
                    .isEqualTo(
                            quiet ? "" : "mpirun: ranks are bound to cores or NUMA nodes only: these are not bound\n");
        }
    }

    @Test
    void standard_input_goes_to_rank_0_no_faster_than_it_is_taken() throws Exception {
        LauncherProcess launcher = run("mpirun", "-n", "2", "a");
        request();
        byte[] bytes = new byte[200_000];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        Thread writer = Thread.ofVirtual().start(() -> {
            try (OutputStream input = launcher.process().getOutputStream()) {
                input.write(bytes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        pmixd.say("started");
        int received = 0;
        int taken = 0;
        int most = 0;
        while (received < bytes.length) {
            String line = pmixd.line();
            assertThat(line).startsWith("input ");
            byte[] text = decoded(line.substring("input ".length()));
            for (byte each : text) {
                assertThat(each).isEqualTo(bytes[received++]);
            }
            most = Math.max(most, received - taken);
            if (received - taken >= 64 * 1024) {
                pmixd.say("taken " + (received - taken));
                taken = received;
            }
        }
        assertThat(pmixd.line()).isEqualTo("input-end");
        assertThat(most).isLessThan(64 * 1024 + 16 * 1024);
        writer.join();
        pmixd.say("stop 0");
        assertThat(launcher.exitCode()).isZero();
    }

    private static byte[] decoded(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '%') {
                bytes.write(Integer.parseInt(text.substring(i + 1, i + 3), 16));
                i += 2;
            } else {
                bytes.write(text.charAt(i));
            }
        }
        return bytes.toByteArray();
    }

    @Test
    void there_is_no_input_from_dev_null() throws Exception {
        LauncherProcess launcher = run("sh", "-c", "mpirun -n 1 a < /dev/null");
        request();
        assertThat(pmixd.line()).isEqualTo("input-end");
        pmixd.say("stop 0");
        assertThat(launcher.exitCode()).isZero();
    }

    private static void signal(LauncherProcess launcher, String signal) throws Exception {
        new ProcessBuilder(
                        "kill", "-" + signal, String.valueOf(launcher.process().pid()))
                .start()
                .waitFor();
    }

    @Test
    void signals_end_the_run_or_are_passed_on() throws Exception {
        LauncherProcess launcher = run("mpirun", "--stdin", "none", "-n", "1", "a");
        request();
        assertThat(pmixd.line()).isEqualTo("input-end");
        pmixd.say("started");
        for (Map.Entry<String, Integer> each :
                Map.of("USR1", 10, "USR2", 12, "TSTP", 20, "CONT", 18).entrySet()) {
            signal(launcher, each.getKey());
            assertThat(pmixd.line()).isEqualTo("signal " + each.getValue());
        }
        signal(launcher, "TERM");
        assertThat(pmixd.line()).isEqualTo("stop 143 mpirun was ended by signal 15");
        pmixd.say("output 0 1 last words%0A", "stop 1 rank 0 was ended by signal 15");
        assertThat(launcher.exitCode()).isEqualTo(143);
        assertThat(launcher.out()).hasContent("last words");
    }

    @Test
    void the_second_signal_ends_it_at_once() throws Exception {
        LauncherProcess launcher = run("mpirun", "-n", "1", "a");
        request();
        signal(launcher, "INT");
        assertThat(pmixd.line()).isEqualTo("stop 130 mpirun was ended by signal 2");
        signal(launcher, "INT");
        assertThat(launcher.exitCode()).isEqualTo(130);
    }

    @Test
    void a_run_that_takes_too_long_is_ended_with_124() throws Exception {
        LauncherProcess launcher = run("mpirun", "--timeout", "1", "--stdin", "none", "a");
        request();
        assertThat(pmixd.line()).isEqualTo("input-end");
        // The time of the ranks, not that of workers that have not come.
        assertThat(launcher.process().waitFor(1500, TimeUnit.MILLISECONDS)).isFalse();
        pmixd.say("started");
        assertThat(pmixd.line()).isEqualTo("stop 124 the run has taken longer than the 1 s of --timeout");
        pmixd.say("stop 143");
        assertThat(launcher.exitCode()).isEqualTo(124);
        assertThat(launcher.err()).hasContent("mpirun: the run has taken longer than the 1 s of --timeout");
    }

    @Test
    void a_pmixd_that_goes_ends_it_with_what_had_come() throws Exception {
        LauncherProcess launcher = run("mpirun", "-n", "2", "a");
        request();
        pmixd.say("output 0 1 no end");
        pmixd.disconnect();
        assertThat(launcher.exitCode()).isEqualTo(125);
        assertThat(launcher.out()).hasContent("no end");
        assertThat(launcher.err()).content().contains("mpirun: pmixd has gone before the run has ended");
    }

    @Test
    void what_is_larger_than_pmixd_takes_is_left_to_the_images_mpirun() throws Exception {
        String large = "%".repeat(100_000);
        for (List<String> words : List.of(List.of(large), Collections.nCopies(12, "x".repeat(100_000)))) {
            List<String> command = new ArrayList<>(List.of("mpirun", "-n", "2", "ring"));
            command.addAll(words);
            LauncherProcess launcher = run(command.toArray(String[]::new));
            assertThat(launcher.exitCode()).isEqualTo(4);
            assertThat(launcher.out()).content().startsWith("own mpirun -n 2 ring");
            assertThat(launcher.err()).content().contains("command line and variables are too large");
        }
    }

    @Test
    void random_bytes_never_break_it() throws Exception {
        Random random = new Random(11);
        for (String start :
                List.of("output 0 1 ", "output 5000 2 x%0A\noutput ", "started\ntaken 5\n", "input %00\n")) {
            LauncherProcess launcher = run("mpirun", "--tag-output", "-n", "2", "a");
            request();
            byte[] bytes = new byte[random.nextInt(1_000, 20_000)];
            random.nextBytes(bytes);
            byte[] text = start.getBytes(StandardCharsets.UTF_8);
            System.arraycopy(text, 0, bytes, 0, text.length);
            pmixd.write(bytes);
            pmixd.disconnect();
            assertThat(launcher.exitCode()).as(start).isEqualTo(125);
            assertThat(launcher.err()).content().contains("mpirun: pmixd").doesNotContain("Sanitizer", "runtime error");
        }
    }

    @Test
    void a_pmixd_that_does_not_start_is_named() throws Exception {
        PlayedImage.write(directory, "echo pmixd 0.1 cannot start: no POD_IP; exit 2");
        pmixd.close();
        LauncherProcess launcher = run("mpirun", "-n", "2", "a");
        assertThat(launcher.exitCode()).isEqualTo(125);
        assertThat(Files.readAllLines(launcher.err()))
                .containsExactly(
                        "pmixd 0.1 cannot start: no POD_IP",
                        "mpirun: pmixd has gone before it listened; it ended with code 2");
        pmixd = new ScriptedPmixd();
    }

    @Test
    void a_reader_that_takes_nothing_holds_the_ranks_back_and_loses_nothing() throws Exception {
        Path begun = directory.resolve("begun");
        LauncherProcess launcher = run(
                "sh",
                "-c",
                "{ mpirun -n 2 a; echo code $?; } | { until [ -e %s ]; do sleep 0.05; done; sleep 2; exec cat; }"
                        .formatted(begun));
        request();
        Files.createFile(begun);
        String line = "output 1 1 " + "x".repeat(9_999) + "%0A";
        int count = 2_000;
        long blocked = 0;
        for (int i = 0; i < count; i++) {
            long before = System.nanoTime();
            pmixd.say(line);
            blocked = Math.max(blocked, System.nanoTime() - before);
        }
        pmixd.say("output 0 1 the last word", "stop 3");
        assertThat(launcher.exitCode()).isZero();
        List<String> lines = Files.readAllLines(launcher.out(), StandardCharsets.ISO_8859_1);
        assertThat(lines).hasSize(count + 1);
        assertThat(lines.getLast()).isEqualTo("the last wordcode 3");
        assertThat(TimeUnit.NANOSECONDS.toMillis(blocked)).isGreaterThan(300);
    }

    @Test
    void waits_for_the_workers_before_it_falls_back() throws Exception {
        Path hosts = Files.writeString(directory.resolve("hosts"), "worker-0.job.invalid slots=1\n");
        LauncherProcess launcher =
                run(Map.of(), List.of("--hostfile", hosts.toString(), "--timeout", "1"), "mpirun", "--app", "file");
        assertThat(launcher.exitCode()).isEqualTo(124);
        assertThat(launcher.err()).content().contains("gave up waiting for workers: worker-0.job.invalid");
        assertThat(launcher.out()).isEmptyFile();
    }
}
