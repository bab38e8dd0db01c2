/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.placement;

import dev.fabricoperator.fabric.job.PartCosts;
import dev.fabricoperator.fabric.job.PartOrder;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.RankOrder;
import dev.fabricoperator.operator.server.jobs.assembly.Assembly.JoinedPod;
import dev.fabricoperator.operator.server.jobs.assembly.RunRanks;
import dev.fabricoperator.operator.server.jobs.status.Placement;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.pmix.job.JobApp;
import dev.fabricoperator.pmix.job.JobDevice;
import dev.fabricoperator.pmix.job.JobFabric;
import dev.fabricoperator.pmix.job.JobMap;
import dev.fabricoperator.pmix.job.JobPod;
import dev.fabricoperator.pmix.job.PodReport;
import dev.fabricoperator.pmix.job.RunRequest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Makes the map of an attempt of what its pods reported and of what is known of their nodes' devices. */
public final class JobMaps {
    private static final int KEY_BYTES = 32;

    private final KnownFabrics known;
    private final SecureRandom random = new SecureRandom();

    public JobMaps(KnownFabrics known) {
        this.known = known;
    }

    /** A pod with the published devices behind those that it can open. */
    private record Found(JoinedPod joined, List<@Nullable ServedDevice> behind) {
        /** By the pod: its devices follow from it. */
        @Override
        public int hashCode() {
            return joined.hashCode();
        }

        /** Those that are published, each once. */
        List<ServedDevice> published() {
            return behind.stream().filter(Objects::nonNull).distinct().toList();
        }
    }

    /**
     * Ordinals of the pods whose hosts have a device of a Fabric that wants its hosts prepared. O(devices of these nodes) where there is such a Fabric, else O(Fabrics).
     *
     * @param pods by ordinal, all of the job
     */
    public BitSet onPreparedHosts(List<JoinedPod> pods) {
        BitSet found = new BitSet();
        Set<String> fabrics = known.withPreparedHosts();
        if (!fabrics.isEmpty()) {
            NodeDevices devices = devices(pods);
            for (JoinedPod joined : pods) {
                found.set(
                        joined.pod().ordinal(),
                        devices.of(joined.pod().nodeName()).stream()
                                .anyMatch(device -> device.status() != null
                                        && device.status().fabric() != null
                                        && fabrics.contains(device.status().fabric())));
            }
        }
        return found;
    }

    /** @param pods by ordinal, all of the job. O(devices of the nodes + pods squared). */
    public BuiltMap map(DirectJob job, int attempt, List<JoinedPod> pods) {
        // The pod of mpirun stays the first, and has no ranks that a place would matter to.
        JoinedPod front = job.isRunByMpirun() ? pods.getFirst() : null;
        return map(job, attempt, front, front == null ? pods : pods.subList(1, pods.size()));
    }

    private BuiltMap map(DirectJob job, int attempt, @Nullable JoinedPod front, List<JoinedPod> pods) {
        byte[] key = new byte[KEY_BYTES];
        random.nextBytes(key);
        NodeDevices devices = devices(pods);
        List<Found> found = found(devices, pods);
        JobFrame frame = JobFrame.of(known, published(found));
        PartCosts costs = frame == null
                ? null
                : frame.costs(
                        found.stream().map(one -> one.joined().pod().nodeName()).toList(),
                        found.stream().map(Found::published).toList());
        List<Found> ordered = found;
        if (costs != null && job.rankOrder() == RankOrder.topology) {
            int[] order = PartOrder.of(costs);
            ordered = IntStream.of(order).mapToObj(found::get).toList();
            costs = costs.only(order);
        }
        RunRequest run = front == null ? null : front.report().run();
        int[] ranks = run == null ? reported(ordered) : RunRanks.of(run, ordered.size(), slots(ordered));
        Kept kept = new Kept(
                job, attempt, key, front, ordered.stream().map(Found::joined).toList(), ranks);
        JobMap map = map(kept, devices, frame, ordered);
        JobFabric fabric = map.fabric();
        PartCosts inOrder = costs;
        return new BuiltMap(
                map,
                () -> fabric == null ? null : renewed(kept, fabric.name()),
                () -> frame == null || inOrder == null ? Placement.UNKNOWN : Placements.of(frame.fabric(), inOrder));
    }

    /**
     * What all maps of an attempt have in common.
     *
     * @param front the pod of mpirun, {@code null} for none
     * @param pods that have ranks, in their order
     * @param ranks of each of them
     */
    private record Kept(
            DirectJob job,
            int attempt,
            byte[] key,
            @Nullable JoinedPod front,
            List<JoinedPod> pods,
            int[] ranks) {}

