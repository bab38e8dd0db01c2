/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import java.util.Comparator;

/** The order in which people count: {@code leaf-2} stands before {@code leaf-10}. Equal are equal texts only. */
public enum NaturalOrder implements Comparator<String> {
    INSTANCE;

    @Override
    public int compare(String one, String other) {
        int i = 0;
        int j = 0;
        while (i < one.length() && j < other.length()) {
            if (isDigit(one.charAt(i)) && isDigit(other.charAt(j))) {
                int endOne = endOfNumber(one, i);
                int endOther = endOfNumber(other, j);
                int order = compareNumbers(one, i, endOne, other, j, endOther);
                if (order != 0) {
                    return order;
                }
                i = endOne;
                j = endOther;
            } else if (one.charAt(i) == other.charAt(j)) {
                i++;
                j++;
            } else {
                return Character.compare(one.charAt(i), other.charAt(j));
            }
        }
        int rest = Integer.compare(one.length() - i, other.length() - j);
        // Numbers may differ in their leading zeros alone.
        return rest != 0 ? rest : one.compareTo(other);
    }

    private static int compareNumbers(String one, int from, int to, String other, int otherFrom, int otherTo) {
        int i = from;
        int j = otherFrom;
        while (i < to && one.charAt(i) == '0') {
            i++;
        }
        while (j < otherTo && other.charAt(j) == '0') {
            j++;
        }
        int digits = Integer.compare(to - i, otherTo - j);
        for (; digits == 0 && i < to; i++, j++) {
            digits = Character.compare(one.charAt(i), other.charAt(j));
        }
        return digits;
    }

    private static int endOfNumber(String text, int from) {
        int end = from;
        while (end < text.length() && isDigit(text.charAt(end))) {
            end++;
        }
        return end;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
