/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.fence;

import dev.fabricoperator.pmix.pmixd.fence.Wire.RootAnswer;
import dev.fabricoperator.pmix.pmixd.fence.Wire.RootRequest;
import dev.fabricoperator.protocol.job.MeshShape;
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
    /** What is kept of a question beside its body, which lies with the connection until it is sent. */
    private static final int QUESTION_BYTES = 200;

    private record Asked(int rank, int bytes, Answer answer) {}

    private final Map<Long, Asked> asked = new HashMap<>();
    private final FairShares shares;
    private long lastId;

    /** @param limitBytes of questions of this pod that wait for their answer */
    RootRequests(JobLayout layout, int self, Neighbours neighbours, Root root, int limitBytes) {
        this.shares = new FairShares(limitBytes, layout.ranksOf(self), QUESTION_BYTES);
        this.shape = new MeshShape(layout.pods());
        this.self = self;
        this.neighbours = neighbours;
        this.root = root;
    }

    /** @param rank of this pod for which it is asked, which has its share of what may wait; {@link JobMesh#NO_RANK} for the pod itself, which is not refused */
    void ask(int rank, byte[] body, Answer answer) {
        int bytes = rank == JobMesh.NO_RANK ? 0 : QUESTION_BYTES + body.length;
        if (bytes > 0 && !shares.take(bytes, rank)) {
            answer.answer(Fences.OUT_OF_RESOURCE, new byte[0]);
            return;
        }
        long id = ++lastId;
        asked.put(id, new Asked(rank, bytes, answer));
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
            answer(answer.id(), answer.status(), answer.body());
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
            answer(id, status, new byte[0]);
        }
    }

    private void answer(long id, int status, byte[] body) {
        Asked waiting = asked.remove(id);
        if (waiting != null) {
            if (waiting.bytes() > 0) {
                shares.giveBack(waiting.bytes(), waiting.rank());
            }
            waiting.answer().answer(status, body);
        }
    }
}
