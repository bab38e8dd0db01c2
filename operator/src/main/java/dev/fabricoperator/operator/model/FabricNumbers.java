/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.operator.cluster.FabricFacts;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * High-water marks: the numbers that no Fabric has ever had. They outlive the Fabrics, so that a number is never given
 * twice.
 *
 * @param nextIndex next {@code status.index}
 * @param nextNumber by family in lower case, next number in a name {@code <family>-<n>}
 * @param indexOf by UID, the {@code status.index} of Fabrics whose status need not show it yet
 */
public record FabricNumbers(int nextIndex, SortedMap<String, Integer> nextNumber, SortedMap<String, Integer> indexOf) {
    private static final String INDEX_KEY = "nextIndex";
    private static final String NUMBER_PREFIX = "next.";
    private static final String INDEX_OF_PREFIX = "index.";
    private static final String NUMBER = "\\d{1,8}";

    /** Nothing has been given yet. */
    public static final FabricNumbers START = new FabricNumbers(0, new TreeMap<>(), new TreeMap<>());

    /** From the data of a ConfigMap; what is absent or no number counts as never given. */
    public static FabricNumbers parse(Map<String, String> data) {
        SortedMap<String, Integer> numbers = new TreeMap<>();
        SortedMap<String, Integer> indexOf = new TreeMap<>();
        data.forEach((key, value) -> {
            if (key.startsWith(NUMBER_PREFIX)) {
                numbers.put(key.substring(NUMBER_PREFIX.length()), number(value));
            } else if (key.startsWith(INDEX_OF_PREFIX) && value.matches(NUMBER)) {
                indexOf.put(key.substring(INDEX_OF_PREFIX.length()), number(value));
            }
        });
        return new FabricNumbers(number(data.getOrDefault(INDEX_KEY, "")), numbers, indexOf);
    }

    public Map<String, String> toData() {
        Map<String, String> data = new TreeMap<>();
        data.put(INDEX_KEY, Integer.toString(nextIndex));
        nextNumber.forEach((family, next) -> data.put(NUMBER_PREFIX + family, Integer.toString(next)));
        indexOf.forEach((uid, index) -> data.put(INDEX_OF_PREFIX + uid, Integer.toString(index)));
        return data;
    }

    /** The marks raised above what existing Fabrics hold: theirs may not have been kept, or the ConfigMap was lost. */
    FabricNumbers above(List<FabricFacts> fabrics) {
        int index = nextIndex;
        SortedMap<String, Integer> numbers = new TreeMap<>(nextNumber);
        for (FabricFacts fabric : fabrics) {
            if (fabric.status() != null && fabric.status().index() != null) {
                index = Math.max(index, Objects.requireNonNull(fabric.status().index()) + 1);
            }
            int dash = fabric.name().lastIndexOf('-');
            if (dash > 0 && fabric.name().substring(dash + 1).matches(NUMBER)) {
                numbers.merge(
                        fabric.name().substring(0, dash),
                        Integer.parseInt(fabric.name().substring(dash + 1)) + 1,
                        Math::max);
            }
        }
        for (int given : indexOf.values()) {
            index = Math.max(index, given + 1);
        }
        return new FabricNumbers(index, numbers, indexOf);
    }

    /** With the next index for the Fabric of that UID. */
    FabricNumbers withIndexGiven(String uid) {
        SortedMap<String, Integer> given = new TreeMap<>(indexOf);
        given.put(uid, nextIndex);
        return new FabricNumbers(nextIndex + 1, nextNumber, given);
    }

    /** Without the indices of Fabrics that show theirs, or exist no more. */
    FabricNumbers withoutShown(List<FabricFacts> fabrics) {
        SortedMap<String, Integer> hidden = new TreeMap<>();
        for (FabricFacts fabric : fabrics) {
            Integer index = indexOf.get(fabric.uid());
            if (index != null && (fabric.status() == null || fabric.status().index() == null)) {
                hidden.put(fabric.uid(), index);
            }
        }
        return new FabricNumbers(nextIndex, nextNumber, hidden);
    }

    FabricNumbers withNumberGiven(String family) {
        SortedMap<String, Integer> numbers = new TreeMap<>(nextNumber);
        numbers.merge(family, 1, Integer::sum);
        return new FabricNumbers(nextIndex, numbers, indexOf);
    }

    /** With the numbers in names of others, which were given after these. */
    FabricNumbers withNumbersOf(FabricNumbers later) {
        return new FabricNumbers(nextIndex, later.nextNumber, indexOf);
    }

    int number(String family, int fallback) {
        return nextNumber.getOrDefault(family, fallback);
    }

    private static int number(String text) {
        return text.matches(NUMBER) ? Integer.parseInt(text) : 0;
    }
}
