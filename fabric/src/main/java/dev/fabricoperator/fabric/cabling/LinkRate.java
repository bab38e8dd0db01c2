/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import org.jspecify.annotations.Nullable;

/**
 * Width and speed of a link as InfiniBand tools print them, for example {@code 4xHDR}.
 *
 * <p>Source: InfiniBand Architecture Specification volume 1, PortInfo LinkWidthActive, LinkSpeedActive and
 * LinkSpeedExtActive; the rates are the nominal ones that Linux prints in {@code ports/N/rate}.
 *
 * @param width lanes
 * @param bitsPerSecond nominal rate of all lanes together; {@code null} for a speed that is not known here
 */
public record LinkRate(int width, @Nullable Long bitsPerSecond) {
    /** What readers say of a speed that is not known here. */
    public static final String UNKNOWN = "a link rate that is not known here";

    /** {@code null} where the text is no rate at all. */
    public static @Nullable LinkRate parse(String text) {
        int x = text.indexOf('x');
        if (x < 1 || x > 2) {
            return null;
        }
        int width = 0;
        for (int i = 0; i < x; i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return null;
            }
            width = width * 10 + (c - '0');
        }
        Long lane = laneMegabitsPerSecond(text.substring(x + 1));
        return new LinkRate(width, lane == null ? null : lane * width * 1_000_000L);
    }

    /**
     * Of lanes and the gigabits per second of one, as OpenSM and ibutils write them ({@code 4x}, {@code 2.5}); {@code null} where the lanes are none.
     */
    public static @Nullable LinkRate of(String lanes, String gigabitsPerLane) {
        LinkRate width = parse(lanes);
        if (width == null) {
            return null;
        }
        Long lane = switch (gigabitsPerLane) {
            case "2.5" -> 2_500L;
            case "FDR10" -> 10_000L;
            case "5", "10", "14", "25", "50", "100", "200" -> Long.parseLong(gigabitsPerLane) * 1_000;
            default -> null;
        };
        return new LinkRate(width.width(), lane == null ? null : lane * width.width() * 1_000_000L);
    }

    private static @Nullable Long laneMegabitsPerSecond(String speed) {
        return switch (speed) {
            case "SDR" -> 2_500L;
            case "DDR" -> 5_000L;
            case "QDR", "FDR10" -> 10_000L;
            case "FDR" -> 14_000L;
            case "EDR" -> 25_000L;
            case "HDR" -> 50_000L;
            case "NDR" -> 100_000L;
            case "XDR" -> 200_000L;
            default -> null;
        };
    }
}
