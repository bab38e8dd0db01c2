/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.fabric.cabling.lft.ForwardingTables;
import dev.fabricoperator.fabric.route.Routes;
import dev.fabricoperator.operator.server.jobs.placement.BuiltMap;
import dev.fabricoperator.operator.server.jobs.placement.KnownFabrics;
import dev.fabricoperator.operator.server.jobs.status.ImpairedRanks;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobMapCodec;
import dev.fabricoperator.protocol.job.JobPod;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What one attempt of a job is told of its fabric: that another generation is on its way, and the job's map with the values of the one that holds. */
final class FabricOfJob {
    private final KnownFabrics known;
    private final String fabric;
    private final int attempt;
    private final String firstPod;
    private final Supplier<@Nullable JobMap> renewed;
    private final Supplier<List<ImpairedRanks>> impaired;
    /** Whether all pods of the attempt do, which hand the map on to one another. */
    /** That all of its pods read. */
    private final int version;
    /** Names of the job's other fabrics, as its map was made last, and of those that are not served since. */
    private List<String> others;
    /** Tables of the fabrics when {@link #routes} was made; empty before that. */
    private List<ForwardingTables> tables = List.of();

    /** As {@link JobMap#knownRoutes} says them, by what is served now. */
    private List<String> routes = List.of();
    /** Generation in which the fabric has no device of the job. */
    private long leftIn = -1;
    /** By the first rank of each pod with ranks, its place in the map. */
    private final Map<Integer, Integer> podOfFirstRank = new HashMap<>();

    private volatile boolean devicesChanged = true;
    private JobFabricUpdate.Impaired impairedDevices = new JobFabricUpdate.Impaired(List.of());

    private FabricOfJob(KnownFabrics known, String fabric, BuiltMap built) {
        JobMap map = built.map();
        this.known = known;
        this.fabric = fabric;
        this.attempt = map.attempt();
        this.firstPod = map.pods().getFirst().name();
        this.others = names(map);
        this.renewed = built.renewed();
        this.impaired = built.impaired();
        this.version = built.version();
        for (int pod = 0; pod < map.pods().size(); pod++) {
            JobPod each = map.pods().get(pod);
            if (each.rankCount() > 0) {
                podOfFirstRank.put(each.firstRank(), pod);
            }
        }
    }

    private static List<String> names(JobMap map) {
        return map.otherFabrics().stream().map(JobFabric::name).toList();
    }

    private List<ServedFabric> servedOthers() {
        return others.stream().map(known::fabric).filter(Objects::nonNull).toList();
    }

    /** Whether a pod that knows these generations, as {@link JobMap#otherGenerations} says them, is behind. A fabric that is not served yet is no news. */
    private boolean isBehind(String seen) {
        List<String> served = servedOthers().stream()
                .map(other -> other.index() + ":" + other.generation())
                .toList();
        List<String> told = seen.isEmpty() ? List.of() : List.of(seen.split(","));
        return !told.containsAll(served) || served.size() == others.size() && served.size() != told.size();
    }

    /** Whether packets take another way than a pod knows. O(fabrics) while the tables are the same. Where nobody knows the way any more, that is no news. */
    private boolean isRerouted(String seen) {
        List<ForwardingTables> now = Stream.concat(Stream.of(fabric), others.stream())
                .map(known::fabric)
                .filter(Objects::nonNull)
                .map(served -> served.query().routes())
                .filter(Objects::nonNull)
                .map(Routes::tables)
                .toList();
        if (!now.equals(tables)) {
            JobMap map = renewed.get();
            if (map == null) {
                return false;
            }
            tables = now;
            // Packets may pass other links by now.
            devicesChanged = true;
            routes = routes(map);
        }
        return !List.of(seen.split(",")).containsAll(routes);
    }

    private static List<String> routes(JobMap map) {
        return Arrays.stream(map.knownRoutes().split(","))
                .filter(each -> !each.endsWith(":" + JobMap.NO_ROUTES))
                .toList();
    }

