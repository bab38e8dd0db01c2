/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A device that the ranks of one pod can open, with what its Fabric says of it.
 *
 * @param deviceId PMIX_DEVICE_ID
 * @param osName PMIX_FABRIC_DEVICE_NAME, inside the pod
 * @param typeBits pmix_device_type_t
 * @param attributes further members of PMIX_FABRIC_DEVICE in the standard's order, without PMIX_DEVICE_ID
 * @param fabric position of its Fabric in {@link JobMap#fabrics}, -1 where it is in none of these
 * @param index position among the job's devices in that Fabric, in fabric-index order (PMIX_FABRIC_DEVICE_INDEX in the job's own frame), else -1
 * @param plane id of its plane, {@code null} if unknown
 * @param switchId of the switch that it is cabled to, {@code null} if unknown
 * @param logical coordinates in the logical view, unique in the fabric, empty if unknown
 * @param physical coordinates in the physical view, likewise
 * @param minimumDistance from the pod's CPUs, SLIT units, 65535 unknown
 * @param maximumDistance likewise
 * @param endpoint how a rank is reached through it, {@code null} where that cannot be known before the rank opens it
 * @param port of the device, counted from 1; 0 for all of its ports, or where it is not known which
 * @param carriesJobs whether libraries are told of it: not of one for storage or management
 */
public record JobDevice(
        String deviceId,
        String osName,
        long typeBits,
        List<DeviceAttribute> attributes,
        int fabric,
        int index,
        @Nullable String plane,
        @Nullable String switchId,
        int[] logical,
        int[] physical,
        int minimumDistance,
        int maximumDistance,
        @Nullable EndpointTemplate endpoint,
        int port,
        boolean carriesJobs) {
    public JobDevice {
        attributes = List.copyOf(attributes);
    }

    /** Of the job's default fabric, or of none where the index is negative; libraries are told of it, with all of its ports. */
    public JobDevice(
            String deviceId,
            String osName,
            long typeBits,
            List<DeviceAttribute> attributes,
            int index,
            @Nullable String plane,
            @Nullable String switchId,
            int[] logical,
            int[] physical,
            int minimumDistance,
            int maximumDistance,
            @Nullable EndpointTemplate endpoint) {
        this(
                deviceId,
                osName,
                typeBits,
                attributes,
                index < 0 ? -1 : 0,
                index,
                plane,
                switchId,
                logical,
                physical,
                minimumDistance,
                maximumDistance,
                endpoint,
                0,
                true);
    }
}
