/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.fuzz;

import dev.fabricoperator.formats.TopologyFormat;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Tries readers for as long as somebody likes, most of the time with the beginning of a text: millions of inputs find more than few long ones. What a reader does wrong is printed, once for each kind of message, and its input kept; at the end, for each
 * format, how many texts were tried and read, and the longest time for a text in nanoseconds a byte. Times are those of the processor: the
 * machine may have other work.
 */
final class Fuzzing {
    private static final int LONGEST_BEGINNING = 4_000;

    /** One text in so many is damaged as a whole. */
    private static final int WHOLE = 64;

    /** Of all formats, after which a line tells how far it is. */
    private static final long TOLD = 1_000_000;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private Fuzzing() {}

    private static final class Count {
        long tried;
        long read;
        long wrong;
        long nanos;
        double slowest;
        int slowestBytes;
    }

    /**
     * @param firstSeed the others follow it
     * @param kept directory for what a reader does wrong
     * @return how many texts were read wrongly
     */
    static long run(long seconds, long firstSeed, Path kept) throws IOException {
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        long begunAll = THREADS.getCurrentThreadCpuTime();
        Map<TopologyFormat, Count> counts = new EnumMap<>(TopologyFormat.class);
        Map<TopologyFormat, List<byte[]>> good = new EnumMap<>(TopologyFormat.class);
        Set<String> seen = new HashSet<>();
        for (long seed = firstSeed; System.nanoTime() < end; seed++) {
            long tried = (seed - firstSeed) * TopologyFormat.values().length;
            if (tried > 0 && tried % TOLD == 0) {
                System.out.printf("%,d texts%n", tried);
            }
            for (TopologyFormat format : TopologyFormat.values()) {
                List<byte[]> seeds = good.computeIfAbsent(format, Fuzzing::seedsOf);
                byte[] whole = seeds.get((int) (seed % seeds.size()));
                byte[] text = new Mutation(seed).of(part(whole, seed));
                Count count = counts.computeIfAbsent(format, f -> new Count());
                count.tried++;
                long begun = THREADS.getCurrentThreadCpuTime();
                try {
                    count.read += Attempt.read(format, text) ? 1 : 0;
                } catch (AssertionError wrong) {
                    count.wrong++;
                    String what = String.valueOf(wrong.getMessage()).replaceAll("[0-9]+", "0");
                    if (seen.add(what.substring(0, Math.min(80, what.length())))) {
                        System.out.println(format + " seed " + seed + ": " + wrong.getMessage());
                        if (wrong.getCause() != null) {
                            System.out.println("    at " + wrong.getCause().getStackTrace()[0]);
                        }
                        Files.write(kept.resolve(format + "-" + seed), text);
                    }
                }
                long nanos = THREADS.getCurrentThreadCpuTime() - begun;
                count.nanos += nanos;
                double each = (double) nanos / (text.length + 1000);
                if (each > count.slowest && count.tried > 1000) {
                    count.slowest = each;
                    count.slowestBytes = text.length;
                }
            }
        }
        counts.forEach((format, count) -> System.out.printf(
                "%-14s tried %,d, read %,d, wrong %,d; %.1f s; slowest %.0f ns a byte, of %,d bytes%n",
                format, count.tried, count.read, count.wrong, count.nanos / 1e9, count.slowest, count.slowestBytes));
        long all = counts.values().stream().mapToLong(count -> count.tried).sum();
        System.out.printf(
                "all            tried %,d; %.3f ms of the processor for each, with its making%n",
                all, (THREADS.getCurrentThreadCpuTime() - begunAll) / 1e6 / Math.max(1, all));
        return counts.values().stream().mapToLong(count -> count.wrong).sum();
    }

    private static byte[] part(byte[] whole, long seed) {
        int beginning = LONGEST_BEGINNING >> Math.floorMod(seed, 3);
        return seed % WHOLE == 0 || whole.length <= beginning ? whole : Arrays.copyOf(whole, beginning);
    }

    /** The first texts load classes, which is not to be counted. */
    private static List<byte[]> seedsOf(TopologyFormat format) {
        List<byte[]> seeds = Seeds.of(format);
        for (byte[] seed : seeds) {
            try {
                Attempt.read(format, seed);
            } catch (AssertionError allocatesForClasses) {
                // The next reading is the one that counts.
            }
        }
        return seeds;
    }
}
