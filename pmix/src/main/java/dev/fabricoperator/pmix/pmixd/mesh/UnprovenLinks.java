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
final class UnprovenLinks {
    /** Of those that others have made; the oldest goes first. */
    private static final int MOST = 64;

    static final long PROOF_MILLIS = 15_000;

    /** @param pod that the other side says it is */
    record UnprovenLink(Link link, int pod, long sinceMillis) {}

    private final int parent;

    private final ArrayDeque<UnprovenLink> links = new ArrayDeque<>();

    /** @param parent pod that this one connects to: its connection does not make room for those of strangers */
    UnprovenLinks(int parent) {
        this.parent = parent;
    }

    void add(Link link, int pod, long nowMillis) {
        if (links.size() >= MOST) {
            for (UnprovenLink unproven : links) {
                if (unproven.pod() != parent) {
                    unproven.link().close("was the oldest of " + MOST + " without proof of the job's key");
                    break;
                }
            }
        }
        links.add(new UnprovenLink(link, pod, nowMillis));
    }

    void closeOverdue(long nowMillis) {
        for (UnprovenLink unproven : List.copyOf(links)) {
            if (nowMillis - unproven.sinceMillis() >= PROOF_MILLIS) {
                unproven.link().close("did not prove within " + PROOF_MILLIS / 1000 + " s that it has the job's key");
            }
        }
    }

    /** The entry of this link, which is taken out. */
    @Nullable
    UnprovenLink take(Link link) {
        for (Iterator<UnprovenLink> each = links.iterator(); each.hasNext(); ) {
            UnprovenLink unproven = each.next();
            if (unproven.link() == link) {
                each.remove();
                return unproven;
            }
        }
        return null;
    }

    void close(String reason) {
        for (UnprovenLink unproven : List.copyOf(links)) {
            unproven.link().close(reason);
        }
    }
}
