/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.peers;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * {@code kubectl-fabric topology DUMP} as a person starts it: the first time, when the command line keeps an archive
 * of its classes for later, and from then on. Time and memory are what the kernel accounts to the process when it ends.
 */
final class ColdStarts {
    private static final int STARTS = 11;

    /** Prints wall-clock seconds, processor seconds and KiB of the process that it starts. */
    private static final String MEASURE = """
            import os, subprocess, sys, time
            start = time.perf_counter()
            child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(child.pid, 0)
            print(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss)
            sys.exit(status != 0)
            """;

    private record Start(double seconds, double cpuSeconds, double kibibytes) {}

    private final Path python;
    private final Path program;
    private final Path cache;
    private final PrintStream out;
    private final StringBuilder csv = new StringBuilder("dump,start,wall_s,cpu_s,max_rss_mib\n");

    ColdStarts(Path python, Path program, Path directory, PrintStream out) throws IOException {
        this.python = python;
        this.program = program;
        this.out = out;
        cache = Files.createTempDirectory(directory, "cache");
    }

    void over(Path dump) throws IOException, InterruptedException {
        if (!Files.isExecutable(python) || !Files.isExecutable(program)) {
            out.println("kubectl-fabric cold: not measured, " + (Files.isExecutable(python) ? program : python)
                    + " is missing");
            return;
        }
        delete(cache.resolve("kubectl-fabric"));
        print(dump, "first start, keeps archive", start(dump));
        Start[] starts = new Start[STARTS];
        for (int i = 0; i < STARTS; i++) {
            starts[i] = start(dump);
        }
        print(
                dump,
                "later starts",
                new Start(
                        median(Arrays.stream(starts).mapToDouble(Start::seconds).toArray()),
                        median(Arrays.stream(starts)
                                .mapToDouble(Start::cpuSeconds)
                                .toArray()),
                        median(Arrays.stream(starts)
                                .mapToDouble(Start::kibibytes)
                                .toArray())));
        delete(cache.resolve("kubectl-fabric"));
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    private Start start(Path dump) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                        python.toString(), "-c", MEASURE, program.toString(), "topology", dump.toString())
                .redirectError(Redirect.INHERIT);
        builder.environment().put("XDG_CACHE_HOME", cache.toAbsolutePath().toString());
        Process process = builder.start();
        String[] words = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
                .strip()
                .split(" ");
        if (process.waitFor() != 0) {
            throw new IOException(program + " topology " + dump + " failed");
        }
        return new Start(Double.parseDouble(words[0]), Double.parseDouble(words[1]), Double.parseDouble(words[2]));
    }

    private void print(Path dump, String what, Start start) {
        double mebibytes = start.kibibytes() / 1024;
        out.printf(
                Locale.ROOT,
                "kubectl-fabric topology, %-28s %6.3f s, CPU %6.3f s, %5.0f MiB%n",
                what,
                start.seconds(),
                start.cpuSeconds(),
                mebibytes);
        csv.append(String.format(
                Locale.ROOT,
                "%s,\"%s\",%.4f,%.4f,%.1f%n",
                dump.getFileName(),
                what,
                start.seconds(),
                start.cpuSeconds(),
                mebibytes));
    }

    CharSequence csv() {
        return csv;
    }

    private static void delete(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            try (var files = Files.list(directory)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(directory);
        }
    }
}
