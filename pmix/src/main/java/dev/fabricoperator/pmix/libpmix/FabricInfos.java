/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static dev.fabricoperator.protocol.pmix.PmixKeys.*;

import dev.fabricoperator.protocol.job.DeviceAttribute;
import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.pmix.PmixType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What the PMIx standard's chapter <i>Fabric Support</i> says of a job, its nodes and devices, as values of libpmix.
 * Where the standard has the answer for one plane and for all of them, all is what a job gets.
 */
final class FabricInfos {
    /** PMIX_FABRIC_DEVICE_COORDINATES of the header of 7.0, whose clients look for no other. */
    static final String DEVICE_COORDINATES_SINCE_7 = "pmix.fabdev.coord";

    /** Values that {@link #addJob} adds at most. */
    static final int JOB_VALUES = 11;

    /** Values that {@link #addLevels} adds at most. */
    static final int LEVEL_VALUES = 2;

    /** Of descriptions of all devices of a job, in each process: 80 pods of eight devices. */
    static final long MOST_BYTES_OF_DEVICES = 8 << 20;

    /** Beside its attributes. */
    private static final int VALUES_OF_A_DEVICE = 11;

    /** What the chapter demands of every fabric and every device has this value where nobody knows it. */
    private static final String UNKNOWN = "unknown";

    private static final byte PMIX_COORD_LOGICAL_VIEW = 1;
    private static final byte PMIX_COORD_PHYSICAL_VIEW = 2;

    private final NativeBlock block;
    private final List<JobFabric> fabrics;

    /** @param fabrics of the job, to which its devices refer */
    FabricInfos(NativeBlock block, List<JobFabric> fabrics) {
        this.block = block;
        this.fabrics = fabrics;
    }

    static String vendor(JobFabric fabric) {
        return fabric.vendor() == null ? UNKNOWN : fabric.vendor();
    }

    /** What is the same for every job on the fabric. */
    void addFabric(InfoArray infos, JobFabric fabric) {
        infos.string(PMIX_FABRIC_VENDOR, vendor(fabric));
        infos.string(PMIX_FABRIC_IDENTIFIER, fabric.identifier());
        infos.size(PMIX_FABRIC_INDEX, fabric.index());
    }

    void addJob(InfoArray job, JobFabric fabric) {
        addFabric(job, fabric);
        job.size(PMIX_FABRIC_NUM_DEVICES, fabric.devices());
        if (!fabric.groups().isEmpty()) {
            job.string(PMIX_FABRIC_GROUPS, fabric.groups());
        }
        addStrings(job, PMIX_FABRIC_SWITCH, fabric.switches());
        addPlanes(job, fabric.planes());
        short[] costs = fabric.costs();
        if (costs != null && costs.length > 0) {
            job.array(PMIX_FABRIC_COST_MATRIX, PmixType.UINT16, costs.length, block.uint16s(costs));
        }
    }

    /** Names of levels of service with commas between them, and the channels that have one. */
    void addLevels(InfoArray job, JobFabric.Levels levels) {
        if (!levels.offered().isEmpty()) {
            job.string(PMIX_ALLOC_FABRIC_QOS, String.join(",", levels.offered()));
        }
        if (!levels.channels().isEmpty()) {
            InfoArray channels = block.infos(levels.channels().size());
            for (JobFabric.Channel channel : levels.channels()) {
                channels.infos(
                        PMIX_ALLOC_FABRIC,
                        block.infos(2)
                                .string(PMIX_ALLOC_FABRIC_ID, channel.id())
                                .string(PMIX_ALLOC_FABRIC_QOS, channel.level()));
            }
            job.infos(PMIX_ALLOC_FABRIC, channels);
        }
    }

