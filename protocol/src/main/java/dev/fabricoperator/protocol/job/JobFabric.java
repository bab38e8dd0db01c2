/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The job's own frame of its fabric (contract, section 5): devices, groups, switches and costs of the job only.
 *
 * @param name of the Fabric object
 * @param index PMIX_FABRIC_INDEX
 * @param generation of the Fabric that all of this is from
 * @param planes with their shapes, in the order of the Fabric's status
 * @param switches ids of switches that hold the job's devices, sorted
 * @param groups the groups string over the job's nodes (pod names), PMIX_FABRIC_GROUPS
 * @param devices number of the job's devices that are in the Fabric, PMIX_FABRIC_NUM_DEVICES
 * @param costs row-major {@code devices x devices} unsigned 16 bit, or {@code null} above 512 devices
 * @param routes digest of the ways that packets take between the job's devices, {@code null} where nobody knows the forwarding tables
 * @param levels of service; {@link Levels#NONE} where the fabric has none
 * @param kind what it was recognized as, such as {@code FatTree}; {@code null} where whoever made the map did not say
 * @param environment variables that the fabric wants its processes to have, where the user sets no others
 */
public record JobFabric(
        String name,
        @Nullable String vendor,
        String identifier,
        int index,
        long generation,
        List<Plane> planes,
        List<String> switches,
        String groups,
        int devices,
        short @Nullable [] costs,
        Map<String, String> environment,
        @Nullable String routes,
        Levels levels,
        @Nullable String kind) {
    /** A fabric without levels of service and of no known kind, of which nobody knows the forwarding tables. */
    public JobFabric(
            String name,
            @Nullable String vendor,
            String identifier,
            int index,
            long generation,
            List<Plane> planes,
            List<String> switches,
            String groups,
            int devices,
            short @Nullable [] costs,
            Map<String, String> environment) {
        this(
                name,
                vendor,
                identifier,
                index,
                generation,
                planes,
                switches,
                groups,
                devices,
                costs,
                environment,
                null,
                Levels.NONE,
                null);
    }

    public JobFabric {
        environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
        planes = List.copyOf(planes);
        switches = List.copyOf(switches);
    }

    /** The same with other routes. */
    JobFabric withRoutes(@Nullable String others) {
        return new JobFabric(
                name,
                vendor,
                identifier,
                index,
                generation,
                planes,
                switches,
                groups,
                devices,
                costs,
                environment,
                others,
                levels,
                kind);
    }

    /**
     * Levels of service.
     *
     * @param offered names of those that the job may ask for
     * @param channels of the job that have one
     */
    public record Levels(List<String> offered, List<Channel> channels) {
        public static final Levels NONE = new Levels(List.of(), List.of());

        public Levels {
            offered = List.copyOf(offered);
            channels = List.copyOf(channels);
        }
    }

    /**
     * @param id PMIX_ALLOC_FABRIC_ID: whose traffic it is
     * @param level PMIX_ALLOC_FABRIC_QOS
     */
    public record Channel(String id, String level) {}

    /**
     * @param dims PMIX_FABRIC_DIMS of this plane
     * @param sizes PMIX_FABRIC_SHAPE of this plane, logical view
     * @param shape PMIX_FABRIC_SHAPE_STRING of this plane
     */
    public record Plane(String id, int dims, int[] sizes, String shape) {}
}
