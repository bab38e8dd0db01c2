/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The root file system of Debian trixie with libpmix 5.0.7, Open MPI 5.0.7 and a C compiler, which {@code make setup}
 * makes. Commands run in it by chroot in a mount namespace of their own, on an overlay: nothing is left in it. They find
 * this project at {@code /src}, this JDK at {@code /jdk} and a directory that outlives them at {@code /scratch}.
 */
public final class TrixieRoot implements AutoCloseable {
    private static final String ROOTS = "FABRIC_OPERATOR_IMAGE_ROOTS";
    private static final String OTHERS = "FABRIC_OPERATOR_CLIENT_ROOTS";
    private static final String LIBRARIES = "/usr/lib/x86_64-linux-gnu/";
    private static final String SCRIPT = """
            root=$1 place=$2 jdk=$3 project=$4 scratch=$5 others=$6; shift 6
            mount -t tmpfs tmpfs "$place"
            mkdir -p "$place/work" "$place/upper/jdk" "$place/upper/src" "$place/upper/scratch" "$place/root"
            mount -t overlay overlay -o "lowerdir=$root,upperdir=$place/upper,workdir=$place/work" "$place/root"
            mount -t proc proc "$place/root/proc"
            mount --rbind /dev "$place/root/dev"
            mount --rbind /sys "$place/root/sys"
            mount --bind "$jdk" "$place/root/jdk"
            mount --bind "$project" "$place/root/src"
            mount --bind "$scratch" "$place/root/scratch"
            for other in $others; do
              suite=${other##*/}
              mkdir -p "$place/$suite"/{work,upper} "$place/root/debian/$suite"
              mount -t overlay overlay -o "lowerdir=$other,upperdir=$place/$suite/upper,workdir=$place/$suite/work" "$place/root/debian/$suite"
              for shared in proc dev sys jdk src scratch tmp; do mount --rbind "$place/root/$shared" "$place/root/debian/$suite/$shared"; done
            done
            exec chroot "$place/root" "$@"
            """;

    private final Path root;
    private final Path place;
    private final Path scratch;
    private List<Path> others = List.of();
    /** By program, how it was compiled last. */
    private final Map<String, List<String>> compiled = new HashMap<>();

    /** What a command printed to both outputs, and how it ended. */
    public record Result(int exitCode, List<String> lines) {
        public String text() {
            return String.join("\n", lines);
        }
    }

