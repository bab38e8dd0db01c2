/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.PmixStatus;
import dev.fabricoperator.pmix.job.FabricDifference;
import dev.fabricoperator.pmix.job.JobFabric;
import dev.fabricoperator.pmix.job.JobFabricUpdate;
import dev.fabricoperator.pmix.job.JobMap;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.loop.Log;
import dev.fabricoperator.pmix.server.FabricEvent;
import dev.fabricoperator.pmix.server.PmixException;
import dev.fabricoperator.pmix.server.PmixServer;
import dev.fabricoperator.pmix.server.RankBinding;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the library knows of the job's fabric, generation after generation, and what this pod's ranks are told of that: a change is pending; when
 * the library has told all, or after {@value #LONGEST_PENDING_MILLIS} ms, it gets the new values; then they are updated, and endpoints where a
 * rank has another one. On the loop.
 *
 * @see "PMIx Standard, PMIX_FABRIC_UPDATE_PENDING, PMIX_FABRIC_UPDATED, PMIX_FABRIC_UPDATE_ENDPOINTS"
 */
final class FabricValues {
    private static final long LONGEST_PENDING_MILLIS = 1_000;

    private final EventLoop loop;
    private final PmixServer pmix;
    private final String podName;
    private final List<RankBinding> bindings;
    private JobMap current;
    private boolean pending;
    /** Whether the library may be given other values. */
    private boolean pendingDelivered;

    private int pendingNumber;
    private @Nullable JobMap next;
    private boolean closed;

    /**
     * @param map as this pod's ranks know the job
     * @param bindings of these ranks; empty where none is bound
     */
    FabricValues(EventLoop loop, PmixServer pmix, JobMap map, int self, List<RankBinding> bindings) {
        this.loop = loop;
        this.pmix = pmix;
        this.current = map;
        this.bindings = bindings;
        this.podName = map.pods().get(self).name();
    }

    void changed(JobFabricUpdate update) {
        JobFabric before = current.fabric();
        if (before == null) {
            return;
        }
        if (update instanceof JobFabricUpdate.Updated(JobMap map, byte[] encoded)) {
            JobMap named = map.named(current.nspace());
            JobFabric after = named.fabric();
            if (after == null || !FabricDifference.isOfOneJob(current, named)) {
                Log.line("an update of the fabric is of another job");
                return;
            }
            if (after.generation() < before.generation()) {
                return;
            }
            next = named;
        }
        if (!pending) {
            announce(before);
        }
        replace();
    }

    private void announce(JobFabric fabric) {
        pending = true;
        pendingDelivered = false;
        int number = ++pendingNumber;
        notifyRanks(
                new FabricEvent(PmixStatus.PMIX_FABRIC_UPDATE_PENDING, fabric.index(), List.of(), null),
                () -> loop.execute(() -> onPendingDelivered(number)));
        loop.after(LONGEST_PENDING_MILLIS, () -> onPendingDelivered(number));
    }

    private void onPendingDelivered(int number) {
        if (number == pendingNumber && !pendingDelivered) {
            pendingDelivered = true;
            replace();
        }
    }

    private void replace() {
        JobMap map = next;
        if (map == null || !pendingDelivered || closed) {
            return;
        }
        FabricDifference difference = FabricDifference.of(current, map);
        JobMap known = map.forRanks();
        try {
            int self = known.indexOf(podName);
            // Most generations have changed something where this job is not, and the library copies all of a job.
            if (!FabricDifference.isOnlyGeneration(current, map)) {
                pmix.registerResources(known, self);
                pmix.registerJob(known, self, bindings);
            }
            current = map;
        } catch (PmixException e) {
            // Nobody is told of values that the library does not have; the next generation brings them.
            Log.line("libpmix refuses the new values of the fabric: " + e.getMessage());
            next = null;
            return;
        }
        next = null;
        pending = false;
        int index = difference.index();
        notifyRanks(
                new FabricEvent(
                        PmixStatus.PMIX_FABRIC_UPDATED, index, difference.planes(), difference.coordinatesChanged()),
                () -> {});
        if (difference.endpointsChanged()) {
            notifyRanks(new FabricEvent(PmixStatus.PMIX_FABRIC_UPDATE_ENDPOINTS, index, List.of(), null), () -> {});
        }
    }

    /** The library forgets the job. */
    void close() {
        closed = true;
    }

    private void notifyRanks(FabricEvent event, Runnable delivered) {
        try {
            pmix.notifyFabric(event, delivered);
        } catch (PmixException e) {
            Log.line("ranks are not told of event " + event.code() + ": " + e.getMessage());
            delivered.run();
        }
    }
}
