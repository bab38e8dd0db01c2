/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.traffic;

import dev.fabricoperator.protocol.job.JobCodecException;
import dev.fabricoperator.protocol.job.MeshShape;
import dev.fabricoperator.protocol.job.TrafficReport;
import dev.fabricoperator.protocol.job.TrafficReportCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the pods below this one have told, each last, and the sum with this one's own. On the loop. */
public final class TrafficTree {
    private final MeshShape shape;
    private final Map<Integer, TrafficReport> below = new TreeMap<>();

    public TrafficTree(MeshShape shape) {
        this.shape = shape;
    }

    /** @throws JobCodecException where it is no report, or tells of pods that are not below the child */
    public void told(int child, byte[] encoded) throws JobCodecException {
        TrafficReport report = TrafficReportCodec.decode(encoded, shape.pods());
        for (TrafficReport.Pod pod : report.pods()) {
            if (!shape.isBelow(pod.index(), child)) {
                throw new JobCodecException("pod " + pod.index() + " is not below pod " + child);
            }
        }
        below.put(child, report);
    }

    public boolean isEmpty() {
        return below.isEmpty();
    }

    public TrafficReport sum(TrafficReport own) {
        List<TrafficReport> parts = new ArrayList<>();
        parts.add(own);
        parts.addAll(below.values());
        return TrafficReport.sum(parts);
    }
}
