/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.model.DevicePosition;
import dev.fabricoperator.fabric.query.Path;
import dev.fabricoperator.fabric.traffic.LinkLoads;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.view.answer.JobTrafficAnswer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * By which ports of switches the bytes of one job leave.
 *
 * <ul>
 *   <li>What TCP has carried between two pods goes between the FabricDevices that are interfaces in the pods' own networks; where there are none between those of their nodes that
 *       are up and have an address. Of several those that are nearest to each other carry it in equal parts. Where two nodes have such devices in two fabrics nobody knows which
 *       carries it, and it is on no link.
 *   <li>What RDMA ports have sent beyond that is shared out over the job's other ones in the fabric by what these receive.
 *   <li>What leaves by the port that a device of a pod is plugged into is what the device has received.
 * </ul>
 *
 * <pre>
 * Bounds: of more than {@value #MOST_RDMA_PORTS} RDMA ports of a job in one fabric only their own links are told; ways are followed as far as the caller has room for.
 * </pre>
 */
final class JobLinks {
    /** Each sends to each. */
    private static final int MOST_RDMA_PORTS = 400;

    private final Map<String, OfFabric> fabrics = new LinkedHashMap<>();
    private final Map<String, String> nodeOfPod = new HashMap<>();
    private final Map<String, Integer> hostOfPod = new HashMap<>();
    private final JobRates rates;
    private double unknown;

    /**
     * Devices by which a pod may send over TCP.
     *
     * @param isOwn whether they are in its own network
     */
    private record Interfaces(List<Integer> slots, boolean isOwn) {}

    private static final class OfFabric {
        private final ServedFabric fabric;
        private final Map<String, Interfaces> interfaces = new HashMap<>();
        private final List<LinkLoads.Flow> flows = new ArrayList<>();
        private @Nullable LinkLoads<End> loads;

        private OfFabric(ServedFabric fabric) {
            this.fabric = fabric;
        }

        private @Nullable Integer slot(String deviceId) {
            Integer slot = fabric.directory().withDeviceId(deviceId);
            return slot != null && fabric.model().isUsed(slot) ? slot : null;
        }

        private Interfaces interfaces(JobTrafficAnswer.Pod pod) {
            List<Integer> own = new ArrayList<>();
            for (JobTrafficAnswer.Device device : pod.devices()) {
                Integer slot = device.deviceId() == null || !JobRates.isOwn(device) ? null : slot(device.deviceId());
                if (slot != null) {
                    own.add(slot);
                }
            }
            if (!own.isEmpty()) {
                return new Interfaces(own, true);
            }
            List<Integer> ofNode = new ArrayList<>();
            fabric.directory().ofNode(pod.node()).forEach(each -> {
                if (each.getValue().addressed()
                        && each.getValue().device().state() == PortState.Active
                        && fabric.model().isUsed(each.getKey())) {
                    ofNode.add(each.getKey());
                }
            });
            return new Interfaces(ofNode, false);
        }

        /** @return whether something leads from the one to the other */
        private boolean add(Interfaces from, Interfaces to, double perSecond, boolean really) {
            CostMatrix cost = fabric.cost();
            List<int[]> nearest = new ArrayList<>();
            int least = CostMatrix.UNREACHABLE;
            for (int here : from.slots()) {
                for (int there : to.slots()) {
                    int between = cost.cost(here, there);
                    if (between < least) {
                        nearest.clear();
                        least = between;
                    }
                    if (between == least && between != CostMatrix.UNREACHABLE) {
                        nearest.add(new int[] {here, there});
                    }
                }
            }
            if (really) {
                boolean measured = from.isOwn()
                        && to.isOwn()
                        && from.slots().size() == 1
                        && to.slots().size() == 1;
                nearest.forEach(
                        each -> flows.add(new LinkLoads.Flow(each[0], each[1], perSecond / nearest.size(), measured)));
            }
            return !nearest.isEmpty();
        }

        /** Follows all flows, those of RDMA ports too. */
        private LinkLoads<End> follow(JobRates rates, Map<String, Integer> hostOfPod, long mostWays) {
            Map<Integer, Double> sent = new HashMap<>();
            Map<Integer, Double> received = new HashMap<>();
            flows.forEach(flow -> {
                sent.merge(flow.from(), flow.bytesPerSecond(), Double::sum);
                received.merge(flow.to(), flow.bytesPerSecond(), Double::sum);
            });
            List<LinkLoads.End> ends = new ArrayList<>();
            Map<End, Double> counted = new LinkedHashMap<>();
            Set<Integer> seen = new HashSet<>();
            for (JobRates.OfDevice device : rates.devices()) {
                Integer slot = slot(device.deviceId());
                Integer host = hostOfPod.get(device.pod());
                // A port that two pods use counts what both do, and each tells all of it.
                if (slot == null || host == null || !seen.add(slot)) {
                    continue;
                }
                if (!device.isOwn()) {
                    ends.add(new LinkLoads.End(
                            slot,
                            host,
                            Math.max(0, device.sentPerSecond() - sent.getOrDefault(slot, 0.0)),
                            Math.max(0, device.receivedPerSecond() - received.getOrDefault(slot, 0.0))));
                }
                DevicePosition place = fabric.model().device(slot);
                if (place != null && place.switchId() != null && place.switchPort() != null) {
                    counted.put(new End(place.switchId(), place.switchPort()), device.receivedPerSecond());
                }
            }
            if (ends.size() <= MOST_RDMA_PORTS) {
                flows.addAll(LinkLoads.shareOut(ends));
            }
            Map<String, Integer> firstAt = new HashMap<>();
            LinkLoads<End> found = LinkLoads.of(
                    flows,
                    slot -> {
                        DevicePosition place = fabric.model().device(slot);
                        return place == null || place.switchId() == null
                                ? slot
                                : firstAt.computeIfAbsent(place.switchId(), any -> slot);
                    },
                    mostWays,
                    this::way);
            counted.forEach(found::counted);
            return found;
        }

        private LinkLoads.@Nullable Way<End> way(int from, int to) {
            Path path = fabric.query().path(from, to);
            return path == null || path.steps().isEmpty()
                    ? null
                    : new LinkLoads.Way<>(
                            path.steps().stream()
                                    .map(step -> new End(step.switchId(), step.outPort()))
                                    .toList(),
                            path.basis() == Path.Basis.routes && path.equalPaths() == 1);
        }
    }

    /** @param served all fabrics that the job may use */
    JobLinks(TrafficOfJobs.Told job, Collection<ServedFabric> served) {
        for (ServedFabric fabric : served) {
            if (!fabric.isNvlink()) {
                fabrics.put(fabric.name(), new OfFabric(fabric));
            }
        }
        Map<String, Integer> hosts = new HashMap<>();
        for (JobTrafficAnswer.Pod pod : job.answer().pods()) {
            nodeOfPod.put(pod.pod(), pod.node());
            hostOfPod.put(pod.pod(), hosts.computeIfAbsent(pod.node(), any -> hosts.size()));
            fabrics.values().forEach(each -> each.interfaces.put(pod.pod(), each.interfaces(pod)));
        }
        rates = job.rates();
        rates.pairs().forEach(this::add);
    }

    private void add(JobRates.OfPair pair) {
        String from = nodeOfPod.get(pair.from());
        if (pair.perSecond() <= 0 || (from != null && from.equals(nodeOfPod.get(pair.to())))) {
            return;
        }
        List<OfFabric> own = new ArrayList<>();
        List<OfFabric> any = new ArrayList<>();
        for (OfFabric each : fabrics.values()) {
            Interfaces here = each.interfaces.get(pair.from());
            Interfaces there = each.interfaces.get(pair.to());
            if (here != null && there != null && each.add(here, there, pair.perSecond(), false)) {
                (here.isOwn() && there.isOwn() ? own : any).add(each);
            }
        }
        List<OfFabric> may = own.isEmpty() ? any : own;
        if (may.size() == 1) {
            OfFabric one = may.getFirst();
            one.add(
                    Objects.requireNonNull(one.interfaces.get(pair.from())),
                    Objects.requireNonNull(one.interfaces.get(pair.to())),
                    pair.perSecond(),
                    true);
        } else {
            unknown += pair.perSecond();
        }
    }

    /**
     * Of one fabric.
     *
     * @param mostWays that are followed, the first time
     */
    LinkLoads<End> loads(ServedFabric fabric, long mostWays) {
        OfFabric known = Objects.requireNonNull(fabrics.get(fabric.name()), fabric.name());
        LinkLoads<End> loads = known.loads;
        if (loads == null) {
            loads = known.follow(rates, hostOfPod, mostWays);
            known.loads = loads;
        }
        return loads;
    }

    /** Those that it may use. */
    List<ServedFabric> fabrics() {
        return fabrics.values().stream().map(each -> each.fabric).toList();
    }

    /** Bytes in a second of which nobody knows which fabric carries them. */
    double unknown() {
        return unknown;
    }
}
