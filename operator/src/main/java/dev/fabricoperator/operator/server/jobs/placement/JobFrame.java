/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.placement;

import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.HostPreparation;
import dev.fabricoperator.crds.JobChannel;
import dev.fabricoperator.crds.LevelSpec;
import dev.fabricoperator.crds.ShapeStatus;
import dev.fabricoperator.crds.ViewName;
import dev.fabricoperator.fabric.cost.NvlinkUnit;
import dev.fabricoperator.fabric.job.PartCosts;
import dev.fabricoperator.fabric.query.FabricQuery;
import dev.fabricoperator.fabric.route.Routes;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.JobLevels;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobMap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The job's devices in one fabric, numbered in the order of their slots. */
final class JobFrame {
    /** In the matrices of all fabrics of a job together: 512 devices in one. */
    static final int MOST_COSTS = 512 * 512;

    private final ServedFabric fabric;
    private final int[] slots;
    private final Map<Integer, Integer> numberOfSlot = new HashMap<>();

    private JobFrame(ServedFabric fabric, SortedSet<Integer> slots) {
        this.fabric = fabric;
        this.slots = slots.stream().mapToInt(Integer::intValue).toArray();
        for (int i = 0; i < this.slots.length; i++) {
            numberOfSlot.put(this.slots[i], i);
        }
    }

    /**
     * One for each fabric that is served and that some of the devices are in, at most {@value JobMap#MOST_FABRICS}: of those that the job names, in their order, where it names some. Else the default one is the first: a network before what NVLink joins, one for computing
     * before others, of these that of the highest priority, of equals the one that most of the devices are in, of these the one with the lowest index. The others follow in the order of their indexes.
     */
    static List<JobFrame> all(KnownFabrics known, Collection<ServedDevice> devices, List<String> named) {
        Map<String, Integer> counts = new TreeMap<>();
        for (ServedDevice device : devices) {
            String name = device.status() == null ? null : device.status().fabric();
            if (name != null) {
                counts.merge(name, 1, Integer::sum);
            }
        }
        List<ServedFabric> fabrics = new ArrayList<>();
        for (String name : counts.keySet()) {
            ServedFabric fabric = known.fabric(name);
            if (fabric != null && isWanted(name, named)) {
                fabrics.add(fabric);
            }
        }
        fabrics.sort(inOrderOf(named)
                .thenComparing(ServedFabric::isNvlink)
                .thenComparing(Comparator.comparing(
                                (ServedFabric fabric) -> fabric.facts().isForCompute())
                        .thenComparingInt(fabric -> fabric.facts().priority())
                        .thenComparing(fabric -> counts.getOrDefault(fabric.name(), 0))
                        .reversed()
                        .thenComparingInt(ServedFabric::index)));
        // The generation of one that is served may not have the device yet.
        return fabrics.stream()
                .map(first -> all(first, fabrics, devices, named))
                .filter(frames -> !frames.isEmpty())
                .findFirst()
                .orElse(List.of());
    }

    /** The same with the default fabric that a job has had from its start; none where none of the devices is in that. */
    static List<JobFrame> all(
            KnownFabrics known, String defaultFabric, Collection<ServedDevice> devices, List<String> named) {
        ServedFabric first = known.fabric(defaultFabric);
        List<ServedFabric> fabrics = devices.stream()
                .map(device -> device.status() == null ? null : device.status().fabric())
                .filter(Objects::nonNull)
                .distinct()
                .filter(name -> isWanted(name, named))
                .map(known::fabric)
                .filter(Objects::nonNull)
                .toList();
        return first == null ? List.of() : all(first, fabrics, devices, named);
    }

