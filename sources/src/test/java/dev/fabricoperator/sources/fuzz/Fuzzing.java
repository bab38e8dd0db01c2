/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sources.fuzz;

import dev.fabricoperator.sources.TopologyFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Tries readers for as long as somebody likes. What a reader does wrong is printed, once for each kind of message, and its input kept; at the end, for each
 * format, how many texts were tried and read, and the longest time for a text in nanoseconds a byte.
 */
final class Fuzzing {
    private Fuzzing() {}

    private static final class Count {
        long tried;
        long read;
        long wrong;
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
        Map<TopologyFormat, Count> counts = new EnumMap<>(TopologyFormat.class);
        Map<TopologyFormat, List<byte[]>> good = new EnumMap<>(TopologyFormat.class);
        Set<String> seen = new HashSet<>();
        for (long seed = firstSeed; System.nanoTime() < end; seed++) {
            for (TopologyFormat format : TopologyFormat.values()) {
                List<byte[]> seeds = good.computeIfAbsent(format, Seeds::of);
                byte[] text = new Mutation(seed).of(seeds.get((int) (seed % seeds.size())));
                Count count = counts.computeIfAbsent(format, f -> new Count());
                count.tried++;
                long begun = System.nanoTime();
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
                double each = (double) (System.nanoTime() - begun) / (text.length + 1000);
                if (each > count.slowest && count.tried > 1000) {
                    count.slowest = each;
                    count.slowestBytes = text.length;
                }
            }
        }
        counts.forEach((format, count) -> System.out.printf(
                "%-14s tried %,d, read %,d, wrong %,d; slowest %.0f ns a byte, of %,d bytes%n",
                format, count.tried, count.read, count.wrong, count.slowest, count.slowestBytes));
        return counts.values().stream().mapToLong(count -> count.wrong).sum();
    }
}
