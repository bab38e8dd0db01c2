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
    /** Of those that others have made; the oldest goes first. */
    private static final int MOST = 64;

    static final long PROOF_MILLIS = 15_000;

    /** @param pod that the other side says it is */
    record Candidate(Link link, int pod, long sinceMillis) {}

    private final int parent;

    private final ArrayDeque<Candidate> candidates = new ArrayDeque<>();

    /** @param parent pod that this one connects to: its connection does not make room for those of strangers */
    Candidates(int parent) {
        this.parent = parent;
    }

    void add(Link link, int pod, long nowMillis) {
        if (candidates.size() >= MOST) {
            for (Candidate candidate : candidates) {
                if (candidate.pod() != parent) {
                    candidate.link().close("was the oldest of " + MOST + " without proof of the job's key");
                    break;
                }
            }
        }
        candidates.add(new Candidate(link, pod, nowMillis));
    }

    void closeOverdue(long nowMillis) {
        for (Candidate candidate : List.copyOf(candidates)) {
            if (nowMillis - candidate.sinceMillis() >= PROOF_MILLIS) {
                candidate.link().close("did not prove within " + PROOF_MILLIS / 1000 + " s that it has the job's key");
            }
        }
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
