/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static dev.fabricoperator.cli.Program.FILE;
import static dev.fabricoperator.cli.Program.SMALL;
import static dev.fabricoperator.cli.Program.dump;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LauncherIT {
    @Test
    void itRunsFromAnywhereUnderAnyName(@TempDir Path directory) throws IOException {
        Path copy = Files.copy(FILE, directory.resolve("kubectl fabric"), StandardCopyOption.COPY_ATTRIBUTES);
        Path link = Files.createSymbolicLink(directory.resolve("link"), FILE);

        for (Program program : List.of(
                Program.command(copy, "--version"),
                Program.command(link, "--version"),
                Program.command(Path.of("/bin/sh"), FILE.toString(), "--version"))) {
            Program.Result result = program.run();
            assertThat(result.out()).startsWith("kubectl-fabric ").contains("fabric-operator.dev/v1alpha1");
            assertThat(result.err()).isEmpty();
            assertThat(result.exitCode()).isZero();
        }
    }

    @Test
    void aJavaHomeThatIsNoneIsPassedOver(@TempDir Path directory) throws IOException {
        Path old = oldJava(directory);
        String java = System.getProperty("java.home");

        Program.Result result = Program.with("--version")
                .environment("JAVA_HOME", old.toString())
                .environment("PATH", java + "/bin:/usr/bin:/bin")
                .run();

        assertThat(result.err()).isEmpty();
        assertThat(result.exitCode()).isZero();
    }

    @Test
    void aJavaThatWasNamedForItMustBeOne(@TempDir Path directory) throws IOException {
        Path old = oldJava(directory);

        Program.Result result = Program.with("--version")
                .environment("FABRIC_JAVA_HOME", old.toString())
                .run();

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .isEqualTo("error: FABRIC_JAVA_HOME=" + old + " is not a Java 25 or newer: correct it or unset it\n");
    }

    @Test
    void withoutAnyJavaItSaysSoInOneLine(@TempDir Path directory) throws IOException {
        assumeTrue(!hasJavaInSystemPlaces(), "a Java in /usr/lib/jvm is found without being named");

        Program.Result result = Program.with("--version")
                .environment("JAVA_HOME", directory.toString())
                .environment("PATH", directory.toString())
                .run();

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .startsWith("error: kubectl-fabric needs Java 25 or newer; ")
                .hasLineCount(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, 2_000_000, Integer.MAX_VALUE})
    void aTornOrDamagedArchiveOfClassesChangesNoAnswer(int length, @TempDir Path cache) throws IOException {
        String expected = topology(cache);
        assertThat(topology(cache)).isEqualTo(expected);
        Path archive = onlyArchive(cache);
        try (FileChannel channel = FileChannel.open(archive, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(64), length < channel.size() ? 0 : channel.size() / 2);
            channel.truncate(length);
        }

        assertThat(topology(cache)).isEqualTo(expected);
        assertThat(topology(cache)).isEqualTo(expected);

        assertThat(Files.size(onlyArchive(cache))).isGreaterThan(2_000_000);
    }

    @Test
    void anArchiveIsMadeAnewForAFileOfAnotherTime(@TempDir Path directory) throws IOException {
        Path copy = Files.copy(FILE, directory.resolve("kubectl-fabric"), StandardCopyOption.COPY_ATTRIBUTES);
        topology(directory, copy);
        FileTime first = Files.getLastModifiedTime(onlyArchive(directory));
        topology(directory, copy);
        assertThat(Files.getLastModifiedTime(onlyArchive(directory))).isEqualTo(first);

        Files.setLastModifiedTime(copy, FileTime.from(first.toInstant().plusSeconds(2)));
        topology(directory, copy);

        assertThat(Files.getLastModifiedTime(onlyArchive(directory))).isGreaterThan(first);
    }

    @Test
    void anArchiveIsKeptHoweverTheProgramAndTheCacheAreNamed(@TempDir Path directory) throws IOException {
        Path cache =
                Files.createSymbolicLink(directory.resolve("link"), Files.createDirectory(directory.resolve("cache")));
        Path name = FILE.resolveSibling("./" + FILE.getFileName());
        topology(cache, name);
        FileTime first = Files.getLastModifiedTime(onlyArchive(cache));
        topology(cache, name);
        topology(cache, name);
        assertThat(Files.getLastModifiedTime(onlyArchive(cache))).isEqualTo(first);
    }

    @Test
    void theSameProgramInTwoPlacesHasArchivesForBoth(@TempDir Path directory) throws IOException {
        for (String place : List.of("a", "b")) {
            Path copy = Files.createDirectory(directory.resolve(place)).resolve("kubectl-fabric");
            topology(directory, Files.copy(FILE, copy));
        }
        assertThat(archives(directory)).hasSize(2);
    }

    @Test
    void helpAndFailuresDoNotDecideWhatTheArchiveOfACommandHolds(@TempDir Path cache) throws IOException {
        run(cache, FILE, 0, "topology", "--help");
        run(cache, FILE, 3, "topology", "ibnetdiscover:/nowhere");
        assertThat(archives(cache))
                .extracting(file -> file.getFileName().toString())
                .contains("topology.jsa.failed");

        run(cache, FILE, 3, "topology", "ibnetdiscover:/nowhere");
        long poor = sizeOfArchive(cache, "topology.jsa");

        topology(cache, FILE);
        topology(cache, FILE);

        assertThat(archives(cache))
                .extracting(file -> file.getFileName().toString())
                .containsExactlyInAnyOrder("help.jsa", "topology.jsa");
        assertThat(sizeOfArchive(cache, "topology.jsa")).isGreaterThan(poor + poor / 10);
    }

    @Test
    void everyClassIsOfAFormThatAnArchiveCanHold() throws IOException {
        try (ZipFile classes = new ZipFile(FILE.toFile())) {
            for (ZipEntry each : Collections.list(classes.entries())) {
                if (each.getName().endsWith(".class")) {
                    try (InputStream in = classes.getInputStream(each)) {
                        assertThat(in.readNBytes(8)[7]).as(each.getName()).isGreaterThanOrEqualTo((byte) 50);
                    }
                }
            }
        }
    }

    @Test
    void aCacheThatCannotBeMadeIsNoMatter(@TempDir Path directory) throws IOException {
        Path file = Files.createFile(directory.resolve("file"));

        for (String cache : List.of(file.toString(), "/proc/nowhere", "relative", "/dev/null")) {
            Program.Result result = Program.with("topology", dump(SMALL))
                    .environment("XDG_CACHE_HOME", cache)
                    .run();
            assertThat(result.err()).as(cache).isEmpty();
            assertThat(result.exitCode()).as(cache).isZero();
        }
    }

    private static String topology(Path cache) {
        return topology(cache, FILE);
    }

    private static String topology(Path cache, Path program) {
        Program.Result result = run(cache, program, 0, "topology", dump(SMALL));
        assertThat(result.err()).isEmpty();
        return result.out();
    }

    private static Program.Result run(Path cache, Path program, int exitCode, String... arguments) {
        Program.Result result = Program.command(program, arguments)
                .environment("XDG_CACHE_HOME", cache.toString())
                .run();
        assertThat(result.exitCode()).as(result.err()).isEqualTo(exitCode);
        return result;
    }

    private static List<Path> archives(Path cache) throws IOException {
        try (Stream<Path> files = Files.walk(cache.resolve("kubectl-fabric"))) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private static long sizeOfArchive(Path cache, String name) throws IOException {
        for (Path file : archives(cache)) {
            if (file.endsWith(name)) {
                return Files.size(file);
            }
        }
        throw new AssertionError("no " + name);
    }

    private static Path onlyArchive(Path cache) throws IOException {
        List<Path> all = archives(cache);
        assertThat(all).hasSize(1);
        return all.getFirst();
    }

    private static Path oldJava(Path directory) throws IOException {
        Path home = directory.resolve("old");
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\nexit 99\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"17.0.2\"\n");
        return home;
    }

    private static boolean hasJavaInSystemPlaces() throws IOException {
        Path places = Path.of("/usr/lib/jvm");
        if (!Files.isDirectory(places)) {
            return false;
        }
        try (Stream<Path> homes = Files.list(places)) {
            return homes.anyMatch(home -> Files.isExecutable(home.resolve("bin/java")));
        }
    }
}
