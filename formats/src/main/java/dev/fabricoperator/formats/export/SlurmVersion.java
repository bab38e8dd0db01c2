/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.export;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A release of Slurm, such as 24.11. */
public record SlurmVersion(int year, int month) implements Comparable<SlurmVersion> {
    /** What this version is told, every one that is in use reads. */
    public static final SlurmVersion OLDEST = new SlurmVersion(22, 5);

    /** From here on a block may have fewer nodes than the planned size; slurmctld 24.11 ends on it. */
    static final SlurmVersion SMALL_BLOCKS = new SlurmVersion(26, 5);

    private static final Pattern FORM = Pattern.compile("([0-9]{2})\\.([0-9]{2})(?:\\.[0-9]{1,3})?");

    /** @throws IllegalArgumentException for what is no version, with a sentence */
    public static SlurmVersion parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is no version of Slurm, such as 24.11 or 25.05.3");
        }
        return new SlurmVersion(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
    }

    @Override
    public int compareTo(SlurmVersion other) {
        return year != other.year ? Integer.compare(year, other.year) : Integer.compare(month, other.month);
    }

    @Override
    public String toString() {
        return "%02d.%02d".formatted(year, month);
    }
}
