/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import dev.fabricoperator.operator.server.query.http.Parameters;
import dev.fabricoperator.operator.server.query.http.StatusException;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Lists of indices such as {@code 0,3,8-15}. */
final class Indices {
    private Indices() {}

    /**
     * All of {@code all} where nothing is asked for, else those that are, in the order that they are asked for.
     *
     * @param limit how many may be asked for; checked before anything of that size is made
     */
    static int[] of(String field, @Nullable String text, int vertices, int limit, int[] all) throws StatusException {
        if (text == null) {
            return all;
        }
        int[] found = new int[Math.min(limit, 1024)];
        int count = 0;
        for (String part : text.split(",", -1)) {
            int dash = part.indexOf('-');
            long from = Parameters.number(field, dash < 0 ? part : part.substring(0, dash));
            long to = dash < 0 ? from : Parameters.number(field, part.substring(dash + 1));
            if (to < from || to >= vertices) {
                throw StatusException.badParam(field, "'" + part + "' is no range of indices below " + vertices);
            }
            if (count + (to - from + 1) > limit) {
                throw StatusException.tooLarge(field, "'" + field + "' asks for more than " + limit + " indices");
            }
            int needed = (int) (count + (to - from + 1));
            if (needed > found.length) {
                found = Arrays.copyOf(found, Math.min(limit, Math.max(needed, 2 * found.length)));
            }
            for (long index = from; index <= to; index++) {
                found[count++] = (int) index;
            }
        }
        return Arrays.copyOf(found, count);
    }

    static int[] below(int vertices) {
        return IntStream.range(0, vertices).toArray();
    }
}
