/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * The built file, run as a person runs it, with streams and an environment of its own; or what its code answers in this JVM, since each of
 * hundreds of starts would take most of a second.
 */
final class Program {
    static final Path FILE = Path.of(Objects.requireNonNull(System.getProperty("program")));
    static final Path FIXTURES = Path.of(Objects.requireNonNull(System.getProperty("fixtures")));
    static final ObjectMapper JSON = new ObjectMapper();

    /** Recorded and simulated dumps, below {@link #FIXTURES}. */
    static final List<String> DUMPS = List.of(
            "fabric/ib-hdr-selene-storage",
            "fabric/ib-mixed-lab-nvidia",
            "fabric/ib-ndr-dgx-topograph",
            "fabric/ib-qdr-ddr-psmn-x5",
            "fabric/ib-qdr-fdr10-rocket",
            "sim/df-a4p2h2",
            "sim/ft2-128",
            "sim/ft3-k18",
            "sim/rail-32x8",
            "sim/torus-6x6x6");

    static final Path SMALL = FIXTURES.resolve("fabric/ib-mixed-lab-nvidia/ibnetdiscover.txt");

    /** A run that writes its archive of classes takes 30 s where a processor is shared with nine others. */
    private static final int LIMIT_SECONDS = 240;

    private final List<String> command = new ArrayList<>();
    private final Map<String, String> environment = new HashMap<>();
    private byte[] input = {};

    private Program(Path file, String... arguments) {
        command.add(file.toString());
        command.addAll(Arrays.asList(arguments));
        // Archives of classes stay with the build; a test of the archives names its own place.
        environment.put("XDG_CACHE_HOME", FILE.resolveSibling("test-cache").toString());
        environment.put("JAVA_HOME", System.getProperty("java.home"));
    }

    /** What a process or an answer left behind. */
    record Result(int exitCode, byte[] bytes, String err) {
        String out() {
            return new String(bytes, StandardCharsets.UTF_8);
        }

        JsonNode json() {
            try {
                return JSON.readTree(bytes);
            } catch (IOException e) {
                throw new UncheckedIOException(out() + err, e);
            }
        }
    }

    static Program with(String... arguments) {
        return new Program(FILE, arguments);
    }

    static Program command(Path file, String... arguments) {
        return new Program(file, arguments);
    }

    /** In this JVM. */
    static Result run(String... arguments) {
        KubectlFabric.Outcome outcome = KubectlFabric.run(arguments);
        return new Result(outcome.exitCode(), outcome.out(), outcome.err());
    }

    static String dump(Path file) {
        return "ibnetdiscover:" + file;
    }

    static Path dumpFile(String directory) {
        Path plain = FIXTURES.resolve(directory).resolve("ibnetdiscover.txt");
        return Files.exists(plain) ? plain : plain.resolveSibling("ibnetdiscover.txt.gz");
    }

    static byte[] text(Path dump) throws IOException {
        try (InputStream in = Files.newInputStream(dump);
                InputStream plain = dump.toString().endsWith(".gz") ? new GZIPInputStream(in) : in) {
            return plain.readAllBytes();
        }
    }

    Program input(byte[] bytes) {
        input = bytes;
        return this;
    }

    Program environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    Result run() {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment()
                .keySet()
                .removeIf(name -> name.startsWith("FABRIC_") || name.equals("KUBECONFIG") || name.equals("COLUMNS"));
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            // A thread for each end of the process: the common pool has only one on a small machine.
            Executor threads = task -> Thread.ofPlatform().daemon().start(task);
            CompletableFuture<byte[]> err = CompletableFuture.supplyAsync(() -> all(process.getErrorStream()), threads);
            CompletableFuture<byte[]> out = CompletableFuture.supplyAsync(() -> all(process.getInputStream()), threads);
            CompletableFuture<Void> fed = CompletableFuture.runAsync(() -> feed(process.getOutputStream()), threads);
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("does not end: " + command + endAll(process));
            }
            // Whoever has its streams open may outlive it.
            fed.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            return new Result(
                    process.exitValue(),
                    out.get(LIMIT_SECONDS, TimeUnit.SECONDS),
                    new String(err.get(LIMIT_SECONDS, TimeUnit.SECONDS), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException("has ended, and its streams have not: " + command, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Ends a process with all that it has started; says what each of them was at. */
    private static String endAll(Process process) throws IOException {
        StringBuilder all = new StringBuilder();
        for (ProcessHandle one : Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .toList()) {
            all.append("\n")
                    .append(one.pid())
                    .append(' ')
                    .append(one.info().commandLine().orElse("?"));
            if (one.info().command().orElse("").endsWith("/java")) {
                Process stacks = new ProcessBuilder(
                                System.getProperty("java.home") + "/bin/jstack", Long.toString(one.pid()))
                        .redirectErrorStream(true)
                        .start();
                all.append("\n").append(new String(stacks.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        return all.toString();
    }

    private static byte[] all(InputStream in) {
        try (in) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void feed(OutputStream to) {
        try (to) {
            to.write(input);
        } catch (IOException e) {
            // The program ended before it read all, which is for the test to judge by its exit code.
            return;
        }
    }
}
