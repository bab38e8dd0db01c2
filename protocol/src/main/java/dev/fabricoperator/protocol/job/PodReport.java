/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a pod tells of itself when it joins its job; who it is says its token alone.
 *
 * @param instance 16 random bytes of this launcher process: another one from the same pod is a restarted container, hence a new attempt
 * @param after the highest attempt that this pod has been part of, or -1: it waits for a later one
 * @param address 4 or 16 bytes, where its pmixd is reached
 * @param port of its pmixd for the others
 * @param ranks that its launcher will start
 * @param cpuset CPUs that they may use, the kernel's list form, empty if unknown
 * @param numaNodes that these CPUs belong to, the kernel's list form, empty if unknown
 * @param run what mpirun asks for in this pod, which has no ranks itself; {@code null} for a pod that has some
 * @param mapVersion highest version of its job's map that it reads; said beside the report, which servers of a release before would refuse with it
 */
public record PodReport(
        byte[] instance,
        int after,
        byte[] address,
        int port,
        int ranks,
        String cpuset,
        String numaNodes,
        List<OpenDevice> devices,
        @Nullable RunRequest run,
        int mapVersion) {
    public PodReport {
        devices = List.copyOf(devices);
    }

    /** Of a pod with ranks that does not say what it reads. */
    public PodReport(
            byte[] instance,
            int after,
            byte[] address,
            int port,
            int ranks,
            String cpuset,
            String numaNodes,
            List<OpenDevice> devices) {
        this(instance, after, address, port, ranks, cpuset, numaNodes, devices, null, JobMapCodec.VERSION_OF_SILENT);
    }

    /** The same pod, which now waits for the attempt after {@code newAfter}. */
    public PodReport after(int newAfter) {
        return new PodReport(instance, newAfter, address, port, ranks, cpuset, numaNodes, devices, run, mapVersion);
    }

    /** The same pod, which asks for a run, or has ranks itself. */
    public PodReport asking(@Nullable RunRequest newRun) {
        return new PodReport(instance, after, address, port, ranks, cpuset, numaNodes, devices, newRun, mapVersion);
    }

    /** The same pod, which reads maps of at most this version. */
    public PodReport reading(int newMapVersion) {
        return new PodReport(instance, after, address, port, ranks, cpuset, numaNodes, devices, run, newMapVersion);
    }

    /**
     * A device that the application's container can really open.
     *
     * @param osName inside the pod
     * @param nodeGuid 16 lower-case hex digits, {@code null} for a network interface or if unknown
     * @param macAddress lower case with colons
     * @param pciAddress {@code dddd:bb:dd.f}
     * @param own whether this is the pod's own virtual interface, which lies on some device of the host
     * @param endpoint how its ranks are reached through it
     */
    public record OpenDevice(
            String osName,
            @Nullable String nodeGuid,
            @Nullable String macAddress,
            @Nullable String pciAddress,
            boolean own,
            @Nullable EndpointTemplate endpoint) {}
}
