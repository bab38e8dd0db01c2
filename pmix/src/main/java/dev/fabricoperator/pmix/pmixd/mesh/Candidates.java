/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.mesh;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Connections that have named this attempt and have not proved yet that they have its key. */
final class Candidates {
    /** The oldest goes first. */
    private static final int MOST = 64;

    /** @param pod that the other side says it is */
    record Candidate(Link link, int pod) {}

    private final ArrayDeque<Candidate> candidates = new ArrayDeque<>();

    void add(Link link, int pod) {
        if (candidates.size() >= MOST) {
            candidates.getFirst().link().close("made room for newer connections");
        }
        candidates.add(new Candidate(link, pod));
    }

    /** The candidate of this link, which is one no longer. */
    @Nullable
    Candidate take(Link link) {
        for (Iterator<Candidate> each = candidates.iterator(); each.hasNext(); ) {
            Candidate candidate = each.next();
            if (candidate.link() == link) {
                each.remove();
                return candidate;
            }
        }
        return null;
    }

    void close(String reason) {
        for (Candidate candidate : List.copyOf(candidates)) {
            candidate.link().close(reason);
        }
    }
}
