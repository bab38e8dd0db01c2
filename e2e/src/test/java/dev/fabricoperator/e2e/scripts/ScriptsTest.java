/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.e2e.cluster.ProjectRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScriptsTest {
    private static final Path ROOT = ProjectRoot.find();
    private static final Pattern FOLLOWS = Pattern.compile("(^|[\\s|;(])tail\\b[^|;]*\\s(-\\w*[fF]\\b|--follow)");

    private record Ended(int code, String output) {}

    /** Where the machine is busy, the program that writes the file has not made it yet, and tail ends at once. */
    @Test
    void noScriptFollowsAFileByTail() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path script : scripts()) {
            for (String line : Files.readAllLines(script)) {
                if (FOLLOWS.matcher(line).find() && !line.strip().startsWith("#")) {
                    found.add(ROOT.relativize(script) + ": " + line.strip());
                }
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void allThatAProgramInTheBackgroundWritesIsShown(@TempDir Path directory) throws Exception {
        Ended ended = show(directory, "for i in 1 2 3 4 5; do echo line $i; sleep 0.15; done; seq 5000");

        assertThat(ended.output()).startsWith("line 1\nline 2\nline 3\nline 4\nline 5\n1\n2\n");
        assertThat(ended.output().lines()).hasSize(5005).last().isEqualTo("5000");
        assertThat(ended.code()).isZero();
    }

    @Test
    void aProgramThatStaysIsShownUntilItSaysSo(@TempDir Path directory) throws Exception {
        Ended ended = show(directory, "echo up; touch '" + directory.resolve("staying") + "'; exec sleep 120");

        assertThat(ended.output()).isEqualTo("up\n");
        assertThat(ended.code()).isZero();
        long pid = Long.parseLong(Files.readString(directory.resolve("pid")).strip());
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }

    @Test
    void aProgramThatShowsNothingIsAFailure(@TempDir Path directory) throws Exception {
        assertThat(show(directory, "sleep 0.3")).isEqualTo(new Ended(1, ""));
    }

    @Test
    void aProgramOfManyLinesIsSilentButForItsLastOnesWhereItFails(@TempDir Path directory) throws Exception {
        Path log = Files.writeString(directory.resolve("log"), "before\n");
        String steps = "NAME=steps LOG='" + log + "'; source '" + ROOT.resolve("scripts/steps.sh") + "'; ";

        assertThat(bash(steps + "logged seq 500")).isEqualTo(new Ended(0, ""));
        Ended failed = bash(steps + "logged sh -c 'seq 900 1000; exit 3'");

        assertThat(failed.code()).isEqualTo(3);
        assertThat(failed.output()).startsWith("981\n").endsWith("1000\nsteps: all of it stands in " + log + "\n");
        assertThat(Files.readAllLines(log)).hasSize(1 + 500 + 101);
    }

    /** In both orders: beside other steps, and when it is their turn. */
    @Test
    void debootstrapChecksSignaturesWhereverRootFileSystemsAreMade(@TempDir Path directory) throws Exception {
        String setup = "ROOT='" + ROOT + "' NAME=setup STEP=0 LOG='" + directory.resolve("log") + "'; : > \"$LOG\"\n"
                + "export FABRIC_OPERATOR_CACHE='" + directory.resolve("cache")
                + "' FABRIC_OPERATOR_DEBIAN_MIRROR=none\n"
                + "for part in steps setup-tools setup-nodes setup-images; do source \"$ROOT/scripts/$part.sh\"; done\n"
                + "real_nodes_can_run() { true; }; need_program() { true; }; DEBIAN_KEYRING=$LOG\n"
                + "make_image_roots() { debootstrap --variant=minbase; return 1; }\n"
                + "command() { echo \"is run: $*\" >&2; }\n";
        for (String order : List.of("find_image_roots", "begin_image_roots; find_image_roots")) {
            assertThat(bash(setup + order).output())
                    .as(order)
                    .contains("is run: debootstrap --force-check-gpg --keyring=" + directory.resolve("log")
                            + " --variant=minbase");
        }
    }

    @Test
    void rootFileSystemsAreMadeAnewWhenAnythingOfTheirRecipeChanges() throws Exception {
        List<String> changes = List.of(
                ":",
                "make_client_root() { true; }",
                "client_apt_configuration() { true; }",
                "CLIENT_LEFT_OUT=none",
                "make_slurm_root() { true; }",
                "SLURM_PACKAGES+=(slurmd)");
        List<String> keys = new ArrayList<>();
        for (String change : changes) {
            keys.add(bash("ROOT='" + ROOT + "'; source \"$ROOT/scripts/setup-clients.sh\"; " + change
                            + "; slurm_roots_key")
                    .output());
        }
        assertThat(keys).doesNotHaveDuplicates().allMatch(key -> key.matches("\\p{XDigit}{16}\n"));
    }

    /** What only tests need is for {@code make verify} to build. */
    @Test
    void theDemoSetsUpOnlyWhatItShows() throws IOException {
        List<String> asked = Pattern.compile("scripts/setup\\.sh \"?(\\S+?)\"?(\\s|$)")
                .matcher(Files.readString(ROOT.resolve("scripts/demo.sh")))
                .results()
                .map(match -> match.group(1))
                .toList();
        String setup = Files.readString(ROOT.resolve("scripts/setup.sh"));
        int nodes = setup.indexOf("\n  nodes)");

        assertThat(asked).containsExactly("nodes", "control-plane", "$name");
        assertThat(Pattern.compile("find_(\\w+)")
                        .matcher(setup.substring(nodes, setup.indexOf(";;", nodes)))
                        .results()
                        .map(match -> match.group(1)))
                .containsExactlyInAnyOrder(
                        "tools", "node_tools", "control_plane", "node_programs", "helm", "image_roots");
    }

    private static Ended show(Path directory, String program) throws IOException, InterruptedException {
        Path script = Files.writeString(directory.resolve("program"), program);
        return bash("source '" + ROOT.resolve("scripts/background.sh") + "'; cd '" + directory
                + "'; start_in_background out pid bash '" + script + "'; show_until out staying");
    }

    private static Ended bash(String script) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("bash", "-euo", "pipefail", "-c", script)
                .redirectErrorStream(true)
                .start();
        process.outputWriter().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }

    private static List<Path> scripts() throws IOException {
        List<Path> scripts = new ArrayList<>();
        for (String directory : List.of("scripts", "e2e", "images", "pmix", "launcher", "cli")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(directory))) {
                files.filter(file -> file.toString().endsWith(".sh"))
                        .filter(file -> !file.toString().contains("/target/"))
                        .forEach(scripts::add);
            }
        }
        assertThat(scripts).hasSizeGreaterThan(20);
        return scripts;
    }
}