    /** {@code null} for a job that has no part in a fabric. */
    static @Nullable FabricOfJob of(KnownFabrics known, BuiltMap built) {
        JobFabric fabric = built.map().fabric();
        return fabric == null ? null : new FabricOfJob(known, fabric.name(), built);
    }

    /** Ranks of the attempt on devices whose links may be about to fail, as things are now. O(devices of the nodes). */
    List<ImpairedRanks> impaired() {
        return impaired.get();
    }

    boolean isOf(int otherAttempt) {
        return otherAttempt == attempt;
    }

    /** Whether a pod is the one that is told, and tells the others. */
    boolean isTold(String pod, int ofAttempt) {
        return isOf(ofAttempt) && pod.equals(firstPod);
    }

    /**
     * O(1) where there is no news.
     *
     * @param seen what the pod knows
     * @return {@code null} for none
     */
    synchronized @Nullable JobFabricUpdate updateAfter(ServedJob.SeenFabric seen) {
        ServedFabric served = known.fabric(fabric);
        if (served == null) {
            return null;
        }
        JobFabricUpdate update = updateAfter(served, seen);
        if (update != null || seen.impaired() == null) {
            return update;
        }
        JobFabricUpdate.Impaired now = devices();
        return now.digest().equals(seen.impaired()) ? null : now;
    }

    /** Those of the job that are impaired. O(1) until devices change. */
    private JobFabricUpdate.Impaired devices() {
        if (devicesChanged) {
            devicesChanged = false;
            List<JobFabricUpdate.ImpairedDevice> now = new ArrayList<>();
            Set<ImpairedRanks.Use> known = new HashSet<>();
            for (ImpairedRanks ranks : impaired()) {
                for (ImpairedRanks.Use use : ranks.uses()) {
                    Integer pod = podOfFirstRank.get(use.first());
                    if (pod != null && known.add(use)) {
                        now.add(new JobFabricUpdate.ImpairedDevice(pod, use.deviceId(), ranks.words()));
                    }
                }
            }
            now.sort(Comparator.comparingInt(JobFabricUpdate.ImpairedDevice::pod)
                    .thenComparing(JobFabricUpdate.ImpairedDevice::deviceId));
            impairedDevices = new JobFabricUpdate.Impaired(now);
        }
        return impairedDevices;
    }

    /** Looks again which devices are impaired, when it is asked next. */
    void devicesChanged() {
        devicesChanged = true;
    }

    private @Nullable JobFabricUpdate updateAfter(ServedFabric served, ServedJob.SeenFabric seen) {
        long generation = seen.generation();
        boolean pending = seen.pending();
        String seenOthers = seen.others();
        String seenRoutes = seen.routes();
        boolean isPending = known.isPending(fabric);
        if (served.generation() == leftIn) {
            return null;
        }
        boolean othersChanged = seenOthers != null && isBehind(seenOthers);
        boolean tellsRoutes = version >= JobMapCodec.VERSION_WITH_ROUTES && seenRoutes != null;
        boolean rerouted = tellsRoutes && isRerouted(Objects.requireNonNull(seenRoutes));
        if (served.generation() > generation || (pending && !isPending) || othersChanged || rerouted) {
            JobMap map = renewed.get();
            if (map == null) {
                // Its values stay as they are. Not worked out again until something changes: this is asked often.
                leftIn = served.generation();
                return null;
            }
            List<String> next = new ArrayList<>(names(map));
            // The map lacks one that is not served; it comes back when it is, and the others have their news meanwhile.
            others.stream()
                    .filter(name -> known.fabric(name) == null && !next.contains(name))
                    .forEach(next::add);
            others = List.copyOf(next);
            // Also where a fabric is the job's no more: what is told now must not be news again.
            routes = routes(map);
            JobMap told = seenOthers == null ? map.withOneFabric() : map;
            return new JobFabricUpdate.Updated(
                    told,
                    JobMapCodec.encode(
                            told, tellsRoutes ? Math.min(version, seen.reads()) : JobMapCodec.VERSION_OF_SILENT));
        }
        return isPending && !pending ? new JobFabricUpdate.Pending() : null;
    }
}