    private static List<JobFrame> all(
            ServedFabric first, List<ServedFabric> fabrics, Collection<ServedDevice> devices, List<String> named) {
        List<JobFrame> frames = new ArrayList<>();
        JobFrame frame = in(first, devices);
        if (frame == null) {
            return frames;
        }
        frames.add(frame);
        fabrics.stream()
                .filter(fabric -> !fabric.name().equals(first.name()))
                .sorted(inOrderOf(named).thenComparingInt(ServedFabric::index))
                .map(fabric -> in(fabric, devices))
                .filter(Objects::nonNull)
                .limit(JobMap.MOST_FABRICS - 1L)
                .forEach(frames::add);
        return frames;
    }

    /** Whether a job that names these Fabrics is to use that one: one that names none uses what there is. */
    static boolean isWanted(String fabric, List<String> named) {
        return named.isEmpty() || named.contains(fabric);
    }

    private static Comparator<ServedFabric> inOrderOf(List<String> named) {
        return Comparator.comparingInt(fabric -> named.indexOf(fabric.name()));
    }

    /** Those of the devices that are in this fabric, {@code null} for none. */
    private static @Nullable JobFrame in(ServedFabric best, Collection<ServedDevice> devices) {
        SortedSet<Integer> slots = new TreeSet<>();
        for (ServedDevice device : devices) {
            Integer slot = slot(best, device);
            if (slot != null) {
                slots.add(slot);
            }
        }
        return slots.isEmpty() ? null : new JobFrame(best, slots);
    }

    ServedFabric fabric() {
        return fabric;
    }

    /** The device's slot in the fabric, {@code null} where it is in another or in none. */
    static @Nullable Integer slot(ServedFabric fabric, ServedDevice device) {
        Integer slot = fabric.directory().named(device.name());
        return slot != null && fabric.model().isUsed(slot) ? slot : null;
    }

    /**
     * What messages between pods cost.
     *
     * @param nodes of each pod
     * @param devices of each pod, as far as they are published
     * @param nvlink the fabric of the nodes' accelerators; {@code null} for none
     */
    PartCosts costs(List<String> nodes, List<List<ServedDevice>> devices, @Nullable ServedFabric nvlink) {
        Map<String, Integer> numbers = new HashMap<>();
        int[] hosts = new int[nodes.size()];
        List<int[]> slotsOfPods = new ArrayList<>(hosts.length);
        for (int i = 0; i < hosts.length; i++) {
            hosts[i] = Objects.requireNonNull(numbers.computeIfAbsent(nodes.get(i), node -> numbers.size()));
            slotsOfPods.add(devices.get(i).stream()
                    .map(device -> slot(fabric, device))
                    .filter(Objects::nonNull)
                    .mapToInt(Integer::intValue)
                    .toArray());
        }
        return orByNvlink(new PartCosts(fabric.cost(), hosts, slotsOfPods), fabric, nodes, nvlink);
    }

    /**
     * With what accelerators of the nodes can tell each other. A pod is taken to use those of its node.
     *
     * @param nodes of each part
     */
    static PartCosts orByNvlink(
            PartCosts costs, ServedFabric network, List<String> nodes, @Nullable ServedFabric nvlink) {
        return nvlink == null || nvlink == network
                ? costs
                : costs.orByNvlink(
                        nvlink.cost(),
                        nodes.stream()
                                .map(node -> nvlink.directory().ofNode(node).stream()
                                        .mapToInt(Map.Entry::getKey)
                                        .filter(nvlink.model()::isUsed)
                                        .toArray())
                                .toList(),
                        NvlinkUnit.of(
                                network.model().linkCosts(), nvlink.model().linkCosts()));
    }

    /** Number in the job's frame, -1 for a device that is not in it. */
    int number(@Nullable ServedDevice device) {
        Integer slot = device == null ? null : slot(fabric, device);
        return slot == null ? -1 : numberOfSlot.getOrDefault(slot, -1);
    }

    /** Where the generation that is served has the device in the whole of the fabric, {@code null} for one that is not in the frame. */
    @Nullable
    FabricDeviceStatus place(@Nullable ServedDevice device) {
        Integer slot = device == null ? null : slot(fabric, device);
        return slot == null ? null : fabric.mapper().deviceInFabric(slot).build();
    }

