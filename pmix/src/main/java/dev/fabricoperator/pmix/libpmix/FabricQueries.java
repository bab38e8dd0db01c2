/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static dev.fabricoperator.protocol.pmix.PmixKeys.*;

import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import dev.fabricoperator.protocol.pmix.PmixType;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Answers about one of the job's fabrics, the first of those that the qualifiers mean, and the default one is the first: a value for a plane, a switch, a
 * node or a device where the qualifiers name one, as the chapter says. What is not there is PMIX_ERR_NOT_FOUND, an index beyond the devices
 * PMIX_ERR_BAD_PARAM.
 *
 * @see "PMIx Standard, chapter Fabric Support"
 */
final class FabricQueries {
    private static final int SUCCESS = PmixStatus.PMIX_SUCCESS;
    private static final int NOT_FOUND = PmixStatus.PMIX_ERR_NOT_FOUND;

    private final JobMap map;
    private final int pod;
    private final NativeBlock block;
    private final FabricInfos infos;
    /** {@code null} where none is meant. */
    private final @Nullable JobFabric fabric;
    /** Of the fabric among those of the job, or -1. */
    private final int position;

    /**
     * @param pod that a question without a node means
     * @param qualifiers that choose the fabric
     */
    FabricQueries(JobMap map, int pod, NativeBlock block, Qualifiers qualifiers) {
        this.map = map;
        this.pod = pod;
        this.block = block;
        List<JobFabric> fabrics = map.fabrics();
        this.infos = new FabricInfos(block, fabrics);
        int found = 0;
        while (found < fabrics.size() && !isMeant(fabrics.get(found), qualifiers)) {
            found++;
        }
        this.fabric = found < fabrics.size() ? fabrics.get(found) : null;
        this.position = fabric == null ? -1 : found;
    }

    /** Everything that is said of the fabric as a whole. */
    int all(InfoArray results) {
        if (fabric == null) {
            return NOT_FOUND;
        }
        infos.addJob(results, fabric);
        return SUCCESS;
    }

    private boolean isHere(JobDevice device) {
        return position >= 0 && device.fabric() == position && device.index() >= 0;
    }

    private static boolean namesFabric(Qualifiers qualifiers) {
        return qualifiers.fabricIndex() != null
                || qualifiers.fabricIdentifier() != null
                || qualifiers.fabricVendor() != null;
    }

    private static boolean isMeant(JobFabric fabric, Qualifiers qualifiers) {
        Long index = qualifiers.fabricIndex();
        return (index == null || index == fabric.index())
                && (qualifiers.fabricIdentifier() == null
                        || qualifiers.fabricIdentifier().equals(fabric.identifier()))
                && (qualifiers.fabricVendor() == null
                        || qualifiers.fabricVendor().equals(FabricInfos.vendor(fabric)))
                && (qualifiers.plane() == null || planeOf(fabric, qualifiers.plane()) != null)
                && (qualifiers.switchId() == null || fabric.switches().contains(qualifiers.switchId()));
    }

    private static JobFabric.@Nullable Plane planeOf(JobFabric fabric, String id) {
        for (JobFabric.Plane plane : fabric.planes()) {
            if (plane.id().equals(id)) {
                return plane;
            }
        }
        return null;
    }

    /** Adds at most one value. */
    int answer(String key, Qualifiers qualifiers, InfoArray results) {
        return switch (key) {
            case PMIX_FABRIC_DEVICE -> device(qualifiers, results);
            case PMIX_DEVICE_ID -> deviceId(qualifiers, results);
            case PMIX_FABRIC_DEVICES -> devices(qualifiers, results);
            case PMIX_FABRIC_COORDINATES -> coordinates(qualifiers, results);
            case PMIX_DEVICE_DISTANCES -> distances(qualifiers, results);
            case PMIX_FABRIC_VENDOR,
                    PMIX_FABRIC_IDENTIFIER,
                    PMIX_FABRIC_INDEX,
                    PMIX_FABRIC_GROUPS,
                    PMIX_FABRIC_COST_MATRIX -> ofWhole(key, results);
            case PMIX_ALLOC_FABRIC, PMIX_ALLOC_FABRIC_QOS -> levels(key, results);
            case PMIX_FABRIC_NUM_DEVICES -> count(qualifiers, results);
            case PMIX_FABRIC_PLANE, PMIX_FABRIC_SWITCH -> parts(key, qualifiers, results);
            case PMIX_FABRIC_DIMS, PMIX_FABRIC_SHAPE, PMIX_FABRIC_SHAPE_STRING -> shape(key, qualifiers, results);
            default -> isAttribute(key) ? attribute(key, qualifiers, results) : PmixStatus.PMIX_ERR_NOT_SUPPORTED;
        };
    }

