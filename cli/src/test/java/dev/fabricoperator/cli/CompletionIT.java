/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompletionIT {
    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "kubectl"})
    void scriptsParse(String shell, @TempDir Path directory) throws IOException {
        Path script = script(shell, directory);

        Program.Result parsed =
                Program.command(Path.of("/bin/bash"), "-n", script.toString()).run();

        assertThat(parsed.err()).isEmpty();
        assertThat(parsed.exitCode()).isZero();
    }

    @Test
    void bashCompletesCommandsAndValues(@TempDir Path directory) throws IOException {
        Path script = script("bash", directory);
        String ask = "source '" + script + "'; COMP_WORDS=(kubectl-fabric %s); COMP_CWORD=%d; "
                + "_complete_kubectl-fabric kubectl-fabric; echo \"${COMPREPLY[@]}\"";

        Program.Result commands = Program.command(Path.of("/bin/bash"), "-c", ask.formatted("to", 1))
                .run();
        Program.Result formats = Program.command(Path.of("/bin/bash"), "-c", ask.formatted("topology -o ''", 3))
                .run();

        assertThat(commands.out()).isEqualTo("topology\n");
        assertThat(formats.out()).isEqualTo("table wide json yaml name\n");
    }

    @Test
    void kubectlIsAnsweredInItsOwnForm(@TempDir Path directory) throws IOException {
        Path script = script("kubectl", directory);
        Files.createDirectory(directory.resolve("dumps"));
        Files.createFile(directory.resolve("dump.txt"));
        String typed = "ibnetdiscover:" + directory + "/dum";

        assertThat(answer(script, "")).contains("discover", "topology", "cost", "diff", "upload", "completion", ":4");
        assertThat(answer(script, "c")).containsExactly("cost", "check", "completion", ":4");
        assertThat(answer(script, "topology", "-o", "")).containsExactly("table", "wide", "json", "yaml", "name", ":4");
        assertThat(answer(script, "topology", "-o", "json", "ib")).containsExactly("ibnetdiscover:", ":6");
        assertThat(answer(script, "topology", typed)).containsExactly(typed + "p.txt", typed + "ps/", ":6");
        assertThat(answer(script, "cost", "--f"))
                .containsExactly("--fabric", "--from", "--from-node", "--from-objects", ":4");
        assertThat(answer(script, "discover", "--root", "")).containsExactly(":0");
        assertThat(answer(script, "upload", "--name", "")).containsExactly(":4");
        assertThat(answer(script, "jobs", "--n")).containsExactly("--namespace", ":4");
        assertThat(answer(script, "jobs", "")).containsExactly(":4");
        assertThat(answer(script, "job", "--n")).containsExactly("--namespace", ":4");
        assertThat(answer(script, "status", "--f")).containsExactly("--fail", ":4");
        assertThat(answer(script, "map", "-o", "")).containsExactly("text", "svg", "html", "dot", ":4");
        assertThat(answer(script, "map", "ib")).containsExactly("ibnetdiscover:", ":6");
        assertThat(answer(script, "completion", "z")).containsExactly("zsh", ":4");
        assertThat(answer(script, "unknown", "")).containsExactly(":4");
        assertThat(answer(script)).contains("topology", ":4");
    }

    private static List<String> answer(Path script, String... words) {
        List<String> arguments = new ArrayList<>(List.of(script.toString()));
        arguments.addAll(List.of(words));
        Program.Result result = Program.command(Path.of("/bin/sh"), arguments.toArray(new String[0]))
                .run();
        assertThat(result.err()).isEmpty();
        assertThat(result.exitCode()).isZero();
        return result.out().lines().toList();
    }

    private static Path script(String shell, Path directory) throws IOException {
        Program.Result result = Program.run("completion", shell);
        assertThat(result.exitCode()).as(result.err()).isZero();
        return Files.write(directory.resolve("script"), result.bytes());
    }
}
