/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.fence;

import dev.fabricoperator.pmix.pmixd.fence.Wire.RootAnswer;
import dev.fabricoperator.pmix.pmixd.fence.Wire.RootRequest;
import dev.fabricoperator.pmix.pmixd.mesh.MeshShape;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Questions that pod 0 answers, now or later, passed on by those between. Pod 0 leaves last of all. */
final class RootRequests {
    /** What pod 0 does. */
    interface Root {
        /** @param pod that asks */
        void asked(int pod, byte[] body, Answer answer);
    }

    private final MeshShape shape;
    private final int self;
    private final Neighbours neighbours;
    private final Root root;
    private final Map<Long, Answer> asked = new HashMap<>();
    private long lastId;

    RootRequests(JobLayout layout, int self, Neighbours neighbours, Root root) {
        this.shape = new MeshShape(layout.pods());
        this.self = self;
        this.neighbours = neighbours;
        this.root = root;
    }

    void ask(byte[] body, Answer answer) {
        long id = ++lastId;
        asked.put(id, answer);
        received(new RootRequest(self, id, body));
    }

    void received(RootRequest request) {
        if (self == 0) {
            root.asked(
                    request.origin(),
                    request.body(),
                    (status, body) -> received(new RootAnswer(request.origin(), request.id(), status, body)));
        } else {
            neighbours.send(shape.parent(self), request.encode());
        }
    }

    void received(RootAnswer answer) {
        if (answer.origin() == self) {
            Answer waiting = asked.remove(answer.id());
            if (waiting != null) {
                waiting.answer(answer.status(), answer.body());
            }
            return;
        }
        int next = shape.nextHop(self, answer.origin());
        if (!neighbours.hasLeft(next)) {
            neighbours.send(next, answer.encode());
        }
    }

    /** The attempt has ended: everything that waits is answered. */
    void fail(int status) {
        for (Long id : List.copyOf(asked.keySet())) {
            Answer answer = asked.remove(id);
            if (answer != null) {
                answer.answer(status, new byte[0]);
            }
        }
    }
}
