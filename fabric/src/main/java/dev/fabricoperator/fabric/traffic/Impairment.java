/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.traffic;

import java.time.Instant;

/**
 * Why a port's link is taken to be about to fail, with its evidence as it was when the limit was crossed.
 *
 * @param file below the host's root, or the name of a switch's counter
 * @param value how often within {@code seconds}, or degrees Celsius
 * @param limit the most that counts as healthy within {@code windowSeconds}; for a temperature the card's critical mark
 * @param seconds in which {@code value} was counted, rounded up; 0 for a temperature
 * @param windowSeconds 0 for a temperature
 * @param quietSeconds how long it must be well until this is over
 * @param since whole seconds
 */
public record Impairment(
        LinkFault kind,
        String file,
        long value,
        long limit,
        long seconds,
        long windowSeconds,
        long quietSeconds,
        Instant since) {
    /** Counters of four and of eight bits soon come to their maximum. */
    private static final long NARROW = 255;

    /** Such as {@code 40 symbol errors in 2 s}. */
    public String words() {
        return kind == LinkFault.Temperature
                ? value + " " + kind.words() + ", critical from " + limit
                : value + " " + kind.words() + " in " + seconds + " s";
    }

    /** All of it, such as {@code 40 symbol errors in 2 s (at most 10 in 60 s are healthy), since TIME, from FILE; over once ...}. */
    public String evidence() {
        return words()
                + (kind == LinkFault.Temperature
                        ? ""
                        : " (at most " + limit + " in " + windowSeconds + " s are healthy)")
                + ", since " + since + ", from " + file + "; " + ending();
    }

    /** When this is over. */
    public String ending() {
        return kind == LinkFault.Temperature
                ? "over once it is more than " + PortHealth.COOLER + " degrees below that for " + quietSeconds + " s"
                : "over once there are at most " + limit / 2 + " in " + windowSeconds + " s, for " + quietSeconds
                        + " s"
                        + (kind.maximum() > NARROW
                                ? ""
                                : "; at its maximum of " + kind.maximum()
                                        + " the counter tells nothing until perfquery -R clears it");
    }
}