    private void addPlanes(InfoArray job, List<JobFabric.Plane> planes) {
        if (planes.isEmpty()) {
            return;
        }
        List<String> ids = new ArrayList<>(planes.size());
        int[] dims = new int[planes.size()];
        InfoArray shapes = block.infos(planes.size());
        InfoArray strings = block.infos(planes.size());
        for (JobFabric.Plane plane : planes) {
            dims[ids.size()] = plane.dims();
            ids.add(plane.id());
            int[] sizes = plane.sizes();
            shapes.infos(
                    PMIX_FABRIC_SHAPE,
                    block.infos(2)
                            .string(PMIX_FABRIC_PLANE, plane.id())
                            .array(PMIX_FABRIC_SHAPE, PmixType.UINT32, sizes.length, block.uint32s(sizes)));
            strings.infos(
                    PMIX_FABRIC_SHAPE_STRING,
                    block.infos(2)
                            .string(PMIX_FABRIC_PLANE, plane.id())
                            .string(PMIX_FABRIC_SHAPE_STRING, plane.shape()));
        }
        addStrings(job, PMIX_FABRIC_PLANE, ids);
        job.array(PMIX_FABRIC_DIMS, PmixType.UINT32, dims.length, block.uint32s(dims));
        job.infos(PMIX_FABRIC_SHAPE, shapes);
        job.infos(PMIX_FABRIC_SHAPE_STRING, strings);
    }

    private void addStrings(InfoArray infos, String key, List<String> values) {
        if (!values.isEmpty()) {
            infos.array(key, PmixType.STRING, values.size(), block.strings(values));
        }
    }

    /**
     * Whether each process gets PMIX_FABRIC_DEVICES of all pods, as a copy of its own; otherwise of its own pod, and PMIx_Query_info tells of
     * the others.
     */
    static boolean areAllDescribed(List<JobPod> pods) {
        long infos = pods.stream()
                .flatMap(pod -> pod.devices().stream())
                .mapToLong(device -> device.attributes().size() + VALUES_OF_A_DEVICE + 1L)
                .sum();
        return infos * Layout.INFO_SIZE <= MOST_BYTES_OF_DEVICES;
    }

    /** PMIX_FABRIC_COORDINATES of a node. */
    void addPlaces(InfoArray node, JobPod pod) {
        List<JobDevice> located =
                pod.devices().stream().filter(FabricInfos::isLocated).toList();
        if (!located.isEmpty()) {
            node.array(PMIX_FABRIC_COORDINATES, PmixType.GEOMETRY, located.size(), geometries(located));
        }
    }

    /** PMIX_FABRIC_COORDINATES and PMIX_FABRIC_DEVICES of a node. */
    void addNode(InfoArray node, JobPod pod) {
        List<JobDevice> devices = pod.devices();
        if (devices.isEmpty()) {
            return;
        }
        InfoArray described = block.infos(devices.size());
        List<JobDevice> located = new ArrayList<>(devices.size());
        for (JobDevice device : devices) {
            if (isLocated(device)) {
                located.add(device);
            }
        }
        long geometries = geometries(located);
        int placed = 0;
        for (JobDevice device : devices) {
            boolean isLocated = isLocated(device);
            long geometry = geometries + (long) placed * Layout.GEOMETRY_SIZE;
            described.infos(PMIX_FABRIC_DEVICE, device(device, isLocated ? geometry : 0));
            placed += isLocated ? 1 : 0;
        }
        if (placed > 0) {
            node.array(PMIX_FABRIC_COORDINATES, PmixType.GEOMETRY, placed, geometries);
        }
        node.infos(PMIX_FABRIC_DEVICES, described);
    }

    /** A geometry names its fabric. */
    static boolean isLocated(JobDevice device) {
        return device.fabric() >= 0 && device.index() >= 0 && device.logical().length + device.physical().length > 0;
    }

    /** Address of an array of {@code pmix_geometry_t}; all devices are located. */
    long geometries(List<JobDevice> devices) {
        NativeBlock.Part geometries = block.part(devices.size() * Layout.GEOMETRY_SIZE);
        for (int i = 0; i < devices.size(); i++) {
            writeGeometry(geometries, i * Layout.GEOMETRY_SIZE, devices.get(i));
        }
        return geometries.address();
    }

    /** PMIX_FABRIC_DEVICE. */
    InfoArray device(JobDevice device) {
        return device(device, isLocated(device) ? geometries(List.of(device)) : 0);
    }

