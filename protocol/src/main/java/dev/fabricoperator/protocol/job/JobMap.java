/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a job, whole: every pod, rank, device and endpoint, and the job's view of its fabric. Immutable; the
 * arrays in it must not be changed.
 *
 * @param nspace PMIX_NSPACE, {@code <namespace>.<owner>-<uid8>-<attempt>}, at most 255 bytes
 * @param attempt 0 for the first; a new attempt has a new nspace
 * @param key 32 random bytes that only pods of this attempt have; what pmixd and pmixd say to each other is sealed under
 *     keys that are derived from it
 * @param apps in PMIX_APPNUM order, at least one
 * @param pods in PMIX_NODEID order, which is the order of their first ranks; every rank of the job is in exactly one
 * @param fabric the job's default fabric, {@code null} where no device of the job is in a Fabric
 * @param otherFabrics that devices of the job are in, in the order of their indexes; none where there is no default one
 * @see "PMIx Standard, chapter Server, PMIx_server_register_nspace"
 */
public record JobMap(
        String nspace,
        int attempt,
        byte[] key,
        List<JobApp> apps,
        List<JobPod> pods,
        @Nullable JobFabric fabric,
        List<JobFabric> otherFabrics) {
    /** Of one job. */
    public static final int MOST_FABRICS = 8;
    /** In {@link #knownRoutes}. */
    public static final String NO_ROUTES = "-";

    public JobMap {
        apps = List.copyOf(apps);
        pods = List.copyOf(pods);
        otherFabrics = List.copyOf(otherFabrics);
    }

    /** A job in one fabric or none. */
    public JobMap(
            String nspace, int attempt, byte[] key, List<JobApp> apps, List<JobPod> pods, @Nullable JobFabric fabric) {
        this(nspace, attempt, key, apps, pods, fabric, List.of());
    }

    /** All that devices of the job are in, the default one first. */
    public List<JobFabric> fabrics() {
        return fabric == null
                ? List.of()
                : Stream.concat(Stream.of(fabric), otherFabrics.stream()).toList();
    }

    /** PMIX_NODEID of the pod of this name, -1 where there is none. */
    public int indexOf(String pod) {
        for (int index = 0; index < pods.size(); index++) {
            if (pods.get(index).name().equals(pod)) {
                return index;
            }
        }
        return -1;
    }

    /** The same map; where it does not know the routes in a fabric, those that an earlier one knew. */
    public JobMap keepingRoutesOf(JobMap before) {
        return new JobMap(
                nspace,
                attempt,
                key,
                apps,
                pods,
                fabric == null ? null : keepingRoutes(fabric, before),
                otherFabrics.stream().map(other -> keepingRoutes(other, before)).toList());
    }

    private static JobFabric keepingRoutes(JobFabric fabric, JobMap before) {
        return fabric.routes() != null
                ? fabric
                : before.fabrics().stream()
                        .filter(other -> other.index() == fabric.index())
                        .findFirst()
                        .map(other -> fabric.withRoutes(other.routes()))
                        .orElse(fabric);
    }

    /** Which routes the job's packets take in each fabric: {@code index:digest}, with commas, and {@code -} for a digest where nobody knows. */
    public String knownRoutes() {
        return fabrics().stream()
                .map(known -> known.index() + ":" + Objects.requireNonNullElse(known.routes(), NO_ROUTES))
                .collect(Collectors.joining(","));
    }

    /** Which generation of each other fabric this is: {@code index:generation}, with commas. */
    public String otherGenerations() {
        return otherFabrics.stream()
                .map(other -> other.index() + ":" + other.generation())
                .collect(Collectors.joining(","));
    }

    /** The same job under another name. */
    public JobMap named(String newNspace) {
        return new JobMap(newNspace, attempt, key, apps, pods, fabric, otherFabrics);
    }

    /**
     * The same job with nothing of its fabrics' generations but the numbers, and no more of its devices than what they are and how they are reached: all that
     * the job service needs to tell of the fabric again.
     */
    public JobMap withoutValues() {
        return new JobMap(
                nspace,
                attempt,
                key,
                apps,
                pods.stream().map(JobMap::withoutValues).toList(),
                fabric == null ? null : withoutValues(fabric),
                otherFabrics.stream().map(JobMap::withoutValues).toList());
    }

    private static JobFabric withoutValues(JobFabric fabric) {
        return new JobFabric(
                fabric.name(),
                null,
                "",
                0,
                fabric.generation(),
                List.of(),
                List.of(),
                "",
                0,
                null,
                Map.of(),
                fabric.routes(),
                JobFabric.Levels.NONE,
                null);
    }

    /** The same job as those know it who know of no other fabrics. */
    public JobMap withOneFabric() {
        return new JobMap(nspace, attempt, key, apps, pods, fabric);
    }

    private static JobPod withoutValues(JobPod pod) {
        return new JobPod(
                pod.name(),
                "",
                pod.app(),
                pod.firstRank(),
                pod.rankCount(),
                pod.address(),
                pod.port(),
                pod.cpuset(),
                pod.devices().stream().map(JobMap::withoutValues).toList());
    }

    private static JobDevice withoutValues(JobDevice device) {
        return new JobDevice(
                device.deviceId(),
                device.osName(),
                device.typeBits(),
                List.of(),
                -1,
                null,
                null,
                new int[0],
                new int[0],
                device.minimumDistance(),
                device.maximumDistance(),
                device.endpoint());
    }

    /** PMIX_SESSION_ID: an attempt is a session of its own. All pods make the same number of the name; never UINT32_MAX, which libpmix takes for none. */
    public int sessionId() {
        return nspace.hashCode() & Integer.MAX_VALUE;
    }

    /** Whether pod 0 has no ranks and mpirun in it runs those of the others. */
    public boolean isRun() {
        return pods.getFirst().rankCount() == 0;
    }

    /** The job as the PMIx library knows it, in which every node has ranks. */
    public JobMap forRanks() {
        return isRun()
                ? new JobMap(
                        nspace,
                        attempt,
                        key,
                        apps,
                        pods.stream().filter(pod -> pod.rankCount() > 0).toList(),
                        fabric,
                        otherFabrics)
                : this;
    }

    /** PMIX_APPLDR by the number of the app, -1 for one without ranks. O(pods). */
    public int[] firstRanks() {
        int[] first = new int[apps.size()];
        Arrays.fill(first, -1);
        for (JobPod pod : pods) {
            if (pod.rankCount() > 0 && first[pod.app()] < 0) {
                first[pod.app()] = pod.firstRank();
            }
        }
        return first;
    }

    /** PMIX_JOB_SIZE. */
    public int size() {
        int ranks = 0;
        for (JobPod pod : pods) {
            ranks += pod.rankCount();
        }
        return ranks;
    }
}
