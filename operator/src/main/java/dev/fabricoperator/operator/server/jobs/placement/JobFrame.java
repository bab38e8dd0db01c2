/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.placement;

import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.HostPreparation;
import dev.fabricoperator.crds.ShapeStatus;
import dev.fabricoperator.crds.ViewName;
import dev.fabricoperator.fabric.job.PartCosts;
import dev.fabricoperator.fabric.query.FabricQuery;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.pmix.job.JobFabric;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
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
    private static final int MOST_DEVICES_WITH_COSTS = 512;

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
     * The fabric that most of the devices are in, of equals the one with the lowest index; {@code null} where none is in a
     * fabric that is served.
     */
    static @Nullable JobFrame of(KnownFabrics known, Collection<ServedDevice> devices) {
        Map<String, Integer> counts = new TreeMap<>();
        for (ServedDevice device : devices) {
            String name = device.status() == null ? null : device.status().fabric();
            if (name != null) {
                counts.merge(name, 1, Integer::sum);
            }
        }
        ServedFabric best = null;
        for (String name : counts.keySet()) {
            ServedFabric candidate = known.fabric(name);
            if (candidate != null && (best == null || isBetter(candidate, best, counts))) {
                best = candidate;
            }
        }
        return best == null ? null : in(best, devices);
    }

    /** Those of the devices that are in this fabric, {@code null} for none. */
    static @Nullable JobFrame in(ServedFabric best, Collection<ServedDevice> devices) {
        SortedSet<Integer> slots = new TreeSet<>();
        for (ServedDevice device : devices) {
            Integer slot = slot(best, device);
            if (slot != null) {
                slots.add(slot);
            }
        }
        return slots.isEmpty() ? null : new JobFrame(best, slots);
    }

    private static boolean isBetter(ServedFabric one, ServedFabric other, Map<String, Integer> counts) {
        int more = counts.getOrDefault(one.name(), 0) - counts.getOrDefault(other.name(), 0);
        return more > 0 || more == 0 && one.index() < other.index();
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
     */
    PartCosts costs(List<String> nodes, List<List<ServedDevice>> devices) {
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
        return new PartCosts(fabric.cost(), hosts, slotsOfPods);
    }

    /** Number in the job's frame, -1 for a device that is not in it. */
    int number(@Nullable ServedDevice device) {
        Integer slot = device == null ? null : slot(fabric, device);
        return slot == null ? -1 : numberOfSlot.getOrDefault(slot, -1);
    }

    /** Where the generation that is served has the device, {@code null} for one that is not in the frame. */
    @Nullable
    FabricDeviceStatus place(@Nullable ServedDevice device) {
        Integer slot = device == null ? null : slot(fabric, device);
        return slot == null ? null : fabric.mapper().device(slot).build();
    }

    /** @param devicesOfPod by the pod's name, in the order of the pods */
    @SuppressWarnings("NullAway") // a class file does not say that an array component of a record may be null
    JobFabric describe(Map<String, List<ServedDevice>> devicesOfPod) {
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
        short[] costs = slots.length > MOST_DEVICES_WITH_COSTS ? null : costs();
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
                environment());
    }

    private Map<String, String> environment() {
        HostPreparation preparation = fabric.facts().spec().hostPreparation();
        Map<String, String> variables = new LinkedHashMap<>();
        if (preparation != null) {
            preparation.env().forEach(each -> variables.put(each.name(), each.value()));
        }
        return variables;
    }

    private List<JobFabric.Plane> planes() {
        return fabric.mapper().fabric(fabric.generation()).build().shapes().stream()
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
