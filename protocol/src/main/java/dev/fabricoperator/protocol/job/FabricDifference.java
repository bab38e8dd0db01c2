/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is another in a generation of a job's fabric than in an earlier one.
 *
 * @param index PMIX_FABRIC_INDEX
 * @param planes in which a device has another place, state, or cost to another device; in the order of the fabric. All planes where costs are not in
 *     the map, since they may have changed
 * @param coordinatesChanged whether a device that was there before stands elsewhere
 * @param routesChanged whether packets between the job's devices take another way than before; {@code false} where that was not known, or is not any more
 * @param endpointsChanged whether a rank is reached in another way through some device
 */
public record FabricDifference(
        int index, List<String> planes, boolean coordinatesChanged, boolean routesChanged, boolean endpointsChanged) {
    public FabricDifference {
        planes = List.copyOf(planes);
    }

    /** Whether two maps are of one attempt of one job, with the same ranks in the same pods. */
    public static boolean isOfOneJob(JobMap one, JobMap other) {
        if (one.attempt() != other.attempt()
                || !Arrays.equals(one.key(), other.key())
                || one.pods().size() != other.pods().size()) {
            return false;
        }
        for (int pod = 0; pod < one.pods().size(); pod++) {
            JobPod mine = one.pods().get(pod);
            JobPod theirs = other.pods().get(pod);
            if (!mine.name().equals(theirs.name())
                    || mine.firstRank() != theirs.firstRank()
                    || mine.rankCount() != theirs.rankCount()) {
                return false;
            }
        }
        return true;
    }

    /** Whether nothing but the number of the generation is another. O(map). */
    public static boolean isOnlyGeneration(JobMap before, JobMap after) {
        return Arrays.equals(withoutGeneration(before), withoutGeneration(after));
    }

    /** Whether a change has something that ranks are told of: more than the number of the generation, and than that routes have become known. */
    public boolean isNews() {
        return coordinatesChanged || routesChanged || !planes.isEmpty();
    }

    /** Whether there is no news but the number of the generation, and that packets take a way that nobody knew before. O(map). */
    public static boolean atMostLearnsRoutes(JobMap before, JobMap after) {
        List<JobFabric> old = before.fabrics();
        List<JobFabric> now = after.fabrics();
        for (int i = 0; i < old.size() && i < now.size(); i++) {
            String routes = old.get(i).routes();
            if (routes != null && !routes.equals(now.get(i).routes())) {
                return false;
            }
        }
        return Arrays.equals(withoutRoutes(before), withoutRoutes(after));
    }

    private static byte[] withoutRoutes(JobMap map) {
        return new JobMapWriter(true, false, false).payload(inNoGeneration(map));
    }

    /** What the map says, byte by byte: the same gives the same. */
    private static byte[] withoutGeneration(JobMap map) {
        return new JobMapWriter(false, true, false).payload(inNoGeneration(map));
    }

    private static JobMap inNoGeneration(JobMap map) {
        return new JobMap(
                map.nspace(),
                map.attempt(),
                map.key(),
                map.apps(),
                map.pods(),
                withoutGeneration(Objects.requireNonNull(map.fabric())),
                map.otherFabrics().stream()
                        .map(FabricDifference::withoutGeneration)
                        .toList());
    }

    private static JobFabric withoutGeneration(JobFabric fabric) {
        return new JobFabric(
                fabric.name(),
                fabric.vendor(),
                fabric.identifier(),
                fabric.index(),
                0,
                fabric.planes(),
                fabric.switches(),
                fabric.groups(),
                fabric.devices(),
                fabric.costs(),
                fabric.environment(),
                fabric.routes(),
                fabric.levels(),
                fabric.kind());
    }

    /**
     * The same of the job's default fabric, then of each other one of which something is another, or which the job had no part in, or has none any more.
     *
     * @param before and {@code after} with a fabric, of one job
     */
    public static List<FabricDifference> all(JobMap before, JobMap after) {
        List<FabricDifference> all = new ArrayList<>();
        all.add(of(before, after));
        List<JobFabric> left = new ArrayList<>(before.otherFabrics());
        for (JobFabric fabric : after.otherFabrics()) {
            JobFabric old = left.stream()
                    .filter(other -> other.index() == fabric.index())
                    .findFirst()
                    .orElse(null);
            if (old == null) {
                all.add(whole(fabric));
                continue;
            }
            left.remove(old);
            FabricDifference difference = of(before, old, after, fabric);
            if (difference.isNews()) {
                all.add(difference);
            }
        }
        left.forEach(gone -> all.add(whole(gone)));
        return all;
    }

    private static FabricDifference whole(JobFabric fabric) {
        return new FabricDifference(
                fabric.index(),
                fabric.planes().stream().map(JobFabric.Plane::id).toList(),
                true,
                false,
                false);
    }

    /**
     * Of the job's default fabric. O(devices), and O(devices squared) where there are costs.
     *
     * @param before and {@code after} with a fabric, of one job
     */
    public static FabricDifference of(JobMap before, JobMap after) {
        return of(before, Objects.requireNonNull(before.fabric()), after, Objects.requireNonNull(after.fabric()));
    }

    private static FabricDifference of(JobMap before, JobFabric old, JobMap after, JobFabric fabric) {
        int oldPosition = before.fabrics().indexOf(old);
        int position = after.fabrics().indexOf(fabric);
        Set<@Nullable String> planes = new HashSet<>();
        boolean coordinates = false;
        boolean endpoints = false;
        // By the devices that are there: the map may say that there are 2^31.
        Map<Integer, @Nullable String> planeOf = new HashMap<>();
        for (int pod = 0; pod < after.pods().size(); pod++) {
            Map<String, JobDevice> earlier = new HashMap<>();
            for (JobDevice device : before.pods().get(pod).devices()) {
                earlier.put(device.deviceId() + '/' + device.osName(), device);
            }
            for (JobDevice device : after.pods().get(pod).devices()) {
                JobDevice was = earlier.remove(device.deviceId() + '/' + device.osName());
                if (was != null) {
                    endpoints |= !isSame(was.endpoint(), device.endpoint());
                }
                boolean isHere = device.fabric() == position;
                boolean wasHere = was != null && was.fabric() == oldPosition;
                if (!isHere && !wasHere) {
                    continue;
                }
                if (isHere) {
                    planeOf.put(device.index(), device.plane());
                }
                if (was == null) {
                    planes.add(device.plane());
                    continue;
                }
                boolean moved = !Arrays.equals(was.logical(), device.logical())
                        || !Arrays.equals(was.physical(), device.physical());
                coordinates |= moved;
                if (moved || isHere != wasHere || !isDescribedAlike(was, device)) {
                    planes.add(was.plane());
                    planes.add(device.plane());
                }
            }
            for (JobDevice gone : earlier.values()) {
                if (gone.fabric() == oldPosition) {
                    planes.add(gone.plane());
                }
            }
        }
        addPlanesOfCosts(old, fabric, planeOf, planes);
        return new FabricDifference(
                fabric.index(),
                fabric.planes().stream()
                        .map(JobFabric.Plane::id)
                        .filter(planes::contains)
                        .toList(),
                coordinates,
                old.routes() != null && fabric.routes() != null && !old.routes().equals(fabric.routes()),
                endpoints);
    }

    private static boolean isDescribedAlike(JobDevice one, JobDevice other) {
        return one.index() == other.index()
                && Objects.equals(one.plane(), other.plane())
                && Objects.equals(one.switchId(), other.switchId())
                && one.attributes().equals(other.attributes());
    }

    private static boolean isSame(@Nullable EndpointTemplate one, @Nullable EndpointTemplate other) {
        if (one == null || other == null) {
            return one == other;
        }
        return one.format() == other.format()
                && Arrays.equals(one.address(), other.address())
                && one.firstPort() == other.firstPort()
                && one.lid() == other.lid();
    }

    private static void addPlanesOfCosts(
            JobFabric old, JobFabric fabric, Map<Integer, @Nullable String> planeOf, Set<@Nullable String> planes) {
        short[] before = old.costs();
        short[] after = fabric.costs();
        if (before == null || after == null || before.length != after.length) {
            fabric.planes().forEach(plane -> planes.add(plane.id()));
            return;
        }
        int devices = fabric.devices();
        for (int row = 0; row < devices; row++) {
            int from = row * devices;
            if (!Arrays.equals(before, from, from + devices, after, from, from + devices)) {
                planes.add(planeOf.get(row));
            }
        }
    }
}