    private InfoArray device(JobDevice device, long geometry) {
        InfoArray infos = block.infos(device.attributes().size() + VALUES_OF_A_DEVICE);
        infos.string(PMIX_DEVICE_ID, device.deviceId());
        Set<String> told = HashSet.newHashSet(device.attributes().size());
        for (DeviceAttribute attribute : device.attributes()) {
            told.add(attribute.key());
            boolean name = attribute.key().equals(PMIX_FABRIC_DEVICE_NAME);
            // The device's name is the one that it has inside the pod.
            addAttribute(infos, attribute.key(), attribute.type(), name ? device.osName() : attribute.value());
        }
        if (!told.contains(PMIX_FABRIC_DEVICE_NAME)) {
            infos.string(PMIX_FABRIC_DEVICE_NAME, device.osName());
        }
        for (String demanded : new String[] {PMIX_FABRIC_DEVICE_VENDOR, PMIX_FABRIC_DEVICE_BUS_TYPE}) {
            if (!told.contains(demanded)) {
                infos.string(demanded, UNKNOWN);
            }
        }
        if (!told.contains(PMIX_DEVICE_TYPE)) {
            infos.deviceType(PMIX_DEVICE_TYPE, device.typeBits());
        }
        if (device.index() >= 0) {
            infos.uint32(PMIX_FABRIC_DEVICE_INDEX, device.index());
        }
        if (device.fabric() > 0) {
            // An index without it is of the default fabric.
            infos.size(PMIX_FABRIC_INDEX, fabricIndex(device));
        }
        if (geometry != 0) {
            infos.pointer(PMIX_FABRIC_DEVICE_COORDINATES, PmixType.GEOMETRY, geometry);
            infos.pointer(DEVICE_COORDINATES_SINCE_7, PmixType.GEOMETRY, geometry);
        }
        if (device.plane() != null) {
            infos.string(PMIX_FABRIC_PLANE, device.plane());
        }
        if (device.switchId() != null) {
            infos.string(PMIX_FABRIC_SWITCH, device.switchId());
        }
        return infos;
    }

    private static void addAttribute(InfoArray infos, String key, PmixType type, Object value) {
        switch (type) {
            case STRING -> infos.string(key, (String) value);
            case SIZE -> infos.size(key, (Long) value);
            case UINT32 -> infos.uint32(key, ((Long) value).intValue());
            case UINT16 -> infos.uint16(key, ((Long) value).intValue());
            case DEVTYPE -> infos.deviceType(key, (Long) value);
            case LINK_STATE -> infos.linkState(key, ((Long) value).intValue());
            default -> throw new IllegalArgumentException(key + ": a device has no attribute of type " + type);
        }
    }

    private long fabricIndex(JobDevice device) {
        return device.fabric() < fabrics.size() ? fabrics.get(device.fabric()).index() : 0;
    }

    private void writeGeometry(NativeBlock.Part part, int element, JobDevice device) {
        int at = part.offset() + element;
        int views = (device.logical().length > 0 ? 1 : 0) + (device.physical().length > 0 ? 1 : 0);
        NativeBlock.Part coordinates = block.part(views * Layout.COORD_SIZE);
        int view = 0;
        if (device.logical().length > 0) {
            writeCoordinates(coordinates, view++, PMIX_COORD_LOGICAL_VIEW, device.logical());
        }
        if (device.physical().length > 0) {
            writeCoordinates(coordinates, view, PMIX_COORD_PHYSICAL_VIEW, device.physical());
        }
        part.buffer().putLong(at, fabricIndex(device));
        part.buffer().putLong(at + Layout.GEOMETRY_UUID, block.string(device.deviceId()));
        part.buffer().putLong(at + Layout.GEOMETRY_OSNAME, block.string(device.osName()));
        part.buffer().putLong(at + Layout.GEOMETRY_COORDINATES, coordinates.address());
        part.buffer().putLong(at + Layout.GEOMETRY_NCOORDS, views);
    }

    private void writeCoordinates(NativeBlock.Part part, int element, byte view, int[] values) {
        int at = part.offset() + element * Layout.COORD_SIZE;
        part.buffer().put(at, view);
        part.buffer().putLong(at + Layout.COORD_COORD, block.uint32s(values));
        part.buffer().putLong(at + Layout.COORD_DIMS, values.length);
    }
}