    private TrixieRoot(Path root) {
        this.root = root;
        try {
            place = Files.createTempDirectory("trixie-place");
            scratch = Files.createTempDirectory("trixie-scratch");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Skips the test where nobody could run it: chroot and mounts need root on Linux. */
    public static TrixieRoot open() {
        assumeTrue(
                System.getProperty("os.name").equals("Linux")
                        && System.getProperty("user.name").equals("root"),
                "programs for libpmix run in a root file system of their own: that needs root on Linux");
        return new TrixieRoot(directory());
    }

    /** Also with the roots of other Debian releases, at {@code /debian/bookworm} and {@code /debian/sid}. */
    public static TrixieRoot openWithOthers() {
        TrixieRoot opened = open();
        String others = setting(OTHERS);
        if (others == null) {
            return fail("neither the environment nor target/setup.env has " + OTHERS + ": run \"make setup\"");
        }
        opened.others = List.of(Path.of(others, "bookworm"), Path.of(others, "sid"));
        return opened;
    }

    /** The header files of libpmix, readable for everybody. */
    public static Path headers() {
        assumeTrue(
                System.getProperty("os.name").equals("Linux") && setting(ROOTS) != null,
                "the header of libpmix is in a root file system that \"make setup\" makes as root on Linux");
        return directory().resolve("usr/lib/x86_64-linux-gnu/pmix2/include");
    }

    private static Path directory() {
        String roots = setting(ROOTS);
        if (roots == null) {
            return fail("neither the environment nor target/setup.env has " + ROOTS + ": run \"make setup\"");
        }
        return Path.of(roots, "openmpi-dev");
    }

    /** From the environment, else from what {@code make setup} has written down. */
    private static @Nullable String setting(String name) {
        String value = System.getenv(name);
        Path written = project().resolve("target/setup.env");
        if (value != null || !Files.isReadable(written)) {
            return value;
        }
        String line = "export " + name + "=";
        try (Stream<String> lines = Files.lines(written)) {
            return lines.filter(text -> text.startsWith(line))
                    .map(text -> text.substring(line.length()))
                    .findFirst()
                    .orElse(null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path project() {
        return Path.of(System.getProperty("docs")).toAbsolutePath().normalize().resolveSibling("");
    }

    /** Where the file of a class is inside, for a class path. */
    public static String classPath(Class<?>... of) {
        List<String> entries = new ArrayList<>();
        try {
            for (Class<?> type : of) {
                Path file = Path.of(
                        type.getProtectionDomain().getCodeSource().getLocation().toURI());
                entries.add("/src/" + project().relativize(file));
            }
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
        return String.join(":", entries);
    }

    /** A file that commands find at {@code /scratch/name}. */
    public Path scratch(String name) {
        return scratch.resolve(name);
    }

    /** Runs a command inside; ends it and fails after {@code seconds}. */
    public Result run(int seconds, String... command) {
        List<String> line = new ArrayList<>(List.of("unshare", "--mount", "--propagation", "private", "bash", "-euc"));
        line.addAll(List.of(SCRIPT, "inside", root.toString(), place.toString(), System.getProperty("java.home")));
        line.addAll(List.of(project().toString(), scratch.toString()));
        line.add(others.stream().map(Path::toString).collect(Collectors.joining(" ")));
        line.addAll(Arrays.asList(command));
        try {
            Path output = Files.createTempFile(scratch, "output", null);
            Process process = new ProcessBuilder(line)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            boolean ended = process.waitFor(seconds, TimeUnit.SECONDS);
            if (!ended) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
            }
            Result result = new Result(
                    process.exitValue(),
                    new String(Files.readAllBytes(output), StandardCharsets.UTF_8)
                            .lines()
                            .toList());
            return ended ? result : fail("not done after " + seconds + " s: " + result.text());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Compiles a C program of the project with a compiler of the root; fails with what it says. */
    public String compile(String compiler, String source, String... options) {
        String program = "/scratch/" + Path.of(source).getFileName().toString().replace(".c", "");
        List<String> line = new ArrayList<>(List.of(compiler, "-Wall", "-Wextra", "-Werror", "-O1"));
        line.addAll(List.of("-I/usr/lib/x86_64-linux-gnu/pmix2/include", "-o", program, "/src/" + source));
        line.addAll(Arrays.asList(options));
        compile(program, line);
        return program;
    }

    private void compile(String program, List<String> line) {
        if (!line.equals(compiled.get(program))) {
            Result result = run(120, line.toArray(String[]::new));
            assertThat(result.exitCode()).as(result.text()).isZero();
            compiled.put(program, line);
        }
    }

    /**
     * Compiles a C program against the headers and libraries of another Debian release.
     *
     * @param libraries files of libraries, such as {@code libmpi.so.40}
     * @return the command that runs it there
     */
    public String compileFor(String suite, String source, String... libraries) {
        return compileFor(suite, "", source, List.of("pmix2", "openmpi"), List.of(libraries));
    }

    /** The same against that release's MPICH. */
    public String compileForMpich(String suite, String source) {
        return compileFor(suite, "-mpich", source, List.of("mpich"), List.of("libmpich.so.12"));
    }

    private String compileFor(String suite, String kind, String source, List<String> headers, List<String> libraries) {
        String directory = "/debian/" + suite;
        String program = "/scratch/" + Path.of(source).getFileName().toString().replace(".c", "") + '-' + suite + kind;
        List<String> line = new ArrayList<>(List.of("gcc", "-Wall", "-Wextra", "-Werror", "-O1", "-o", program));
        for (String each : headers) {
            line.add("-I" + directory + LIBRARIES + each + "/include");
        }
        line.addAll(List.of("/src/" + source, "-Wl,--allow-shlib-undefined"));
        for (String library : libraries) {
            line.add(directory + LIBRARIES + library);
        }
        compile(program, line);
        return "/usr/sbin/chroot " + directory + ' ' + program;
    }

    @Override
    public void close() {
        for (Path directory : List.of(place, scratch)) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
