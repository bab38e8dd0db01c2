/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static dev.fabricoperator.cli.Program.SMALL;
import static dev.fabricoperator.cli.Program.dump;
import static dev.fabricoperator.cli.Program.dumpFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BadInputIT {
    static Stream<byte[]> brokenFiles() throws IOException {
        byte[] text = Files.readAllBytes(SMALL);
        byte[] gzip = Files.readAllBytes(dumpFile("sim/ft2-128"));
        byte[] scribbled = gzip.clone();
        Arrays.fill(scribbled, gzip.length / 2, gzip.length / 2 + 64, (byte) 0x5a);
        byte[] random = new byte[100_000];
        new Random(1).nextBytes(random);
        byte[] oneLine = new byte[10_000_000];
        Arrays.fill(oneLine, (byte) '[');
        byte[] xz = {(byte) 0xfd, '7', 'z', 'X', 'Z', 0, 1, 2, 3};
        return Stream.of(
                new byte[0],
                Arrays.copyOf(text, text.length / 2),
                Arrays.copyOf(text, 1000),
                Arrays.copyOf(gzip, gzip.length / 2),
                Arrays.copyOf(gzip, 5),
                scribbled,
                random,
                xz,
                oneLine,
                "{\"kind\": \"List\"}\n".getBytes(StandardCharsets.UTF_8),
                "Switch\t99999999999999999999 \"S-0002c903007b78b0\" # \"x\"\n".getBytes(StandardCharsets.UTF_8),
                "Switch\t36 \"S-zzzz\"\n[1]\t\"S-\"[99999]\n".getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @MethodSource("brokenFiles")
    void brokenFilesAreNamedWithTheLine(byte[] content, @TempDir Path directory) throws IOException {
        Path file = directory.resolve("broken.txt");
        Files.write(file, content);

        Program.Result result = Program.run("topology", dump(file), "-o", "json");

        assertThat(result.exitCode()).as(result.err()).isEqualTo(3);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .matches(Pattern.compile("error: " + Pattern.quote(file.toString()) + ":[1-9][0-9]*: .+\n"));
    }

    @Test
    void whatIsNoYamlIsNamedWithItsLine() {
        Program.Result result = Program.run("topology", "fabricswitches:" + SMALL);

        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.err())
                .isEqualTo("error: " + SMALL + ":11: this is no YAML: found character '\\t(TAB)' that cannot start any"
                        + " token. (Do not use \\t(TAB) for indentation)\n");
    }

    @Test
    void whatIsNoKubeconfigIsNamed(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("config"), "hello world\n");

        Program.Result result = Program.run("status", "--kubeconfig", file.toString());

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .isEqualTo("error: " + file + ": this is no kubeconfig that can be read; --debug tells more\n");
    }

    @Test
    void aBombIsRefused(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("bomb.gz");
        byte[] comments = ("#" + " ".repeat(1022) + "\n").repeat(1024).getBytes(StandardCharsets.US_ASCII);
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file), 1 << 16)) {
            for (int mebibyte = 0; mebibyte <= 1024; mebibyte++) {
                out.write(comments);
            }
        }

        Program.Result result = Program.run("topology", dump(file));

        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.err()).endsWith(": more than 1 GiB of text: refused\n");
    }

    @Test
    void whatIsNoFileIsSaidSo(@TempDir Path directory) {
        Program.Result missing = Program.run("topology", dump(directory.resolve("nothing")));
        Program.Result folder = Program.run("topology", dump(directory));

        assertThat(missing.exitCode()).isEqualTo(3);
        assertThat(missing.err()).isEqualTo("error: " + directory.resolve("nothing") + ": no such file\n");
        assertThat(folder.exitCode()).isEqualTo(3);
        assertThat(folder.err()).isEqualTo("error: " + directory + ": is a directory; name the file in it\n");
    }

    @Test
    void anUnreadableFileIsSaidSo(@TempDir Path directory) throws IOException {
        Path file = Files.copy(SMALL, directory.resolve("secret.txt"));
        assertThat(file.toFile().setReadable(false)).isTrue();
        assumeTrue(!Files.isReadable(file), "root reads everything");

        Program.Result result = Program.run("topology", dump(file));

        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.err()).isEqualTo("error: " + file + ": cannot be opened: permission denied\n");
    }

    @Test
    void everyCommandThatReadsDumpsRefusesABrokenOne() {
        byte[] broken = "not a dump\n".getBytes(StandardCharsets.UTF_8);

        for (String[] arguments : new String[][] {
            {"topology", "ibnetdiscover:-"},
            {"cost", "ibnetdiscover:-", "--row", "x"},
            {"diff", dump(SMALL), "ibnetdiscover:-"},
            {"upload", "ibnetdiscover:-", "--dry-run"}
        }) {
            Program.Result result = Program.with(arguments).input(broken).run();
            assertThat(result.exitCode()).as(arguments[0]).isEqualTo(3);
            assertThat(result.err())
                    .as(arguments[0])
                    .isEqualTo("error: <stdin>:1: not a line of ibnetdiscover: not a dump\n");
        }
    }

    @Test
    void debugShowsWhereItBroke() {
        Program.Result result = Program.with("topology", "ibnetdiscover:-", "--debug")
                .input(new byte[] {0})
                .run();

        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.err()).contains("\tat dev.fabricoperator.");
    }

    @Test
    void manyBytesOfNonsenseAreRefusedAtOnce() {
        ByteArrayOutputStream nonsense = new ByteArrayOutputStream();
        byte[] line = "nonsense\n".getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 1_000_000; i++) {
            nonsense.writeBytes(line);
        }

        Program.Result result = Program.with("topology", "ibnetdiscover:-")
                .input(nonsense.toByteArray())
                .run();

        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.err()).startsWith("error: <stdin>:1: ");
    }
}
