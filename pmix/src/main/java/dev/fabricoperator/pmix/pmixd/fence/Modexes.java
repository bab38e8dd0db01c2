/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.fence;

import dev.fabricoperator.pmix.pmixd.fence.Wire.ModexAnswer;
import dev.fabricoperator.pmix.pmixd.fence.Wire.ModexRequest;
import dev.fabricoperator.pmix.pmixd.mesh.MeshException;
import dev.fabricoperator.protocol.job.MeshShape;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Questions for what one rank has put, asked of the pod that it runs in and passed on by those between.
 *
 * @see "PMIx Standard, chapter Server, pmix_server_dmodex_req_fn_t"
 */
final class Modexes {
    /** PMIX_ERR_NOT_FOUND. */
    static final int NOT_FOUND = PmixStatus.PMIX_ERR_NOT_FOUND;

    /** What is kept of one that waits, here and in the library. */
    private static final int QUESTION_BYTES = 256;

    private static final int ASKED_OF_A_RANK = 2;

    /** What the pod that is asked does. */
    interface Source {
        void modexAsked(int rank, Answer answer);
    }

    private final JobLayout layout;
    private final MeshShape shape;
    private final int self;
    private final Neighbours neighbours;
    private final Source source;

    private record Asked(int rank, Answer answer) {}

    private final Map<Long, Asked> asked = new HashMap<>();
    /** Of questions of this pod, by the rank that they are for: one that never commits keeps nobody from asking another. */
    private final FairShares askedShares;
    /** Of questions for ranks of this pod that have not committed, by the rank and, below 0, by the pod that asks. */
    private final FairShares heldShares;

    private long lastId;

    /** @param limitBytes of questions of this pod that wait, and of those of others that wait here */
    Modexes(JobLayout layout, int self, Neighbours neighbours, Source source, int limitBytes) {
        int most = limitBytes / QUESTION_BYTES;
        this.askedShares = new FairShares(most, layout.size(), ASKED_OF_A_RANK);
        // Each pod may ask for each rank at one time.
        this.heldShares = new FairShares(most, layout.pods() + layout.ranksOf(self), layout.ranksOf(self));
        this.layout = layout;
        this.shape = new MeshShape(layout.pods());
        this.self = self;
        this.neighbours = neighbours;
        this.source = source;
    }

    void ask(int rank, Answer answer) {
        if (layout.podOf(rank) < 0) {
            answer.answer(NOT_FOUND, new byte[0]);
            return;
        }
        if (!askedShares.take(1, rank)) {
            answer.answer(Fences.OUT_OF_RESOURCE, new byte[0]);
            return;
        }
        long id = ++lastId;
        asked.put(id, new Asked(rank, answer));
        received(new ModexRequest(self, id, rank));
    }

    void received(ModexRequest request) {
        int pod = layout.podOf(request.rank());
        if (pod == self) {
            int origin = -1 - request.origin();
            if (!heldShares.take(1, origin, request.rank())) {
                received(new ModexAnswer(request.origin(), request.id(), Fences.OUT_OF_RESOURCE, new byte[0]));
                return;
            }
            source.modexAsked(request.rank(), (status, data) -> {
                heldShares.giveBack(1, origin, request.rank());
                received(new ModexAnswer(request.origin(), request.id(), status, data));
            });
            return;
        }
        int next = pod < 0 ? -1 : shape.nextHop(self, pod);
        if (next < 0 || neighbours.hasLeft(next)) {
            received(new ModexAnswer(request.origin(), request.id(), Fences.UNREACHABLE, new byte[0]));
        } else {
            neighbours.send(next, request.encode());
        }
    }

    void received(ModexAnswer answer) {
        if (answer.origin() == self) {
            answer(answer.id(), answer.status(), answer.data());
            return;
        }
        int next = shape.nextHop(self, answer.origin());
        if (!neighbours.hasLeft(next)) {
            neighbours.send(next, answer.encode());
        }
    }

    /** @throws MeshException for a pod that the job does not have */
    void check(int origin) throws MeshException {
        if (origin < 0 || origin >= layout.pods()) {
            throw new MeshException("passes on a question of pod " + origin + ", which the job does not have");
        }
    }

    /** The attempt has ended: everything that waits is answered. */
    void fail(int status) {
        for (Long id : List.copyOf(asked.keySet())) {
            answer(id, status, new byte[0]);
        }
    }

    private void answer(long id, int status, byte[] data) {
        Asked waiting = asked.remove(id);
        if (waiting != null) {
            askedShares.giveBack(1, waiting.rank());
            waiting.answer().answer(status, data);
        }
    }

    /** Questions of this pod that wait. */
    int pending() {
        return asked.size();
    }
}
