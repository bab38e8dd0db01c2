/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.placement;

import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPeer;
import dev.fabricoperator.protocol.job.JobTicket;
import dev.fabricoperator.protocol.job.JobTicketCodec;
import dev.fabricoperator.protocol.job.MeshShape;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the pods of a large job are answered in place of the map, which they hand on to one another; pod 0 alone is sent it. */
public final class JobTickets {
    /** Every pod is sent the map. */
    public static final JobTickets NONE = new JobTickets(Map.of());

    private final Map<String, byte[]> byPod;

    private JobTickets(Map<String, byte[]> byPod) {
        this.byPod = byPod;
    }

    public static JobTickets of(JobMap map, byte[] encoded) {
        MeshShape shape = new MeshShape(map.pods().size());
        byte[] digest = JobTicketCodec.digestOf(encoded);
        Map<String, byte[]> byPod = HashMap.newHashMap(shape.pods());
        for (int pod = 1; pod < shape.pods(); pod++) {
            JobPeer parent = JobPeer.of(map.pods().get(shape.parent(pod)));
            byPod.put(
                    map.pods().get(pod).name(),
                    JobTicketCodec.encode(
                            new JobTicket(map.nspace(), map.attempt(), map.key(), pod, shape.pods(), parent, digest)));
        }
        return new JobTickets(byPod);
    }

    /** @return encoded, {@code null} for a pod that is sent the map */
    public byte @Nullable [] of(String pod) {
        return byPod.get(pod);
    }
}