    /** One of the values that {@link #all} gives. */
    private int ofWhole(String key, InfoArray results) {
        InfoArray all = block.infos(FabricInfos.JOB_VALUES);
        return all(all) == SUCCESS && results.copyOf(key, all) ? SUCCESS : NOT_FOUND;
    }

    private int levels(String key, InfoArray results) {
        InfoArray all = block.infos(FabricInfos.LEVEL_VALUES);
        if (fabric != null) {
            infos.addLevels(all, fabric.levels());
        }
        return results.copyOf(key, all) ? SUCCESS : NOT_FOUND;
    }

    private int count(Qualifiers qualifiers, InfoArray results) {
        if (fabric == null) {
            return NOT_FOUND;
        }
        if (qualifiers.plane() == null
                && qualifiers.switchId() == null
                && qualifiers.deviceTypes() == null
                && !qualifiers.nameNode()) {
            return ofWhole(PMIX_FABRIC_NUM_DEVICES, results);
        }
        List<JobPod> pods = qualifiers.nameNode() ? node(qualifiers) : map.pods();
        Set<Integer> indexes = new LinkedHashSet<>();
        for (JobPod each : pods) {
            for (JobDevice device : each.devices()) {
                if (isHere(device) && isIn(device, qualifiers)) {
                    indexes.add(device.index());
                }
            }
        }
        if (pods.isEmpty()) {
            return NOT_FOUND;
        }
        results.size(PMIX_FABRIC_NUM_DEVICES, indexes.size());
        return SUCCESS;
    }

    /** Planes and switches: all, those of a plane, or that of a device. */
    private int parts(String key, Qualifiers qualifiers, InfoArray results) {
        boolean planes = key.equals(PMIX_FABRIC_PLANE);
        if (qualifiers.nameDevice()) {
            Found found = find(qualifiers);
            JobDevice device = found.device();
            String id = device == null ? null : planes ? device.plane() : device.switchId();
            if (id != null) {
                results.string(key, id);
            }
            return id != null ? SUCCESS : found.status() == SUCCESS ? NOT_FOUND : found.status();
        }
        if (fabric == null) {
            return NOT_FOUND;
        }
        if (planes || qualifiers.plane() == null) {
            return ofWhole(key, results);
        }
        Set<String> switches = new LinkedHashSet<>();
        for (JobPod each : map.pods()) {
            for (JobDevice device : each.devices()) {
                if (device.switchId() != null && isHere(device) && isIn(device, qualifiers)) {
                    switches.add(device.switchId());
                }
            }
        }
        List<String> sorted = switches.stream().sorted().toList();
        if (!sorted.isEmpty()) {
            results.array(key, PmixType.STRING, sorted.size(), block.strings(sorted));
        }
        return sorted.isEmpty() ? NOT_FOUND : SUCCESS;
    }

    private int shape(String key, Qualifiers qualifiers, InfoArray results) {
        if (fabric == null) {
            return NOT_FOUND;
        }
        JobFabric.Plane plane = qualifiers.plane() == null ? null : planeOf(fabric, qualifiers.plane());
        if (plane == null) {
            return ofWhole(key, results);
        }
        switch (key) {
            case PMIX_FABRIC_DIMS -> results.uint32(key, plane.dims());
            case PMIX_FABRIC_SHAPE ->
                results.array(key, PmixType.UINT32, plane.sizes().length, block.uint32s(plane.sizes()));
            default -> results.string(key, plane.shape());
        }
        return SUCCESS;
    }

    /** The pod that is named, this one where none is; none where there is no such pod. */
    private List<JobPod> node(Qualifiers qualifiers) {
        int index = pod;
        if (qualifiers.hostname() != null) {
            index = map.indexOf(qualifiers.hostname());
        } else if (qualifiers.nodeId() != null) {
            long id = qualifiers.nodeId();
            index = id >= 0 && id < map.pods().size() ? (int) id : -1;
        }
        return index < 0 ? List.of() : List.of(map.pods().get(index));
    }

    private static boolean isIn(JobDevice device, Qualifiers qualifiers) {
        return (qualifiers.plane() == null || qualifiers.plane().equals(device.plane()))
                && (qualifiers.switchId() == null || qualifiers.switchId().equals(device.switchId()))
                && (qualifiers.deviceTypes() == null || (qualifiers.deviceTypes() & device.typeBits()) != 0);
    }

    /** A device that is in no fabric is nobody's but its node's. */
    private List<JobDevice> devicesOf(Qualifiers qualifiers) {
        boolean ofFabric = namesFabric(qualifiers) || qualifiers.plane() != null || qualifiers.switchId() != null;
        List<JobDevice> devices = new ArrayList<>();
        for (JobPod each : node(qualifiers)) {
            for (JobDevice device : each.devices()) {
                if ((!ofFabric || isHere(device)) && isIn(device, qualifiers)) {
                    devices.add(device);
                }
            }
        }
        return devices;
    }

