/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.mesh;

import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPeer;
import dev.fabricoperator.protocol.job.JobTicket;
import dev.fabricoperator.protocol.job.MeshShape;
import org.jspecify.annotations.Nullable;

/**
 * What a pod must know of an attempt to connect to its neighbours.
 *
 * @param key 32 bytes
 * @param self index of this pod
 * @param parent {@code null} for pod 0
 */
public record MeshMembership(
        String nspace,
        byte[] key,
        int self,
        int pods,
        @Nullable JobPeer parent,
        PodNames names) {
    public static MeshMembership of(JobMap map, int self) {
        int pods = map.pods().size();
        JobPeer parent = self == 0 ? null : JobPeer.of(map.pods().get(new MeshShape(pods).parent(self)));
        return new MeshMembership(map.nspace(), map.key(), self, pods, parent, new PodNames(map.pods()));
    }

    public static MeshMembership of(JobTicket ticket) {
        return new MeshMembership(
                ticket.nspace(),
                ticket.key(),
                ticket.self(),
                ticket.pods(),
                ticket.parent(),
                PodNames.of(new MeshShape(ticket.pods()).parent(ticket.self()), ticket.parent()));
    }
}
