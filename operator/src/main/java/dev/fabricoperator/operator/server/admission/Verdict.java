/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;

/** What becomes of an object that the API server has asked about. */
public sealed interface Verdict {
    /** It stays as it is. */
    Verdict UNCHANGED = new Unchanged(List.of());

    /** Sentences for whoever made the object. */
    List<String> warnings();

    /** It stays as it is. */
    record Unchanged(List<String> warnings) implements Verdict {
        public Unchanged {
            warnings = List.copyOf(warnings);
        }
    }

    /**
     * It is changed.
     *
     * @param operations of a JSON Patch (RFC 6902)
     */
    record Patched(ArrayNode operations, List<String> warnings) implements Verdict {
        public Patched {
            warnings = List.copyOf(warnings);
        }
    }

    /**
     * It is not made.
     *
     * @param sentence says what to change
     */
    record Refused(String sentence) implements Verdict {
        @Override
        public List<String> warnings() {
            return List.of();
        }
    }
}
