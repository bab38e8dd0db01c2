/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.hostgen;

import java.util.Map;

/**
 * The text of a port's {@code rate} file.
 *
 * Source: Linux, drivers/infiniband/core/sysfs.c, rate_show: {@code "%d%s Gb/sec (%dX%s)"}.
 */
final class RateText {
    // Gb/s of a lane, rounded as the nominal rates of all lanes are, to the generation's name. FDR10 prints as 40 too;
    // the number cannot tell it from QDR.
    private static final Map<Long, String> GENERATIONS =
            Map.of(5L, " DDR", 10L, " QDR", 14L, " FDR", 25L, " EDR", 50L, " HDR", 100L, " NDR", 200L, " XDR");

    private RateText() {}

    static String of(long bitsPerSecond, int width) {
        long gigabits = bitsPerSecond / 1_000_000_000L;
        String fraction = bitsPerSecond % 1_000_000_000L == 500_000_000L ? ".5" : "";
        return "%d%s Gb/sec (%dX%s)"
                .formatted(gigabits, fraction, width, GENERATIONS.getOrDefault(gigabits / width, ""));
    }
}
