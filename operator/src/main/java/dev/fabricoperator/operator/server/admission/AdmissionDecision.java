/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** What becomes of an object that the API server has asked about. */
public sealed interface AdmissionDecision extends AdmissionStep {
    /** It stays as it is. */
    AdmissionDecision ALLOWED = new Allowed(List.of());

    /** The decision that makes {@code changed} of {@code object}: only what differs is in the patch, so that fields of a newer Kubernetes survive. */
    static AdmissionDecision between(ObjectNode object, ObjectNode changed, List<String> warnings) {
        JsonNode operations = ObjectDifference.between(object, changed);
        return operations.isEmpty() ? new Allowed(warnings) : new Patched(operations, warnings);
    }

    /** The same where it was not known what the owner of the object asks for. */
    default AdmissionDecision withOwnerUnread(String sentence) {
        List<String> all = new ArrayList<>(warnings());
        all.add(sentence);
        return switch (this) {
            case Patched patched -> new Patched(patched.operations(), all);
            case Allowed allowed -> new OwnerUnread(all);
            case OwnerUnread unread -> new OwnerUnread(all);
            case Denied denied -> denied;
        };
    }

    /** Sentences for whoever made the object. */
    List<String> warnings();

    /** It stays as it is. */
    record Allowed(List<String> warnings) implements AdmissionDecision {
        public Allowed {
            warnings = List.copyOf(warnings);
        }
    }

    /** It stays as it is, since what its owner asks for was not known. */
    record OwnerUnread(List<String> warnings) implements AdmissionDecision {
        public OwnerUnread {
            warnings = List.copyOf(warnings);
        }
    }

    /**
     * It is changed.
     *
     * @param operations of a JSON Patch (RFC 6902)
     */
    record Patched(JsonNode operations, List<String> warnings) implements AdmissionDecision {
        public Patched {
            warnings = List.copyOf(warnings);
        }
    }

    /**
     * It is not made.
     *
     * @param sentence says what to change
     */
    record Denied(String sentence) implements AdmissionDecision {
        @Override
        public List<String> warnings() {
            return List.of();
        }
    }
}