    /** Of a matrix of the frame's devices. */
    long numberOfCosts() {
        return (long) slots.length * slots.length;
    }

    /**
     * @param devicesOfPod by the pod's name, in the order of the pods
     * @param withCosts whether the map has room for them
     */
    @SuppressWarnings("NullAway") // a class file does not say that an array component of a record may be null
    JobFabric describe(DirectJob job, Map<String, List<ServedDevice>> devicesOfPod, boolean withCosts) {
        SortedSet<String> switches = new TreeSet<>();
        SortedMap<Integer, List<String>> groups = new TreeMap<>();
        devicesOfPod.forEach((pod, devices) -> {
            SortedSet<Integer> groupsOfPod = new TreeSet<>();
            for (ServedDevice device : devices) {
                Integer slot = slot(fabric, device);
                var place = slot == null ? null : fabric.model().device(slot);
                if (place != null && place.switchId() != null) {
                    switches.add(place.switchId());
                }
                if (place != null && place.group() != null) {
                    groupsOfPod.add(place.group());
                }
            }
            if (!groupsOfPod.isEmpty()) {
                // A node is in exactly one.
                groups.computeIfAbsent(groupsOfPod.first(), group -> new ArrayList<>())
                        .add(pod);
            }
        });
        FabricStatus status = fabric.facts().status();
        String vendor = status == null ? null : status.vendor();
        String identifier = status == null ? null : status.identifier();
        short[] costs = withCosts ? costs() : null;
        return new JobFabric(
                fabric.name(),
                vendor,
                Objects.requireNonNullElse(identifier, fabric.name()),
                fabric.index(),
                fabric.generation(),
                planes(),
                List.copyOf(switches),
                FabricQuery.string(groups),
                slots.length,
                costs,
                environment(job),
                routes(),
                levels(job),
                fabric.model().kind().name());
    }

    private JobFabric.Levels levels(DirectJob job) {
        return new JobFabric.Levels(
                JobLevels.offered(fabric.facts(), job.namespace()).stream()
                        .map(LevelSpec::name)
                        .toList(),
                channels(job).stream()
                        .filter(channel -> channel.reason() == null)
                        .map(channel -> new JobFabric.Channel(channel.name().name(), channel.level()))
                        .toList());
    }

    private @Nullable String routes() {
        Routes routes = fabric.query().routes();
        Long digest = routes == null ? null : routes.digest(slots);
        return digest == null ? null : HexFormat.of().toHexDigits(digest);
    }

    /** Of channels that ask for a level, and of those that have the default one. */
    List<JobChannel> channels(DirectJob job) {
        return JobLevels.channels(fabric.facts(), job.levels(), job.namespace());
    }

    private Map<String, String> environment(DirectJob job) {
        HostPreparation preparation = fabric.facts().spec().hostPreparation();
        Map<String, String> variables = new LinkedHashMap<>();
        if (preparation != null) {
            preparation.acceptedEnv().forEach(each -> variables.put(each.name(), each.value()));
        }
        // What the job asks for goes before what every job gets.
        variables.putAll(JobLevels.variables(channels(job)));
        return variables;
    }

    private List<JobFabric.Plane> planes() {
        return fabric.mapper().shapesInFabric().stream()
                .filter(shape -> shape.view() == ViewName.logical)
                .map(JobFrame::plane)
                .toList();
    }

    private static JobFabric.Plane plane(ShapeStatus shape) {
        return new JobFabric.Plane(
                shape.plane(),
                shape.dims(),
                shape.sizes().stream().mapToInt(Integer::intValue).toArray(),
                shape.string());
    }

    private short[] costs() {
        short[] costs = new short[slots.length * slots.length];
        fabric.cost().block(slots, slots, costs);
        return costs;
    }
}
