/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import java.util.List;

/** Lists and counts in messages. */
public final class Messages {
    private static final int SHOWN = 3;

    private Messages() {}

    /** The first few, and how many more. */
    public static String some(List<String> all) {
        return all.size() <= SHOWN
                ? String.join(", ", all)
                : String.join(", ", all.subList(0, SHOWN)) + " and " + (all.size() - SHOWN) + " more";
    }

    /** {@code 1 switch}, {@code 2 switches}. */
    public static String count(int number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }
}