    private int devices(Qualifiers qualifiers, InfoArray results) {
        List<JobDevice> devices = devicesOf(qualifiers);
        if (devices.isEmpty()) {
            return NOT_FOUND;
        }
        InfoArray described = block.infos(devices.size());
        devices.forEach(device -> described.infos(PMIX_FABRIC_DEVICE, infos.device(device)));
        results.infos(PMIX_FABRIC_DEVICES, described);
        return SUCCESS;
    }

    private int coordinates(Qualifiers qualifiers, InfoArray results) {
        if (qualifiers.nameDevice()) {
            Found found = find(qualifiers);
            JobDevice device = found.device();
            if (device == null || !FabricInfos.isLocated(device)) {
                return found.status() == SUCCESS ? NOT_FOUND : found.status();
            }
            results.pointer(PMIX_FABRIC_COORDINATES, PmixType.GEOMETRY, infos.geometries(List.of(device)));
            return SUCCESS;
        }
        List<JobDevice> located =
                devicesOf(qualifiers).stream().filter(FabricInfos::isLocated).toList();
        if (located.isEmpty()) {
            return NOT_FOUND;
        }
        results.array(PMIX_FABRIC_COORDINATES, PmixType.GEOMETRY, located.size(), infos.geometries(located));
        return SUCCESS;
    }

    /** Of the ranks of a node, which have the same CPUs in common. */
    private int distances(Qualifiers qualifiers, InfoArray results) {
        List<JobDevice> devices = devicesOf(qualifiers);
        if (devices.isEmpty()) {
            return NOT_FOUND;
        }
        results.array(PMIX_DEVICE_DISTANCES, PmixType.DEVICE_DIST, devices.size(), RankInfos.distances(block, devices));
        return SUCCESS;
    }

    private record Found(int status, @Nullable JobDevice device) {}

    /**
     * By its id in the job, by its name in the node that is named or this one, by its index, or by what of these is given together. Several pods may
     * list one device: this pod's description of it is preferred.
     */
    private Found find(Qualifiers qualifiers) {
        Long index = qualifiers.deviceIndex();
        if (!qualifiers.nameDevice()
                || index != null
                        && (index < 0 || map.fabric() == null || fabric != null && index >= fabric.devices())) {
            return new Found(PmixStatus.PMIX_ERR_BAD_PARAM, null);
        }
        List<JobPod> near = node(qualifiers);
        List<JobPod> pods = new ArrayList<>(near);
        if (!qualifiers.nameNode()) {
            pods.addAll(map.pods());
        }
        for (JobPod each : pods) {
            for (JobDevice device : each.devices()) {
                if (isNamed(device, near.contains(each), qualifiers)
                        && (!namesFabric(qualifiers) || isHere(device))
                        && isIn(device, qualifiers)) {
                    return new Found(SUCCESS, device);
                }
            }
        }
        return new Found(NOT_FOUND, null);
    }

    /** @param near whether it is in the node in which names hold; PMIX_DEVICE_ID is taken for a name there, too */
    private boolean isNamed(JobDevice device, boolean near, Qualifiers qualifiers) {
        String id = qualifiers.deviceId();
        String name = qualifiers.deviceName();
        Long index = qualifiers.deviceIndex();
        return (id == null
                        || device.deviceId().equals(id)
                        || near && device.osName().equals(id))
                && (name == null || near && device.osName().equals(name))
                && (index == null || isHere(device) && device.index() == index);
    }

    private int device(Qualifiers qualifiers, InfoArray results) {
        Found found = find(qualifiers);
        if (found.device() != null) {
            results.infos(PMIX_FABRIC_DEVICE, infos.device(found.device()));
        }
        return found.status();
    }

    private int deviceId(Qualifiers qualifiers, InfoArray results) {
        Found found = find(qualifiers);
        if (found.device() != null) {
            results.string(PMIX_DEVICE_ID, found.device().deviceId());
        }
        return found.status();
    }

    /** By their prefix, which no other key has. */
    private static boolean isAttribute(String key) {
        return key.startsWith(PMIX_FABRIC_DEVICE + '.') || key.equals(PMIX_DEVICE_TYPE);
    }

    /** One value of a device's description. */
    private int attribute(String key, Qualifiers qualifiers, InfoArray results) {
        Found found = find(qualifiers);
        JobDevice device = found.device();
        if (device == null) {
            return found.status();
        }
        return results.copyOf(key, infos.device(device)) ? SUCCESS : NOT_FOUND;
    }
}
