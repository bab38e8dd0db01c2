/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the program does where it starts pmixd itself: a script stands in the place of the image's loader, and says how it was called. */
@Timeout(300)
abstract class PmixdStartBehaviour {
    private final String name;

    @TempDir
    Path directory = Path.of("");

    private ScriptedPmixd pmixd;

    PmixdStartBehaviour(String name) throws IOException {
        this.name = name;
        pmixd = new ScriptedPmixd();
    }

    @BeforeEach
    void image() throws IOException {
        pmixdDoes("exec sleep 60");
    }

    @AfterEach
    void close() throws IOException {
        pmixd.close();
    }

    private void pmixdDoes(String script) throws IOException {
        PlayedImage.write(directory, """
                cd "$TEST_DIRECTORY"
                for word; do echo "$word"; done > arguments
                tr '\\0' '\\n' < /proc/$$/environ > environment
                cut -d' ' -f6 /proc/$$/stat > session
                cp /proc/$$/oom_score_adj server-score
                echo $$ > new && mv new server
                """ + script + '\n');
    }

    private LauncherProcess run(Map<String, String> environment, int ranks, String... command) throws IOException {
        Map<String, String> all = new HashMap<>(environment);
        all.put("PMIXD_TEST_DIRECTORY", directory.toString());
        List<String> arguments = new ArrayList<>(List.of(
                "--socket",
                pmixd.path().toString(),
                "--ranks",
                String.valueOf(ranks),
                "--pmixd",
                imageDirectory(),
                "--heap",
                "56",
                "--"));
        arguments.addAll(List.of(command));
        return LauncherProcess.start(Path.of("target", name).toAbsolutePath(), directory, all, arguments);
    }

    private Path away() {
        return pmixd.path().resolveSibling("away");
    }

    private LauncherProcess runWithoutSocket() throws IOException {
        return LauncherProcess.start(
                Path.of("target", name).toAbsolutePath(),
                directory,
                Map.of("PMIXD_TEST_DIRECTORY", directory.toString()),
                List.of("--socket", away().toString(), "--ranks", "1", "--pmixd", imageDirectory(), "true"));
    }

    private String imageDirectory() {
        return PlayedImage.of(directory).toString();
    }

    private void admit() throws IOException {
        pmixd.hello();
        pmixd.say("ready ns 0 1", "go");
        assertThat(pmixd.line()).startsWith("started 0 ");
    }

    private List<String> lines(String file) throws IOException, InterruptedException {
        while (!Files.exists(directory.resolve("server")) || !Files.exists(directory.resolve(file))) {
            Thread.sleep(5);
        }
        return Files.readAllLines(directory.resolve(file));
    }

    private ProcessHandle server() throws IOException, InterruptedException {
        return ProcessHandle.of(Long.parseLong(lines("server").getFirst())).orElseThrow();
    }

    @Test
    void pmixd_gets_nothing_of_the_applications_environment_and_ranks_nothing_of_pmixds() throws Exception {
        pmixdDoes("exit 0");
        LauncherProcess launcher = run(
                Map.of(
                        "LD_LIBRARY_PATH", "/nowhere",
                        "JAVA_TOOL_OPTIONS", "-Drubbish",
                        "JDK_JAVA_OPTIONS", "-Drubbish",
                        "PMIX_MCA_gds", "shmem2",
                        "OPENSSL_CONF", "/nowhere",
                        "LANG", "tr_TR.UTF-8",
                        "PMIXD_POD_NAME", "ring-0"),
                1,
                "env");
        admit();
        assertThat(pmixd.line()).isEqualTo("exited 0 0 0");
        pmixd.say("stop 0 ");
        pmixd.disconnect();
        assertThat(launcher.exitCode()).isZero();

        String image = imageDirectory();
        assertThat(lines("environment"))
                .contains("POD_NAME=ring-0", "PMIX_MCA_gds=hash", "HOME=" + image)
                .noneMatch(entry -> entry.contains("rubbish") || entry.contains("nowhere") || entry.contains("tr_TR"));
        assertThat(Files.readAllLines(launcher.out()))
                .contains("LANG=tr_TR.UTF-8", "JAVA_TOOL_OPTIONS=-Drubbish")
                .noneMatch(entry -> entry.startsWith("PMIXD_"));
    }

