/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * What pods of one attempt have sent to each other since its ranks began, as each saw it when it looked last.
 *
 * @param names of all pods of the job in the order of its map, for who does not have the map; else empty
 * @param pods that have told something, by index ascending
 * @param pairs those with the most bytes first, {@value #MOST_PAIRS} at most
 * @param pairsLeftOut others
 * @param bytesLeftOut of these
 * @param devicesLeftOut for which a message had no room: those with the fewest bytes
 */
public record TrafficReport(
        List<String> names,
        List<Pod> pods,
        List<Pair> pairs,
        long pairsLeftOut,
        long bytesLeftOut,
        long devicesLeftOut) {
    public static final int MOST_PAIRS = 1024;

    /** Of a pod: more than any has. */
    public static final int MOST_DEVICES = 64;

    public static final TrafficReport NONE = new TrafficReport(List.of(), List.of(), List.of(), 0, 0, 0);

    /** What bytes of a device are the count of. */
    public enum Basis {
        /** A network interface of the pod's own network. */
        INTERFACE,
        /** A port of an RDMA device, whichever pods use it. */
        RDMA_PORT
    }

    /**
     * One pod.
     *
     * @param index in the job's map
     * @param millis from the first to the last look
     * @param connectionsKnown whether the kernel has told of its connections
     * @param connectionsMissed how often it had no room to tell of some that were closed
     */
    public record Pod(
            int index, long millis, boolean connectionsKnown, long connectionsMissed, List<DeviceTraffic> devices) {
        public Pod {
            devices = List.copyOf(devices);
        }

        Pod with(List<DeviceTraffic> others) {
            return new Pod(index, millis, connectionsKnown, connectionsMissed, others);
        }
    }

    /**
     * Bytes of one device since the first look.
     *
     * @param name inside the pod
     * @param deviceId PMIX_DEVICE_ID, empty for one that is not in the job's map
     */
    public record DeviceTraffic(String name, String deviceId, Basis basis, long sent, long received) {}

    /**
     * What one pod has sent to another over TCP, as the sender's kernel counts what has been acknowledged.
     *
     * @param rttMicroseconds mean over the connections, each as the kernel smoothes it; 0 if unknown
     */
    public record Pair(int from, int to, long bytes, long retransmits, long rttMicroseconds) {}

    private static final Comparator<Pair> MOST_BYTES_FIRST = Comparator.comparingLong(Pair::bytes)
            .reversed()
            .thenComparingInt(Pair::from)
            .thenComparingInt(Pair::to);

    public TrafficReport {
        names = List.copyOf(names);
        pods = List.copyOf(pods);
        pairs = List.copyOf(pairs);
    }

    /** Of one pod, with whatever number of pairs. */
    public static TrafficReport of(Pod pod, List<Pair> pairs) {
        return sum(List.of(pod), pairs, 0, 0, 0);
    }

    /** Together, of different pods; a pod that is in several counts as the first has it. */
    public static TrafficReport sum(List<TrafficReport> parts) {
        List<Pod> pods = new ArrayList<>();
        List<Pair> pairs = new ArrayList<>();
        Set<Integer> seen = new HashSet<>();
        long leftOut = 0;
        long bytes = 0;
        long devices = 0;
        for (TrafficReport part : parts) {
            Set<Integer> here = new HashSet<>();
            for (Pod pod : part.pods) {
                if (seen.add(pod.index())) {
                    here.add(pod.index());
                    pods.add(pod);
                }
            }
            part.pairs.stream().filter(pair -> here.contains(pair.from())).forEach(pairs::add);
            leftOut = plus(leftOut, part.pairsLeftOut);
            bytes = plus(bytes, part.bytesLeftOut);
            devices = plus(devices, part.devicesLeftOut);
        }
        pods.sort(Comparator.comparingInt(Pod::index));
        return sum(pods, pairs, leftOut, bytes, devices);
    }

    private static TrafficReport sum(
            List<Pod> pods, List<Pair> pairs, long leftOut, long bytesLeftOut, long devicesLeftOut) {
        List<Pair> sorted = pairs.stream().sorted(MOST_BYTES_FIRST).toList();
        if (sorted.size() <= MOST_PAIRS) {
            return new TrafficReport(List.of(), pods, sorted, leftOut, bytesLeftOut, devicesLeftOut);
        }
        long bytes = bytesLeftOut;
        for (Pair pair : sorted.subList(MOST_PAIRS, sorted.size())) {
            bytes = plus(bytes, pair.bytes());
        }
        return new TrafficReport(
                List.of(),
                pods,
                sorted.subList(0, MOST_PAIRS),
                plus(leftOut, sorted.size() - MOST_PAIRS),
                bytes,
                devicesLeftOut);
    }

    public TrafficReport named(List<String> podNames) {
        return new TrafficReport(podNames, pods, pairs, pairsLeftOut, bytesLeftOut, devicesLeftOut);
    }

    TrafficReport withoutDeviceIds() {
        List<Pod> shorter = pods.stream()
                .map(pod -> pod.with(pod.devices().stream()
                        .map(device ->
                                new DeviceTraffic(device.name(), "", device.basis(), device.sent(), device.received()))
                        .toList()))
                .toList();
        return new TrafficReport(names, shorter, pairs, pairsLeftOut, bytesLeftOut, devicesLeftOut);
    }

    /**
     * Leaves out those devices with the fewest bytes whose sizes are so much together, or all. O(devices log devices).
     *
     * @param size of a device, in the unit of {@code excess}
     */
    TrafficReport withoutDevices(long excess, ToIntFunction<DeviceTraffic> size) {
        record Place(int pod, int device, long bytes) {}
        List<Place> places = new ArrayList<>();
        for (int pod = 0; pod < pods.size(); pod++) {
            List<DeviceTraffic> devices = pods.get(pod).devices();
            for (int device = 0; device < devices.size(); device++) {
                DeviceTraffic each = devices.get(device);
                places.add(new Place(pod, device, plus(each.sent(), each.received())));
            }
        }
        places.sort(Comparator.comparingLong(Place::bytes));
        List<BitSet> out = new ArrayList<>();
        pods.forEach(pod -> out.add(new BitSet()));
        long saved = 0;
        long count = 0;
        for (Place place : places) {
            if (saved >= excess) {
                break;
            }
            saved += size.applyAsInt(pods.get(place.pod()).devices().get(place.device()));
            out.get(place.pod()).set(place.device());
            count++;
        }
        List<Pod> shorter = new ArrayList<>(pods.size());
        for (int pod = 0; pod < pods.size(); pod++) {
            Pod whole = pods.get(pod);
            List<DeviceTraffic> kept = new ArrayList<>();
            for (int device = 0; device < whole.devices().size(); device++) {
                if (!out.get(pod).get(device)) {
                    kept.add(whole.devices().get(device));
                }
            }
            shorter.add(whole.with(kept));
        }
        return new TrafficReport(names, shorter, pairs, pairsLeftOut, bytesLeftOut, plus(devicesLeftOut, count));
    }

    /** Counts of who lies may be large; a sum is no smaller than its parts. */
    public static long plus(long one, long other) {
        long sum = one + other;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }
}