    private @Nullable JobMap renewed(Kept kept, String fabricName) {
        ServedFabric fabric = known.fabric(fabricName);
        NodeDevices devices = devices(kept.pods());
        List<Found> found = found(devices, kept.pods());
        JobFrame frame = fabric == null ? null : JobFrame.in(fabric, published(found));
        return frame == null ? null : map(kept, devices, frame, found);
    }

    private JobMap map(Kept kept, NodeDevices devices, @Nullable JobFrame frame, List<Found> ordered) {
        DirectJob job = kept.job();
        JoinedPod front = kept.front();
        Map<String, List<ServedDevice>> ofPod = new LinkedHashMap<>();
        ordered.forEach(one -> ofPod.put(one.joined().pod().name(), one.published()));
        List<JobPod> placed = new ArrayList<>(ordered.size() + 1);
        if (front != null) {
            placed.add(front(front, devices.hostname(front.pod().nodeName())));
        }
        addPods(placed, job, devices, frame, ordered, kept.ranks());
        return new JobMap(
                job.nspace(kept.attempt()),
                kept.attempt(),
                kept.key(),
                front == null
                        ? apps(job)
                        : List.of(new JobApp(
                                0,
                                job.owner().name(),
                                IntStream.of(kept.ranks()).sum())),
                placed,
                frame == null ? null : frame.describe(ofPod));
    }

    private NodeDevices devices(List<JoinedPod> pods) {
        Set<String> nodes = new HashSet<>();
        pods.forEach(joined -> nodes.add(joined.pod().nodeName()));
        return new NodeDevices(known, nodes);
    }

    private static List<Found> found(NodeDevices devices, List<JoinedPod> pods) {
        List<Found> found = new ArrayList<>(pods.size());
        for (JoinedPod joined : pods) {
            found.add(new Found(
                    joined,
                    devices.behind(joined.pod().nodeName(), joined.report().devices())));
        }
        return found;
    }

    private static Set<ServedDevice> published(List<Found> found) {
        Set<ServedDevice> all = new HashSet<>();
        found.forEach(one -> all.addAll(one.published()));
        return all;
    }

    private static List<JobApp> apps(DirectJob job) {
        List<JobApp> apps = new ArrayList<>();
        for (DirectJob.App app : job.apps()) {
            apps.add(new JobApp(apps.size(), app.name(), app.ranks()));
        }
        return apps;
    }

    private static int[] reported(List<Found> pods) {
        return pods.stream().mapToInt(one -> one.joined().report().ranks()).toArray();
    }

    private static int slots(List<Found> workers) {
        return workers.getFirst().joined().report().ranks();
    }

    private static JobPod front(JoinedPod joined, String host) {
        PodReport report = joined.report();
        return new JobPod(
                joined.pod().name(), host, 0, 0, 0, report.address(), report.port(), report.cpuset(), List.of());
    }

    private static void addPods(
            List<JobPod> pods,
            DirectJob job,
            NodeDevices devices,
            @Nullable JobFrame frame,
            List<Found> ordered,
            int[] ranks) {
        int rank = 0;
        for (int i = 0; i < ranks.length; i++) {
            Found one = ordered.get(i);
            PodReport report = one.joined().report();
            String host = devices.hostname(one.joined().pod().nodeName());
            pods.add(new JobPod(
                    one.joined().pod().name(),
                    host,
                    job.isRunByMpirun() ? 0 : job.appOf(one.joined().pod().ordinal()),
                    rank,
                    ranks[i],
                    report.address(),
                    report.port(),
                    report.cpuset(),
                    devices(one, host, frame)));
            rank += ranks[i];
        }
    }

    /** Nearest first. */
    private static List<JobDevice> devices(Found one, String host, @Nullable JobFrame frame) {
        PodReport report = one.joined().report();
        List<JobDevice> devices = new ArrayList<>(report.devices().size());
        for (int i = 0; i < report.devices().size(); i++) {
            ServedDevice behind = one.behind().get(i);
            int number = frame == null ? -1 : frame.number(behind);
            devices.add(JobDevices.of(
                    report.devices().get(i),
                    behind,
                    host,
                    number,
                    frame == null ? null : frame.place(behind),
                    report.numaNodes()));
        }
        devices.sort(Comparator.comparingInt(JobDevice::minimumDistance)
                .thenComparingInt(device -> device.index() < 0 ? Integer.MAX_VALUE : device.index())
                .thenComparing(JobDevice::osName));
        return devices;
    }
}