    @Test
    void pmixd_is_started_by_the_images_own_loader_with_the_images_libraries() throws Exception {
        run(Map.of(), 1, "true");
        String image = imageDirectory();
        Path libraries = PlayedImage.loader(directory).getParent();
        assertThat(lines("arguments"))
                .containsExactly(
                        "--inhibit-cache",
                        "--library-path",
                        libraries + ":" + image + "/opt/java/lib:" + image + "/opt/java/lib/server",
                        "--argv0",
                        image + "/opt/java/bin/java",
                        image + "/opt/java/bin/java",
                        "-XX:AOTCache=app/pmixd.aot",
                        "@app/pmixd.options",
                        "-Xmx56m",
                        "@app/pmixd.main");
        assertThat(lines("session")).containsExactly(lines("server").getFirst());
        server().destroy();
    }

    @Test
    void what_pmixd_says_is_not_shown_where_all_goes_well() throws Exception {
        pmixdDoes("echo pmixd 0.1 ready; exit 0");
        LauncherProcess launcher = run(Map.of(), 1, "true");
        admit();
        assertThat(pmixd.line()).isEqualTo("exited 0 0 0");
        assertThat(pmixd.line()).isEqualTo("done");
        pmixd.say("stop 0 ");
        pmixd.disconnect();
        assertThat(launcher.exitCode()).isZero();
        assertThat(launcher.err()).isEmptyFile();
    }

    @Test
    void what_pmixd_says_is_shown_where_that_is_asked_for() throws Exception {
        pmixdDoes("echo pmixd 0.1 ready; echo warning of Java; exit 0");
        LauncherProcess launcher = run(Map.of("PMIXD_LOG", "all"), 1, "true");
        admit();
        pmixd.disconnect();
        launcher.exitCode();
        assertThat(Files.readAllLines(launcher.err())).contains("pmixd 0.1 ready", "pmixd: warning of Java");
    }

    @Test
    void what_pmixd_writes_last_is_shown_where_its_end_is_seen_first() throws Exception {
        pmixdDoes("until [ -e go ]; do sleep 0.01; done; seq 1 3000; printf 'no newline'; : > written");
        LauncherProcess launcher = run(Map.of("PMIXD_LOG", "all"), 1, "true");
        admit();
        assertThat(pmixd.line()).isEqualTo("exited 0 0 0");
        assertThat(pmixd.line()).isEqualTo("done");
        pmixd.say("stop 0 ");
        pmixd.disconnect();
        ProcessHandle server = server();
        signal("STOP", launcher);
        Files.createFile(directory.resolve("go"));
        lines("written");
        // It stays a zombie until the launcher goes on.
        while (!Files.readString(Path.of("/proc", String.valueOf(server.pid()), "stat"))
                .contains(") Z ")) {
            Thread.sleep(5);
        }
        signal("CONT", launcher);
        assertThat(launcher.exitCode()).isZero();
        assertThat(Files.readAllLines(launcher.err())).contains("pmixd: 1", "pmixd: 3000", "pmixd: no newline");
    }

    @Test
    void a_line_that_is_longer_than_what_is_kept_is_shown_from_its_start() throws Exception {
        pmixdDoes(
                "printf start; head -c 15000 /dev/zero | tr '\\0' x; sleep 0.5; head -c 5000 /dev/zero | tr '\\0' y; echo end");
        LauncherProcess launcher = run(Map.of("PMIXD_LOG", "all"), 1, "true");
        admit();
        assertThat(pmixd.line()).isEqualTo("exited 0 0 0");
        assertThat(pmixd.line()).isEqualTo("done");
        pmixd.say("stop 0 ");
        pmixd.disconnect();
        launcher.exitCode();
        assertThat(Files.readString(launcher.err()).replace("\npmixd: ", ""))
                .contains("pmixd: start" + "x".repeat(15_000) + "y".repeat(5_000) + "end");
    }

    @Test
    void a_pmixd_that_writes_much_when_it_goes_is_said_to_have_ended() throws Exception {
        pmixdDoes("until [ -e gone ]; do sleep 0.01; done; seq 1 30000; exit 3");
        LauncherProcess launcher = run(Map.of(), 1, "sleep", "60");
        admit();
        pmixd.disconnect();
        Files.createFile(directory.resolve("gone"));
        launcher.exitCode();
        assertThat(Files.readAllLines(launcher.err()))
                .contains("pmixd: 30000")
                .anySatisfy(
                        line -> assertThat(line).contains("pmixd has gone while ranks run", "it ended with code 3"));
    }

