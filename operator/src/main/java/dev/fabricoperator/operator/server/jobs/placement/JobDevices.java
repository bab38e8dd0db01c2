/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.placement;

import dev.fabricoperator.crds.CoordinateStatus;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.ViewName;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.protocol.job.DeviceAttribute;
import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.PodReport;
import dev.fabricoperator.protocol.pmix.DeviceTypeBits;
import dev.fabricoperator.protocol.pmix.FabricDeviceAttribute;
import dev.fabricoperator.protocol.pmix.LinkState;
import dev.fabricoperator.protocol.pmix.PmixType;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A device that a pod can open, with what is known of the device of the host behind it. */
final class JobDevices {
    /** Begins the id of a network interface, before its MAC address. */
    static final String MAC_ID = "ipv4://";

    private JobDevices() {}

    /**
     * @param behind the published device, {@code null} for none
     * @param fabric position of its fabric among those of the job, -1 for a device outside of these
     * @param index among the job's devices in that fabric, -1 for a device outside of the job's fabrics
     * @param inFabric its place in the generation that the job is told of, {@code null} for a device outside of the job's fabrics
     * @param distance from the pod's CPUs
     * @param carriesJobs whether libraries are told of it
     */
    static JobDevice of(
            PodReport.OpenDevice open,
            @Nullable ServedDevice behind,
            String host,
            int fabric,
            int index,
            @Nullable FabricDeviceStatus inFabric,
            CpuDistance distance,
            boolean carriesJobs) {
        FabricDeviceStatus place = inFabric != null || behind == null ? inFabric : behind.status();
        return new JobDevice(
                deviceId(open, behind, host),
                open.osName(),
                typeBits(open, behind),
                attributes(open, behind, host),
                fabric,
                index,
                place == null ? null : place.plane(),
                place == null ? null : place.switchId(),
                coordinates(place, ViewName.logical),
                coordinates(place, ViewName.physical),
                distance.minimum(),
                distance.maximum(),
                open.endpoint(),
                behind == null || open.own() ? 0 : behind.port(),
                carriesJobs);
    }

    /** The pod's own interface is no device of the host, and has an id of its own. */
    private static String deviceId(PodReport.OpenDevice open, @Nullable ServedDevice behind, String host) {
        if (behind != null && !open.own()) {
            return behind.deviceId();
        }
        return open.macAddress() != null && open.nodeGuid() == null
                ? MAC_ID + open.macAddress()
                : open.osName() + "@" + host;
    }

    private static long typeBits(PodReport.OpenDevice open, @Nullable ServedDevice behind) {
        if (behind != null && !open.own()) {
            return DeviceTypeBits.of(behind.type());
        }
        return open.nodeGuid() == null ? DeviceTypeBits.PMIX_DEVTYPE_NETWORK : DeviceTypeBits.PMIX_DEVTYPE_OPENFABRICS;
    }

    private static List<DeviceAttribute> attributes(
            PodReport.OpenDevice open, @Nullable ServedDevice behind, String host) {
        Map<FabricDeviceAttribute, Object> known = new EnumMap<>(FabricDeviceAttribute.class);
        if (behind != null) {
            known.putAll(FabricDeviceAttribute.allOf(behind.device()));
        }
        known.remove(FabricDeviceAttribute.PMIX_DEVICE_ID);
        known.put(FabricDeviceAttribute.PMIX_HOSTNAME, host);
        known.put(FabricDeviceAttribute.PMIX_FABRIC_DEVICE_NAME, open.osName());
        known.put(FabricDeviceAttribute.PMIX_DEVICE_TYPE, typeBits(open, behind));
        if (behind == null && open.own()) {
            known.put(FabricDeviceAttribute.PMIX_FABRIC_DEVICE_BUS_TYPE, "virtual");
        }
        if (open.macAddress() != null && (behind == null || open.own())) {
            known.put(FabricDeviceAttribute.PMIX_FABRIC_DEVICE_ADDRESS, open.macAddress());
        }
        List<DeviceAttribute> attributes = new ArrayList<>(known.size());
        known.forEach((attribute, value) ->
                attributes.add(new DeviceAttribute(attribute.key(), attribute.type(), value(attribute.type(), value))));
        return attributes;
    }

    private static Object value(PmixType type, Object value) {
        if (type == PmixType.STRING) {
            return value.toString();
        }
        return value instanceof LinkState state ? (Object) (long) state.code() : (Object) ((Number) value).longValue();
    }

    private static int[] coordinates(@Nullable FabricDeviceStatus place, ViewName view) {
        return place == null
                ? new int[0]
                : CoordinateStatus.values(place.coordinates(), view).stream()
                        .mapToInt(Integer::intValue)
                        .toArray();
    }
}
