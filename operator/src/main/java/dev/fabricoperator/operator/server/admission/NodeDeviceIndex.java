/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.Purpose;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.server.admission.DeviceVariable.NodeDevice;
import dev.fabricoperator.operator.server.served.ServedDevice;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The usable devices of each node, sorted out anew at most once a second. */
final class NodeDeviceIndex {
    private static final Duration KEPT = Duration.ofSeconds(1);

    private final Supplier<Map<String, List<NodeDevice>>> source;
    private final Clock clock;
    private final ReentrantLock renewing = new ReentrantLock();
    private volatile @Nullable Sorted sorted;

    private record Sorted(Instant until, Map<String, List<NodeDevice>> byNode) {}

    /** @param source see {@link #usable}: O(devices of the cluster) */
    NodeDeviceIndex(Supplier<Map<String, List<NodeDevice>>> source, Clock clock) {
        this.source = source;
        this.clock = clock;
    }

    /** Only one thread sorts; the others go on with what was sorted last, and wait where that is nothing. */
    List<NodeDevice> of(String node) {
        Sorted last = sorted;
        if (last == null || last.until().isBefore(clock.instant())) {
            last = renewed(last);
        }
        return last.byNode().getOrDefault(node, List.of());
    }

    private Sorted renewed(@Nullable Sorted last) {
        if (last == null) {
            renewing.lock();
        } else if (!renewing.tryLock()) {
            return last;
        }
        try {
            Sorted now = sorted;
            if (now != null && !now.until().isBefore(clock.instant())) {
                return now;
            }
            Sorted made = new Sorted(clock.instant().plus(KEPT), source.get());
            sorted = made;
            return made;
        } finally {
            renewing.unlock();
        }
    }

    /** By node, those that are up and may carry a job's traffic: none of the management network, none of a fabric for storage. */
    static Map<String, List<NodeDevice>> usable(List<ServedDevice> devices, List<FabricFacts> fabrics) {
        Set<String> others = new HashSet<>();
        for (FabricFacts fabric : fabrics) {
            Purpose purpose = fabric.spec().purpose();
            if (purpose == Purpose.Storage || purpose == Purpose.Management) {
                others.add(fabric.name());
            }
        }
        Map<String, List<NodeDevice>> usable = new HashMap<>();
        for (ServedDevice served : devices) {
            Device device = served.device();
            FabricDeviceStatus status = served.status();
            boolean elsewhere = status != null && status.fabric() != null && others.contains(status.fabric());
            if (device.state() == PortState.Active
                    && device.role() != Role.Management
                    && device.function() != Function.Virtual
                    && !elsewhere) {
                usable.computeIfAbsent(served.nodeName(), node -> new ArrayList<>())
                        .add(new NodeDevice(
                                device,
                                status == null ? null : status.plane(),
                                status == null ? null : status.index()));
            }
        }
        return usable;
    }
}
