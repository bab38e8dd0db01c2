/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.topology;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Hosts by number, in the order in which device ends name them.
 *
 * @param ofEnd -1 for an end whose host nobody knows
 */
record Hosts(int[] ofEnd, int count) {

    static Hosts of(@Nullable String[] names) {
        int[] ofEnd = new int[names.length];
        Map<String, Integer> numbers = HashMap.newHashMap(names.length);
        String last = null;
        int lastNumber = -1;
        for (int end = 0; end < ofEnd.length; end++) {
            String name = names[end];
            if (name == null) {
                ofEnd[end] = -1;
                continue;
            }
            // Devices of one host mostly stand beside each other.
            if (!name.equals(last)) {
                Integer known = numbers.putIfAbsent(name, numbers.size());
                lastNumber = known == null ? numbers.size() - 1 : known;
                last = name;
            }
            ofEnd[end] = lastNumber;
        }
        return new Hosts(ofEnd, numbers.size());
    }
}
