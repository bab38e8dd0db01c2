/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.loop.Log;
import dev.fabricoperator.pmix.server.FabricEvent;
import dev.fabricoperator.pmix.server.LinkEvent;
import dev.fabricoperator.pmix.server.PmixException;
import dev.fabricoperator.pmix.server.PmixServer;
import dev.fabricoperator.pmix.server.PodValues;
import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.protocol.job.FabricDifference;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
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
    private final PodValues values;
    private final Consumer<JobMap> renewed;
    private JobMap current;
    private boolean pending;
    /** Fabrics of which it was told that a change is pending. */
    private List<Integer> announced = List.of();
    /** Whether the library may be given other values. */
    private boolean pendingDelivered;

    private int pendingNumber;
    private @Nullable JobMap next;
    private boolean closed;
    /** What is said of devices of this pod whose links may be about to fail, by their ids. */
    private Map<String, String> impaired = Map.of();

    /**
     * @param map as this pod's ranks know the job
     * @param values of this pod
     * @param renewed is given each map of another generation, before ranks are told of it
     */
    FabricValues(EventLoop loop, PmixServer pmix, JobMap map, int self, PodValues values, Consumer<JobMap> renewed) {
        this.loop = loop;
        this.pmix = pmix;
        this.current = map;
        this.values = values;
        this.renewed = renewed;
        this.podName = map.pods().get(self).name();
    }

    void changed(JobFabricUpdate update) {
        JobFabric before = current.fabric();
        if (before == null) {
            return;
        }
        if (update instanceof JobFabricUpdate.Impaired(List<JobFabricUpdate.ImpairedDevice> devices)) {
            impairedNow(devices);
            return;
        }
        if (!(update instanceof JobFabricUpdate.Updated(JobMap map, byte[] encoded))) {
            // Most changes of a fabric are where the job is not: whether ranks are to be told is known with the new
            // values alone.
            return;
        }
        // What was known of routes is still compared with the next that are known.
        JobMap named = map.named(current.nspace()).keepingRoutesOf(current);
        JobFabric after = named.fabric();
        if (after == null || !FabricDifference.isOfOneJob(current, named)) {
            Log.line("an update of the fabric is of another job");
            return;
        }
        if (after.generation() < before.generation()) {
            return;
        }
        if (!pending && FabricDifference.atMostLearnsRoutes(current, named)) {
            // Nothing has changed that a rank could have known.
            current = named;
            renewed.accept(named);
            return;
        }
        next = named;
        if (!pending) {
            announce(changing(current, named));
        }
        replace();
    }

    /** Tells the ranks of this pod, which all can open its devices, of those that were not impaired before, and of those that are not any more. */
    private void impairedNow(List<JobFabricUpdate.ImpairedDevice> devices) {
        Map<String, String> now = new LinkedHashMap<>();
        int self = current.indexOf(podName);
        devices.stream()
                .filter(device -> device.pod() == self)
                .forEach(device -> now.putIfAbsent(device.deviceId(), device.words()));
        Map<String, String> before = impaired;
        impaired = now;
        before.forEach((deviceId, words) -> {
            if (!now.containsKey(deviceId)) {
                notifyOfLink(PmixStatus.LINK_RESTORED, deviceId, "is over: " + words);
            }
        });
        now.forEach((deviceId, words) -> {
            if (!before.containsKey(deviceId)) {
                notifyOfLink(PmixStatus.LINK_IMPAIRED, deviceId, words);
            }
        });
    }

    private void notifyOfLink(int code, String deviceId, String words) {
        JobPod pod = current.pods().get(current.indexOf(podName));
        if (closed || pod.rankCount() == 0) {
            return;
        }
        try {
            pmix.notifyLink(
                    new LinkEvent(code, new Proc(current.nspace(), pod.firstRank()), pod.rankCount(), deviceId, words));
        } catch (PmixException e) {
            Log.line("ranks are not told of event " + code + ": " + e.getMessage());
        }
    }

    /** Fabrics of which another generation has come; the default one where none has. */
    private static List<Integer> changing(JobMap before, JobMap after) {
        Map<Integer, Long> known = new HashMap<>();
        before.fabrics().forEach(fabric -> known.put(fabric.index(), fabric.generation()));
        List<Integer> changing = after.fabrics().stream()
                .filter(fabric -> !Objects.equals(known.get(fabric.index()), fabric.generation()))
                .map(JobFabric::index)
                .toList();
        return changing.isEmpty() ? List.of(after.fabrics().getFirst().index()) : changing;
    }

    private void announce(List<Integer> fabrics) {
        pending = true;
        pendingDelivered = false;
        announced = fabrics;
        int number = ++pendingNumber;
        for (int i = 0; i < fabrics.size(); i++) {
            boolean last = i == fabrics.size() - 1;
            notifyRanks(
                    new FabricEvent(PmixStatus.PMIX_FABRIC_UPDATE_PENDING, fabrics.get(i), List.of(), null, null),
                    last ? () -> loop.execute(() -> onPendingDelivered(number)) : () -> {});
        }
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
        List<FabricDifference> differences = FabricDifference.all(current, map);
        JobMap known = map.forRanks();
        try {
            int self = known.indexOf(podName);
            // Most generations have changed something where this job is not, and the library copies all of a job.
            if (!FabricDifference.isOnlyGeneration(current, map)) {
                pmix.registerResources(known, self);
                pmix.registerJob(known, self, values);
            }
            current = map;
            renewed.accept(map);
        } catch (PmixException e) {
            // Nobody is told of values that the library does not have; the next generation brings them.
            Log.line("libpmix refuses the new values of the fabric: " + e.getMessage());
            next = null;
            return;
        }
        next = null;
        pending = false;
        List<Integer> toTell = new ArrayList<>(announced);
        announced = List.of();
        for (FabricDifference difference : differences) {
            boolean wasAnnounced = toTell.remove((Integer) difference.index());
            if (wasAnnounced || difference.isNews()) {
                updated(
                        difference.index(),
                        difference.planes(),
                        difference.coordinatesChanged(),
                        difference.routesChanged());
            }
        }
        toTell.forEach(index -> updated(index, List.of(), false, false));
        FabricDifference first = differences.getFirst();
        if (first.endpointsChanged()) {
            notifyRanks(
                    new FabricEvent(PmixStatus.PMIX_FABRIC_UPDATE_ENDPOINTS, first.index(), List.of(), null, null),
                    () -> {});
        }
    }

    private void updated(int index, List<String> planes, boolean coordinatesChanged, boolean routesChanged) {
        notifyRanks(
                new FabricEvent(PmixStatus.PMIX_FABRIC_UPDATED, index, planes, coordinatesChanged, routesChanged),
                () -> {});
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
