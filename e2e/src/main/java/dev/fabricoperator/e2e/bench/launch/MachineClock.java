/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.launch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What all processors of the machine have worked, and for whom. A launch is paid by many processes (kubelets, containerd, runc, the control
 * plane, the pods' own), most of which have ended when one looks: what they took stands with whoever waited for them.
 */
final class MachineClock {
    private static final Path STAT = Path.of("/proc/stat");
    // USER_HZ of the kernel's ABI; fields: proc(5), /proc/stat.
    private static final double TICKS_PER_SECOND = 100;
    private static final int[] BUSY = {1, 2, 3, 6, 7};

    private static final Path PROCESSES = Path.of("/proc");
    /** The programs in Java, by a word of their command or environment. */
    private static final List<String> ROLES =
            List.of("FABRIC_OPERATOR_ROLE=server", "FABRIC_OPERATOR_ROLE=controller", "agent.options", "bench.launch");

    private MachineClock() {}

    /**
     * CPU seconds of all live processes and of those that they have waited for, by program, since they were started. Once a pod's container has
     * ended, its processes and runc stand with its shim.
     */
    static Map<String, Double> secondsByProgram() {
        Map<String, Double> seconds = new TreeMap<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
            for (Path process : processes) {
                try {
                    String stat = Files.readString(process.resolve("stat"));
                    int end = stat.lastIndexOf(')');
                    String program = stat.substring(stat.indexOf('(') + 1, end);
                    // proc(5): state is field 3; utime, stime, cutime, cstime are 14 to 17.
                    String[] fields = stat.substring(end + 2).split(" ");
                    long ticks = 0;
                    for (int field = 14; field <= 17; field++) {
                        ticks += Long.parseLong(fields[field - 3]);
                    }
                    seconds.merge(
                            program.equals("java") ? role(process) : program, ticks / TICKS_PER_SECOND, Double::sum);
                } catch (IOException e) {
                    // It has ended meanwhile: what it took stands with who waited for it.
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + PROCESSES, e);
        }
        return seconds;
    }

    private static String role(Path process) throws IOException {
        String words = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1)
                + Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
        return ROLES.stream()
                .filter(words::contains)
                .findFirst()
                .map(word -> word.substring(word.indexOf('=') + 1))
                .orElse("java");
    }

    /** CPU seconds of user, nice, system, irq and softirq since boot; resolution 10 ms. */
    static double busySeconds() {
        try (var lines = Files.lines(STAT)) {
            String[] fields = lines.findFirst().orElseThrow().split("\\s+");
            long ticks = 0;
            for (int field : BUSY) {
                ticks += Long.parseLong(fields[field]);
            }
            return ticks / TICKS_PER_SECOND;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + STAT, e);
        }
    }

    /** CPU seconds a second over the next ones. */
    static double busyShare(int seconds) throws InterruptedException {
        double before = busySeconds();
        long start = System.nanoTime();
        Thread.sleep(seconds * 1000L);
        return (busySeconds() - before) * 1e9 / (System.nanoTime() - start);
    }
}
