/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.server.jobs.assembly.JobPodId;
import dev.fabricoperator.operator.server.jobs.placement.BuiltMap;
import dev.fabricoperator.operator.server.jobs.placement.JobMaps;
import dev.fabricoperator.operator.server.jobs.placement.KnownFabrics;
import dev.fabricoperator.protocol.job.JobCodecException;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobMapCodec;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.job.PodReportCodec;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a replica learns of a map that another one has made, or itself before it was restarted: the first pod of the job tells it. Whoever has that
 * pod's token can have written it, so that it counts only as far as the objects say the same; nothing is read from the API server.
 */
final class HeldMaps {
    private final KnownFabrics known;
    private final JobMaps maps;
    private final Pods pods;

    /** The pods of a job that are known here. */
    @FunctionalInterface
    interface Pods {
        /** The pod of that name, {@code null} where it is none of the job's, has no node, or is not known yet. */
        @Nullable
        JobPodId find(DirectJob job, String name);
    }

    HeldMaps(KnownFabrics known, JobMaps maps, Pods pods) {
        this.known = known;
        this.maps = maps;
        this.pods = pods;
    }

    /**
     * One after the other: a map takes much more memory while it is read than afterwards. O(devices of the nodes), and the square of the
     * devices where the job has their costs.
     *
     * @param first who tells it
     * @throws JobRefusedException for a map that is none, or that is not that of the pods which are known here; its sentence quotes nothing of the map
     */
    synchronized FabricOfJob learn(DirectJob job, JobPodId first, int attempt, byte[] body) throws JobRefusedException {
        JobMap map;
        try {
            long longest = (long) PodReportCodec.LONGEST_BYTES * job.pods();
            map = JobMapCodec.decode(body, (int) Math.min(JobMapCodec.LONGEST_OF_POD_BYTES, longest));
        } catch (JobCodecException e) {
            throw JobRefusedException.of(400, String.valueOf(e.getMessage()));
        }
        if (map.attempt() != attempt || !map.nspace().equals(job.nspace(attempt))) {
            throw refused("it is of another attempt or job");
        }
        if (map.fabric() == null) {
            throw refused("it has no fabric");
        }
        if (map.pods().isEmpty() || !map.pods().getFirst().name().equals(first.name())) {
            throw refused("another pod than " + first.name() + " is its first one");
        }
        BuiltMap held = maps.held(job, map, pods(job, map));
        FabricOfJob learned = FabricOfJob.of(known, held);
        if (learned == null || held.renewed().get() == null) {
            throw refused("none of its devices is, on the node of its pod, in the fabric that it names");
        }
        return learned;
    }

    private List<JobPodId> pods(DirectJob job, JobMap map) throws JobRefusedException {
        List<JobPodId> found = new ArrayList<>(map.pods().size());
        BitSet ordinals = new BitSet();
        for (JobPod pod : map.pods()) {
            JobPodId id = pods.find(job, pod.name());
            if (id == null || ordinals.get(id.ordinal())) {
                throw refused("one of its pods is none of the job's, or not known here yet, or there twice");
            }
            int ranks = job.apps().get(job.appOf(id.ordinal())).ranksPerPod();
            // How many ranks of a run are in which worker is mpirun's affair.
            boolean first = found.isEmpty();
            boolean fits = job.isRunByMpirun() ? first == (id.ordinal() == 0) : pod.rankCount() == ranks;
            if (!fits || pod.devices().size() > PodReportCodec.MOST_DEVICES) {
                throw refused("pod " + id.name() + " has other ranks, or more devices than it can");
            }
            ordinals.set(id.ordinal());
            found.add(id);
        }
        if (found.size() != job.pods()) {
            throw refused("it has " + found.size() + " of " + job.pods() + " pods");
        }
        return found;
    }

    private static JobRefusedException refused(String why) {
        return JobRefusedException.of(409, "the map is not believed: " + why);
    }
}
