/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static dev.fabricoperator.cli.Program.SMALL;
import static dev.fabricoperator.cli.Program.dump;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code upload} does without an API server; with one: e2e. */
class UploadIT {
    @Test
    void aDryRunSaysWhatWouldBeDone() {
        Program.Result result = Program.run("upload", dump(SMALL), "--name", "lab", "--part-bytes", "500", "--dry-run");

        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.out())
                .startsWith(SMALL + ": 2 switches, 12 adapters\n")
                .containsPattern(
                        "configmap/lab-1 would be applied in namespace fabric-operator \\(part 1 of 2, 500 bytes\\)\n")
                .endsWith("Nothing was changed (--dry-run).\n");
    }

    @Test
    void aFileAloneIsOfTheKindThatItsContentTells() {
        String named = dump(SMALL);
        String alone = named.substring(named.indexOf(':') + 1);

        assertThat(Program.run("upload", alone, "--name", "lab", "--dry-run").out())
                .isEqualTo(Program.run("upload", named, "--name", "lab", "--dry-run")
                        .out())
                .contains("12 adapters");
    }

    @Test
    void aNameThatNoObjectCanHaveIsWrongUsage() {
        Program.Result result = Program.run("upload", dump(SMALL), "--name", "My_Fabric", "--dry-run");

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).startsWith("error: 'My_Fabric' cannot name an upload: ");
    }

    @Test
    void aServerThatDoesNotAnswerIsAFailureThatNamesIt(@TempDir Path directory) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Path kubeconfig = Files.writeString(directory.resolve("config"), """
                apiVersion: v1
                kind: Config
                clusters: [{name: gone, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: nobody, user: {token: none}}]
                contexts: [{name: gone, context: {cluster: gone, user: nobody}}]
                current-context: gone
                """.formatted(port));

        Program.Result result = Program.run("upload", dump(SMALL), "--kubeconfig", kubeconfig.toString());
        Program.Result context =
                Program.run("upload", dump(SMALL), "--kubeconfig", kubeconfig.toString(), "--context", "other");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).startsWith("error: http://127.0.0.1:" + port).hasLineCount(1);
        assertThat(context.exitCode()).isEqualTo(1);
        assertThat(context.err()).isEqualTo("error: no context 'other' in " + kubeconfig + "; there is gone\n");
    }

    @Test
    void withoutAClusterItSaysHowToNameOne(@TempDir Path home) {
        Program.Result missing = Program.run(
                "upload", dump(SMALL), "--kubeconfig", home.resolve("missing").toString());
        Program.Result none = Program.with("upload", dump(SMALL))
                .environment("HOME", home.toString())
                .run();

        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.err()).isEqualTo("error: " + home.resolve("missing") + ": no such kubeconfig\n");
        assertThat(none.exitCode()).isEqualTo(1);
        assertThat(none.err()).startsWith("error: no cluster is known: ").hasLineCount(1);
    }
}
