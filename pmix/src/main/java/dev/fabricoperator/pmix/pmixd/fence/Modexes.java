/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.fence;

import dev.fabricoperator.pmix.PmixStatus;
import dev.fabricoperator.pmix.pmixd.fence.Wire.ModexAnswer;
import dev.fabricoperator.pmix.pmixd.fence.Wire.ModexRequest;
import dev.fabricoperator.pmix.pmixd.mesh.MeshException;
import dev.fabricoperator.pmix.pmixd.mesh.MeshShape;
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

    /** What the pod that is asked does. */
    interface Source {
        void modexAsked(int rank, Answer answer);
    }

    private final JobLayout layout;
    private final MeshShape shape;
    private final int self;
    private final Neighbours neighbours;
    private final Source source;
    private final Map<Long, Answer> asked = new HashMap<>();
    private long lastId;

    Modexes(JobLayout layout, int self, Neighbours neighbours, Source source) {
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
        long id = ++lastId;
        asked.put(id, answer);
        received(new ModexRequest(self, id, rank));
    }

    void received(ModexRequest request) {
        int pod = layout.podOf(request.rank());
        if (pod == self) {
            source.modexAsked(
                    request.rank(),
                    (status, data) -> received(new ModexAnswer(request.origin(), request.id(), status, data)));
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
            Answer waiting = asked.remove(answer.id());
            if (waiting != null) {
                waiting.answer(answer.status(), answer.data());
            }
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
            Answer answer = asked.remove(id);
            if (answer != null) {
                answer.answer(status, new byte[0]);
            }
        }
    }
}