    private static void signal(String name, LauncherProcess launcher) throws Exception {
        Process kill = new ProcessBuilder(
                        "kill", "-" + name, String.valueOf(launcher.process().pid()))
                .start();
        assertThat(kill.waitFor()).isZero();
    }

    @Test
    void a_pmixd_that_does_not_start_ends_the_launcher_at_once_with_its_last_words() throws Exception {
        pmixdDoes("echo pmixd 0.1 cannot start: the variable POD_IP is not set; exit 2");
        LauncherProcess launcher = runWithoutSocket();
        assertThat(launcher.exitCode()).isEqualTo(125);
        assertThat(Files.readAllLines(launcher.err()))
                .containsExactly(
                        "pmixd 0.1 cannot start: the variable POD_IP is not set",
                        "fabric-launcher: no pmixd at " + away() + "; it ended with code 2");
    }

    @Test
    void an_image_that_is_not_there_is_named() throws Exception {
        Files.delete(PlayedImage.loader(directory));
        LauncherProcess launcher = runWithoutSocket();
        assertThat(launcher.exitCode()).isEqualTo(125);
        assertThat(Files.readString(launcher.err()))
                .contains("pmixd: cannot start " + PlayedImage.loader(directory) + ": No such file");
    }

    @Test
    void ranks_end_with_a_named_reason_where_pmixd_is_killed() throws Exception {
        LauncherProcess launcher = run(Map.of(), 1, "sleep", "60");
        admit();
        server().destroyForcibly();
        pmixd.disconnect();
        assertThat(launcher.exitCode()).isEqualTo(125);
        assertThat(Files.readAllLines(launcher.err()))
                .containsExactly(
                        "fabric-launcher: pmixd has gone while ranks run: they are ended; it was killed, as happens"
                                + " where the container's memory limit is too small");
    }

    @Test
    void the_launcher_stays_until_pmixd_has_ended_and_keeps_the_ranks_code() throws Exception {
        LauncherProcess launcher = run(Map.of(), 1, "sh", "-c", "exit 7");
        admit();
        assertThat(pmixd.line()).isEqualTo("exited 0 7 0");
        pmixd.say("stop 7 rank 0 has failed");
        pmixd.disconnect();
        assertThat(launcher.process().waitFor(300, TimeUnit.MILLISECONDS)).isFalse();
        server().destroy();
        assertThat(launcher.exitCode()).isEqualTo(7);
    }

    @Test
    void a_signal_that_asks_for_the_end_reaches_pmixd_too() throws Exception {
        pmixdDoes("trap 'touch asked; exit 0' TERM; echo yes > new && mv new trapping; while :; do sleep 0.05; done");
        LauncherProcess launcher = run(Map.of(), 1, "sleep", "60");
        admit();
        lines("trapping");
        launcher.process().destroy();
        pmixd.disconnect();
        launcher.exitCode();
        assertThat(directory.resolve("asked")).exists();
    }

    @Test
    void pmixd_ends_with_a_launcher_that_is_killed() throws Exception {
        LauncherProcess launcher = run(Map.of(), 1, "sleep", "60");
        admit();
        ProcessHandle server = server();
        launcher.process().destroyForcibly();
        server.onExit().get(60, TimeUnit.SECONDS);
    }

    @Test
    void the_kernel_takes_a_rank_first_where_memory_is_short() throws Exception {
        pmixdDoes("exit 0");
        LauncherProcess launcher = run(Map.of(), 1, "cat", "/proc/self/oom_score_adj");
        admit();
        // Ranks end with their pmixd: before that, this one must have written.
        assertThat(pmixd.line()).isEqualTo("exited 0 0 0");
        pmixd.disconnect();
        launcher.exitCode();
        int server = Integer.parseInt(lines("server-score").getFirst());
        assertThat(Files.readAllLines(launcher.out())).containsExactly(String.valueOf(Math.min(1000, server + 50)));
    }

    @Test
    void no_pmixd_is_started_for_a_command_that_is_not_there() throws Exception {
        LauncherProcess launcher = run(Map.of(), 1, "no-such-program");
        assertThat(launcher.exitCode()).isEqualTo(127);
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).noneMatch(file -> file.endsWith("server"));
        }
    }
}
