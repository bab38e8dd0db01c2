/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code Include} in a {@code topology.conf} that is a file. */
class SlurmIncludeIT {
    private static final String ROOT = "SwitchName=root Switches=s[1-2]\n";

    @TempDir
    private Path directory;

    private Path conf;

    @BeforeEach
    void writeParts() throws IOException {
        conf = Files.createDirectory(directory.resolve("slurm")).resolve("topology.conf");
        Files.createDirectory(conf.resolveSibling("racks"));
        Files.writeString(conf.resolveSibling("racks/one.conf"), "SwitchName=s1 Nodes=n[1-2]\n");
        Files.writeString(directory.resolve("outside.conf"), "SwitchName=s2 Nodes=n[3-4]\n");
    }

    @Test
    void filesBelowTheDirectoryAreRead() throws IOException {
        Program.Result result = topology("Include racks/one.conf\n" + ROOT + "Include racks/../racks/two.conf\n");
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.err()).isEqualTo("error: " + conf + ":3: Include racks/../racks/two.conf: no such file\n");

        result = topology(
                "# by its content a file of Slurm\nInclude racks/one.conf\n" + ROOT + "SwitchName=s2 Nodes=n3\n");
        assertThat(result.err()).isEmpty();
        assertThat(result.out()).contains("s1 ").contains("s2 ");
        assertThat(result.exitCode()).isZero();
    }

    @Test
    void whatIsOutsideOfTheDirectoryIsNotReadAlsoNotThroughALink() throws IOException {
        Files.createSymbolicLink(conf.resolveSibling("link.conf"), directory.resolve("outside.conf"));
        for (String name : new String[] {"../outside.conf", directory + "/outside.conf", "link.conf"}) {
            Program.Result result = topology(ROOT + "Include racks/one.conf\nInclude " + name + "\n");

            assertThat(result.err())
                    .contains("warning: " + conf + ":3: Include ")
                    .contains(" is not followed: it is not below "
                            + conf.resolveSibling("").toRealPath() + "; name that file on the command line, too");
            assertThat(result.out()).doesNotContain("n3");
            assertThat(result.exitCode()).isZero();
        }
    }

    @Test
    void aFileThatIncludesItselfIsAnError() throws IOException {
        assertThat(topology("Include topology.conf\n").err())
                .isEqualTo("error: " + conf
                        + ":1: Include topology.conf: that file includes this one, so that it has no end\n");
    }

    @Test
    void standardInputAndUploadsSayThatNothingIsFollowed() throws IOException {
        String text = "SwitchName=s1 Nodes=n1\nInclude racks/one.conf\n";
        String warning =
                ":2: Include racks/one.conf is not followed: no file is beside this text: put its lines here\n";
        Files.writeString(conf, text);

        assertThat(Program.with("topology", "slurm:-")
                        .input(text.getBytes(StandardCharsets.UTF_8))
                        .run()
                        .err())
                .isEqualTo("warning: <stdin>" + warning);
        assertThat(Program.run("upload", "slurm:" + conf, "--dry-run").err()).isEqualTo("warning: " + conf + warning);
    }

    private Program.Result topology(String text) throws IOException {
        Files.writeString(conf, text);
        return Program.run("topology", conf.toString());
    }
}
