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
 */
public record FabricNumbers(int nextIndex, SortedMap<String, Integer> nextNumber) {
    private static final String INDEX_KEY = "nextIndex";
    private static final String NUMBER_PREFIX = "next.";

    /** Nothing has been given yet. */
    public static final FabricNumbers START = new FabricNumbers(0, new TreeMap<>());

    /** From the data of a ConfigMap; what is absent or no number counts as never given. */
    public static FabricNumbers parse(Map<String, String> data) {
        SortedMap<String, Integer> numbers = new TreeMap<>();
        data.forEach((key, value) -> {
            if (key.startsWith(NUMBER_PREFIX)) {
                numbers.put(key.substring(NUMBER_PREFIX.length()), number(value));
            }
        });
        return new FabricNumbers(number(data.getOrDefault(INDEX_KEY, "")), numbers);
    }

    public Map<String, String> toData() {
        Map<String, String> data = new TreeMap<>();
        data.put(INDEX_KEY, Integer.toString(nextIndex));
        nextNumber.forEach((family, next) -> data.put(NUMBER_PREFIX + family, Integer.toString(next)));
        return data;
    }

    /** The marks raised above what existing Fabrics hold, for when their ConfigMap was lost. */
    FabricNumbers above(List<FabricFacts> fabrics) {
        int index = nextIndex;
        SortedMap<String, Integer> numbers = new TreeMap<>(nextNumber);
        for (FabricFacts fabric : fabrics) {
            if (fabric.status() != null && fabric.status().index() != null) {
                index = Math.max(index, Objects.requireNonNull(fabric.status().index()) + 1);
            }
            int dash = fabric.name().lastIndexOf('-');
            if (dash > 0 && fabric.name().substring(dash + 1).matches("\\d{1,8}")) {
                numbers.merge(
                        fabric.name().substring(0, dash),
                        Integer.parseInt(fabric.name().substring(dash + 1)) + 1,
                        Math::max);
            }
        }
        return new FabricNumbers(index, numbers);
    }

    FabricNumbers withIndexGiven() {
        return new FabricNumbers(nextIndex + 1, nextNumber);
    }

    FabricNumbers withNumberGiven(String family) {
        SortedMap<String, Integer> numbers = new TreeMap<>(nextNumber);
        numbers.merge(family, 1, Integer::sum);
        return new FabricNumbers(nextIndex, numbers);
    }

    /** With the numbers in names of others, which were given after these. */
    FabricNumbers withNumbersOf(FabricNumbers later) {
        return new FabricNumbers(nextIndex, later.nextNumber);
    }

    int number(String family, int fallback) {
        return nextNumber.getOrDefault(family, fallback);
    }

    private static int number(String text) {
        return text.matches("\\d{1,8}") ? Integer.parseInt(text) : 0;
    }
}
