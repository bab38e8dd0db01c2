/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import java.util.Comparator;

/**
 * One thing to look at.
 *
 * @param object what it is about: a switch's id, {@code id port n} of a link, a device end, or a host
 * @param message the whole sentence, with the numbers that were found and expected
 */
public record Finding(FindingType type, String object, String message) implements Comparable<Finding> {
    private static final Comparator<Finding> ORDER =
            Comparator.comparing(Finding::type).thenComparing(Finding::object).thenComparing(Finding::message);

    @Override
    public int compareTo(Finding other) {
        return ORDER.compare(this, other);
    }
}
