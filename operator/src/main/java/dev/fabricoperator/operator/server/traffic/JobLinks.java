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
import dev.fabricoperator.operator.server.served.Ways;
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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * By which ports of switches the bytes of one job leave.
 *
 * <ul>
 *   <li>What TCP has carried between two pods goes between the FabricDevices that are interfaces in the pods' own networks; where there are none between those of their nodes that
 *       are up and have an address. Of several those that are nearest to each other carry it in equal parts. Where two nodes have such devices in two fabrics nobody knows which
 *       carries it, and it is on no link.
 *   <li>What RDMA ports have sent beyond that is shared out over the job's other ones in the same plane of the fabric, as far as they can be reached, by what these receive.
 *   <li>What leaves by the port that a device of a pod is plugged into is what the device has received.
 * </ul>
 *
 * <pre>
 * Bounds: {@value #MOST_INTERFACES} devices of a pod, {@value #MOST_WAYS_OF_PAIR} ways of a pair, {@value #MOST_FLOWS} flows; of more than {@value #MOST_RDMA_PORTS} RDMA ports of a
 * job in one fabric only their own links are told; ways are followed as far as the caller has room for.
 * </pre>
 */
final class JobLinks {
    /** Each sends to each. */
    private static final int MOST_RDMA_PORTS = 400;

    /** A report is the word of the job's own pods: it may name any number of devices. */
    private static final int MOST_INTERFACES = 16;

    private static final int MOST_WAYS_OF_PAIR = 16;
    /** Of all fabrics together. */
    private static final int MOST_FLOWS = 200_000;

    private final Map<String, OfFabric> fabrics = new LinkedHashMap<>();
    private final Map<String, String> nodeOfPod = new HashMap<>();
    private final Map<String, Integer> hostOfPod = new HashMap<>();
    private final JobRates rates;
    private double unknown;
    private int flows;

    /**
     * Devices by which a pod may send over TCP.
     *
     * @param isOwn whether they are in its own network
     */
    private record Interfaces(List<Integer> slots, boolean isOwn) {}

    /** A fabric that may carry what one pod sends to another, on these ways between slots. */
    private record Carrier(OfFabric fabric, List<int[]> ways, boolean measured) {}

    private static final class OfFabric {
        private final ServedFabric fabric;
        private final Map<String, Interfaces> interfaces = new HashMap<>();
        private final Map<String, Set<Integer>> slotsOfNode = new HashMap<>();
        private final List<LinkLoads.Flow> flows = new ArrayList<>();
        private @Nullable LinkLoads<End> loads;

        private OfFabric(ServedFabric fabric) {
            this.fabric = fabric;
        }

        /** {@code null} also for a device of another node: a pod can have counted none of these. */
        private @Nullable Integer slot(String node, String deviceId) {
            Integer slot = fabric.directory().withDeviceId(deviceId);
            return slot != null
                            && fabric.model().isUsed(slot)
                            && slotsOfNode
                                    .computeIfAbsent(
                                            node,
                                            name -> fabric.directory().ofNode(name).stream()
                                                    .map(Map.Entry::getKey)
                                                    .collect(Collectors.toSet()))
                                    .contains(slot)
                    ? slot
                    : null;
        }

        private Interfaces interfaces(JobTrafficAnswer.Pod pod) {
            List<Integer> own = pod.devices().stream()
                    .filter(device -> device.deviceId() != null && JobRates.isOwn(device))
                    .map(device -> slot(pod.node(), Objects.requireNonNull(device.deviceId())))
                    .filter(Objects::nonNull)
                    .distinct()
                    .limit(MOST_INTERFACES)
                    .toList();
            if (!own.isEmpty()) {
                return new Interfaces(own, true);
            }
            List<Integer> ofNode = fabric.directory().ofNode(pod.node()).stream()
                    .filter(each -> each.getValue().addressed()
                            && each.getValue().device().state() == PortState.Active
                            && fabric.model().isUsed(each.getKey()))
                    .map(Map.Entry::getKey)
                    .limit(MOST_INTERFACES)
                    .toList();
            return new Interfaces(ofNode, false);
        }

        /** The ways between devices that are nearest to each other; of too many so that each device has as many as the next one. */
        private List<int[]> nearest(Interfaces from, Interfaces to) {
            CostMatrix cost = fabric.cost();
            List<int[]> nearest = new ArrayList<>();
            int least = CostMatrix.UNREACHABLE;
            for (int apart = 0; apart < to.slots().size(); apart++) {
                for (int each = 0; each < from.slots().size(); each++) {
                    int here = from.slots().get(each);
                    int there = to.slots().get((each + apart) % to.slots().size());
                    int between = cost.cost(here, there);
                    if (between < least) {
                        nearest.clear();
                        least = between;
                    }
                    if (between == least && between != CostMatrix.UNREACHABLE && nearest.size() < MOST_WAYS_OF_PAIR) {
                        nearest.add(new int[] {here, there});
                    }
                }
            }
            return nearest;
        }

        private boolean reach(int from, int to) {
            DevicePosition here = fabric.model().device(from);
            DevicePosition there = fabric.model().device(to);
            return here != null
                    && there != null
                    && here.plane().equals(there.plane())
                    && fabric.cost().cost(from, to) != CostMatrix.UNREACHABLE;
        }

        /** Follows all flows, those of RDMA ports too. */
        private LinkLoads<End> follow(JobLinks job, long mostWays) {
            Map<Integer, Double> sent = new HashMap<>();
            Map<Integer, Double> received = new HashMap<>();
            flows.forEach(flow -> {
                sent.merge(flow.from(), flow.bytesPerSecond(), Double::sum);
                received.merge(flow.to(), flow.bytesPerSecond(), Double::sum);
            });
            List<LinkLoads.End> ends = new ArrayList<>();
            Map<End, Double> counted = new LinkedHashMap<>();
            Set<Integer> seen = new HashSet<>();
            for (JobRates.OfDevice device : job.rates.devices()) {
                String node = job.nodeOfPod.get(device.pod());
                Integer slot = node == null ? null : slot(node, device.deviceId());
                Integer host = job.hostOfPod.get(device.pod());
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
            List<LinkLoads.Flow> shared =
                    ends.size() <= MOST_RDMA_PORTS ? LinkLoads.shareOut(ends, this::reach) : List.of();
            if (job.flows + shared.size() <= MOST_FLOWS) {
                job.flows += shared.size();
                flows.addAll(shared);
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
            flows.clear();
            return found;
        }

        private LinkLoads.Way<End> way(int from, int to) {
            Path path = fabric.query().path(from, to);
            return new LinkLoads.Way<>(
                    path == null
                            ? List.of()
                            : path.steps().stream()
                                    .map(step -> new End(step.switchId(), step.outPort()))
                                    .toList(),
                    path != null && path.basis() == Path.Basis.routes && path.equalPaths() == 1,
                    Ways.effort(path));
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
        List<Carrier> own = new ArrayList<>();
        List<Carrier> any = new ArrayList<>();
        for (OfFabric each : fabrics.values()) {
            Interfaces here = each.interfaces.get(pair.from());
            Interfaces there = each.interfaces.get(pair.to());
            List<int[]> ways = here == null || there == null ? List.of() : each.nearest(here, there);
            if (here != null && there != null && !ways.isEmpty()) {
                boolean isOfOwn = here.isOwn() && there.isOwn();
                boolean measured =
                        isOfOwn && here.slots().size() == 1 && there.slots().size() == 1;
                (isOfOwn ? own : any).add(new Carrier(each, ways, measured));
            }
        }
        List<Carrier> may = own.isEmpty() ? any : own;
        if (may.size() == 1 && flows + MOST_WAYS_OF_PAIR <= MOST_FLOWS) {
            Carrier one = may.getFirst();
            one.ways()
                    .forEach(each -> one.fabric()
                            .flows
                            .add(new LinkLoads.Flow(
                                    each[0],
                                    each[1],
                                    pair.perSecond() / one.ways().size(),
                                    one.measured())));
            flows += one.ways().size();
        } else {
            unknown += pair.perSecond();
        }
    }

    /**
     * Of one fabric.
     *
     * @param mostWays effort of ways that are followed, the first time, as {@link Ways#effort} counts it
     */
    LinkLoads<End> loads(ServedFabric fabric, long mostWays) {
        OfFabric known = Objects.requireNonNull(fabrics.get(fabric.name()), fabric.name());
        LinkLoads<End> loads = known.loads;
        if (loads == null) {
            loads = known.follow(this, mostWays);
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
