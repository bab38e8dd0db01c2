/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.placement;

import dev.fabricoperator.fabric.job.PartCosts;
import dev.fabricoperator.fabric.job.PartOrder;
import dev.fabricoperator.fabric.job.RankGroups;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.RankOrder;
import dev.fabricoperator.operator.server.jobs.assembly.Assembly.JoinedPod;
import dev.fabricoperator.operator.server.jobs.assembly.JobPodId;
import dev.fabricoperator.operator.server.jobs.assembly.RunRanks;
import dev.fabricoperator.operator.server.jobs.status.ImpairedRanks;
import dev.fabricoperator.operator.server.jobs.status.Placement;
import dev.fabricoperator.operator.server.served.JobTraffic;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.protocol.job.EndpointTemplate;
import dev.fabricoperator.protocol.job.JobApp;
import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobMapCodec;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.job.PodReport;
import dev.fabricoperator.protocol.job.RunRequest;
import dev.fabricoperator.protocol.pmix.DeviceTypeBits;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
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

    /**
     * A pod with the published devices behind those that it can open.
     *
     * @param held as in {@link Kept}
     */
    private record Found(JoinedPod joined, @Nullable JobPod held, List<@Nullable ServedDevice> behind) {
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

    /** One for all pods of the attempt, which hand it on to one another: in a version that each of them reads. */
    public static byte[] encoded(JobMap map, List<JoinedPod> pods) {
        return JobMapCodec.encode(map, version(pods));
    }

    private static int version(List<JoinedPod> pods) {
        return pods.stream()
                .mapToInt(joined -> joined.report().mapVersion())
                .min()
                .orElse(JobMapCodec.VERSION_OF_SILENT);
    }

    /** @param pods by ordinal, all of the job. O(devices of the nodes + pods squared). */
    public BuiltMap map(DirectJob job, int attempt, List<JoinedPod> pods) {
        // The pod of mpirun stays the first, and has no ranks that a place would matter to.
        JoinedPod front = job.isRunByMpirun() ? pods.getFirst() : null;
        return map(job, attempt, version(pods), front, front == null ? pods : pods.subList(1, pods.size()));
    }

    private BuiltMap map(DirectJob job, int attempt, int version, @Nullable JoinedPod front, List<JoinedPod> pods) {
        byte[] key = new byte[KEY_BYTES];
        random.nextBytes(key);
        NodeDevices devices = devices(pods);
        List<Found> found = found(devices, pods, List.of());
        List<JobFrame> frames = JobFrame.all(known, published(found), job.fabrics());
        JobFrame frame = frames.isEmpty() ? null : frames.getFirst();
        ServedFabric nvlink = known.nvlink();
        PartCosts costs = frame == null
                ? null
                : frame.costs(
                        found.stream().map(one -> one.joined().pod().nodeName()).toList(),
                        found.stream().map(Found::published).toList(),
                        nvlink);
        List<Found> ordered = found;
        if (costs != null && job.rankOrder() == RankOrder.topology) {
            int[] order = RankGroups.of(costs, PartOrder.of(costs), podsOfAGroup(job, found));
            ordered = IntStream.of(order).mapToObj(found::get).toList();
            costs = costs.only(order);
        }
        RunRequest run = front == null ? null : front.report().run();
        int[] ranks = run == null ? reported(ordered) : RunRanks.of(run, ordered.size(), slots(ordered));
        Kept kept = new Kept(
                job, attempt, key, front, ordered.stream().map(Found::joined).toList(), ranks, List.of());
        JobMap map = map(kept, devices, frames, ordered);
        JobFabric fabric = map.fabric();
        PartCosts inOrder = costs;
        return new BuiltMap(
                map,
                version,
                () -> fabric == null ? null : renewed(kept, fabric.name()),
                () -> impaired(kept),
                () -> frame == null || inOrder == null
                        ? Placement.UNKNOWN
                        : Placements.of(frame.fabric(), inOrder, nvlink, frame.channels(job)));
    }

    /**
     * What all maps of an attempt have in common.
     *
     * @param front the pod of mpirun, {@code null} for none
     * @param pods that have ranks, in their order
     * @param ranks of each of them
     * @param held the same pods as another server's map has them; empty where this one made it of their reports
     */
    private record Kept(
            DirectJob job,
            int attempt,
            byte[] key,
            @Nullable JoinedPod front,
            List<JoinedPod> pods,
            int[] ranks,
            List<JobPod> held) {}

    /**
     * A map that another server has made, as a pod of the job tells it. What its devices are is looked up on the nodes of their pods; the rest is
     * as the pod tells it, and goes back to that pod alone. The placement is not worked out.
     *
     * @param map with a fabric, its ranks those of the job
     * @param pods those of the map, in its order
     */
    public BuiltMap held(DirectJob job, JobMap map, List<JobPodId> pods) {
        List<JoinedPod> joined = new ArrayList<>(pods.size());
        for (int i = 0; i < pods.size(); i++) {
            joined.add(new JoinedPod(pods.get(i), reported(map.pods().get(i))));
        }
        // The pod of mpirun.
        int front = job.isRunByMpirun() ? 1 : 0;
        List<JobPod> held = map.pods().subList(front, pods.size());
        Kept kept = new Kept(
                job,
                map.attempt(),
                map.key(),
                front == 0 ? null : joined.getFirst(),
                joined.subList(front, pods.size()),
                held.stream().mapToInt(JobPod::rankCount).toArray(),
                held);
        String fabric = Objects.requireNonNull(map.fabric()).name();
        // Nobody has told this server what they read, but the one that asks. Pods of one attempt are of one release but
        // where the operator was
        // upgraded while they were made.
        return new BuiltMap(
                map,
                JobMapCodec.HIGHEST_VERSION,
                () -> renewed(kept, fabric),
                () -> impaired(kept),
                () -> Placement.UNKNOWN);
    }

    /** What a pod has reported, as far as the map tells that. */
    private static PodReport reported(JobPod pod) {
        return new PodReport(
                new byte[0],
                -1,
                pod.address(),
                pod.port(),
                pod.rankCount(),
                pod.cpuset(),
                "",
                pod.devices().stream().map(device -> reported(pod, device)).toList());
    }

    /** The pod's own interface is the one that is reached at the pod's address. */
    private static PodReport.OpenDevice reported(JobPod pod, JobDevice device) {
        EndpointTemplate endpoint = device.endpoint();
        String mac = device.deviceId().startsWith(JobDevices.MAC_ID)
                ? device.deviceId().substring(JobDevices.MAC_ID.length())
                : null;
        boolean own = mac != null && endpoint != null && Arrays.equals(endpoint.address(), pod.address());
        // Devices are found by their ids; of the GUID only this is asked, whether there is one.
        String guid = device.typeBits() == DeviceTypeBits.PMIX_DEVTYPE_OPENFABRICS ? device.deviceId() : null;
        return new PodReport.OpenDevice(device.osName(), guid, mac, null, own, endpoint);
    }

    private @Nullable JobMap renewed(Kept kept, String fabricName) {
        NodeDevices devices = devices(kept.pods());
        List<Found> found = found(devices, kept.pods(), kept.held());
        List<JobFrame> frames =
                JobFrame.all(known, fabricName, published(found), kept.job().fabrics());
        return frames.isEmpty() ? null : map(kept, devices, frames, found);
    }

    private List<ImpairedRanks> impaired(Kept kept) {
        List<Found> found = found(devices(kept.pods()), kept.pods(), kept.held());
        List<ImpairedLinks.Ranks> ranks = new ArrayList<>();
        int rank = 0;
        for (int i = 0; i < found.size(); i++) {
            int next = rank + kept.ranks()[i];
            if (next > rank) {
                ranks.add(new ImpairedLinks.Ranks(rank, next - 1, found.get(i).published()));
            }
            rank = next;
        }
        return new ImpairedLinks(known, ranks)
                .of(JobFrame.all(known, published(found), kept.job().fabrics()));
    }

    private JobMap map(Kept kept, NodeDevices devices, List<JobFrame> frames, List<Found> ordered) {
        DirectJob job = kept.job();
        JoinedPod front = kept.front();
        Map<String, List<ServedDevice>> ofPod = new LinkedHashMap<>();
        ordered.forEach(one -> ofPod.put(one.joined().pod().name(), one.published()));
        List<JobPod> placed = new ArrayList<>(ordered.size() + 1);
        if (front != null) {
            placed.add(front(front, devices.hostname(front.pod().nodeName())));
        }
        addPods(placed, job, devices, frames, ordered, kept.ranks());
        List<JobFabric> fabrics = new ArrayList<>(frames.size());
        long room = JobFrame.MOST_COSTS;
        for (JobFrame frame : frames) {
            boolean withCosts = frame.numberOfCosts() <= room;
            room -= withCosts ? frame.numberOfCosts() : 0;
            fabrics.add(frame.describe(job, ofPod, withCosts));
        }
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
                fabrics.isEmpty() ? null : fabrics.getFirst(),
                fabrics.isEmpty() ? List.of() : fabrics.subList(1, fabrics.size()));
    }

    private NodeDevices devices(List<JoinedPod> pods) {
        Set<String> nodes = new HashSet<>();
        pods.forEach(joined -> nodes.add(joined.pod().nodeName()));
        return new NodeDevices(known, nodes);
    }

    /** @param held as in {@link Kept} */
    private static List<Found> found(NodeDevices devices, List<JoinedPod> pods, List<JobPod> held) {
        List<Found> found = new ArrayList<>(pods.size());
        for (int i = 0; i < pods.size(); i++) {
            String node = pods.get(i).pod().nodeName();
            List<PodReport.OpenDevice> open = pods.get(i).report().devices();
            JobPod other = held.isEmpty() ? null : held.get(i);
            found.add(new Found(
                    pods.get(i),
                    other,
                    other == null ? devices.behind(node, open) : devices.behind(node, other.devices(), open)));
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

    /** 1 where pods have different numbers of ranks, so that no group is of whole pods. */
    private static int podsOfAGroup(DirectJob job, List<Found> pods) {
        int[] ranks = reported(pods);
        boolean isUniform = IntStream.of(ranks).distinct().count() == 1 && ranks[0] > 0;
        return isUniform && job.groupSize() % ranks[0] == 0 ? job.groupSize() / ranks[0] : 1;
    }

    private static int slots(List<Found> workers) {
        return workers.getFirst().joined().report().ranks();
    }

    private static JobPod front(JoinedPod joined, String host) {
        PodReport report = joined.report();
        return new JobPod(
                joined.pod().name(), host, 0, 0, 0, report.address(), report.port(), report.cpuset(), List.of());
    }

    private void addPods(
            List<JobPod> pods,
            DirectJob job,
            NodeDevices devices,
            List<JobFrame> frames,
            List<Found> ordered,
            int[] ranks) {
        JobTraffic traffic = known.jobTraffic();
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
                    devices(one, host, frames, traffic, job.fabrics())));
            rank += ranks[i];
        }
    }

    /** Nearest first. */
    private static List<JobDevice> devices(
            Found one, String host, List<JobFrame> frames, JobTraffic traffic, List<String> named) {
        PodReport report = one.joined().report();
        List<JobDevice> devices = new ArrayList<>(report.devices().size());
        for (int i = 0; i < report.devices().size(); i++) {
            ServedDevice behind = one.behind().get(i);
            int fabric = frames.size() - 1;
            while (fabric >= 0 && frames.get(fabric).number(behind) < 0) {
                fabric--;
            }
            PodReport.OpenDevice open = report.devices().get(i);
            devices.add(JobDevices.of(
                    open,
                    behind,
                    host,
                    fabric,
                    fabric < 0 ? -1 : frames.get(fabric).number(behind),
                    fabric < 0 ? null : frames.get(fabric).place(behind),
                    distance(one, i, behind),
                    // Of one that nobody has published nothing is known but that the pod can open it.
                    behind == null || open.own() || traffic.isOn(behind) && isIn(behind, named)));
        }
        devices.sort(Comparator.comparingInt(JobDevice::minimumDistance)
                .thenComparingInt(device -> device.fabric() < 0 ? Integer.MAX_VALUE : device.fabric())
                .thenComparingInt(JobDevice::index)
                .thenComparing(JobDevice::osName));
        return devices;
    }

    private static boolean isIn(ServedDevice device, List<String> named) {
        String fabric = device.status() == null ? null : device.status().fabric();
        return fabric == null ? named.isEmpty() : JobFrame.isWanted(fabric, named);
    }

    /** Where another server has worked it out, the CPUs of the pod are not known here. */
    private static CpuDistance distance(Found one, int device, @Nullable ServedDevice behind) {
        JobPod held = one.held();
        if (held == null) {
            return CpuDistance.of(
                    behind == null ? List.of() : behind.distances(),
                    one.joined().report().numaNodes());
        }
        JobDevice known = held.devices().get(device);
        return new CpuDistance(known.minimumDistance(), known.maximumDistance());
    }
}
