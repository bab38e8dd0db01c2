/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static dev.fabricoperator.pmix.PmixKeys.*;

import dev.fabricoperator.pmix.PmixType;
import dev.fabricoperator.pmix.job.JobApp;
import dev.fabricoperator.pmix.job.JobFabric;
import dev.fabricoperator.pmix.job.JobMap;
import dev.fabricoperator.pmix.job.JobPod;
import dev.fabricoperator.pmix.map.MapWriter;
import dev.fabricoperator.pmix.server.RankBinding;
import java.util.List;

/**
 * A job as the array of values that {@code PMIx_server_register_nspace} takes.
 *
 * <p>Left out on purpose: PMIX_LOCALITY_STRING of ranks that are not bound (Open MPI 5.0.7 dies of an empty one), PMIX_NODE_LIST, PMIX_LOCAL_PEERS, PMIX_LOCAL_SIZE, PMIX_LOCALLDR (the library makes them of the two maps).
 *
 * @see "PMIx Standard, chapter Server, PMIx_server_register_nspace"
 */
final class JobInfos {
    private static final int JOB_VALUES = 10;
    private static final int NODE_VALUES = 5;

    private final NativeBlock block;
    private final JobMap map;
    private final int self;
    private final List<RankBinding> bindings;

    /**
     * @param self index of the pod whose ranks are served
     * @param bindings of its ranks; empty where none is bound
     */
    JobInfos(NativeBlock block, JobMap map, int self, List<RankBinding> bindings) {
        this.block = block;
        this.map = map;
        this.self = self;
        this.bindings = bindings;
    }

    InfoArray write() {
        List<JobPod> pods = map.pods();
        JobFabric fabric = map.fabric();
        int ranks = map.size();
        InfoArray job =
                block.infos(JOB_VALUES + FabricInfos.JOB_VALUES + map.apps().size() + pods.size() + ranks);
        job.uint32(PMIX_JOB_SIZE, ranks)
                .uint32(PMIX_UNIV_SIZE, ranks)
                .uint32(PMIX_MAX_PROCS, ranks)
                .uint32(PMIX_NUM_NODES, pods.size())
                .uint32(PMIX_JOB_NUM_APPS, map.apps().size())
                .string(PMIX_JOBID, map.nspace())
                .rank(PMIX_NPROC_OFFSET, 0);
        addMaps(job, pods);
        addLocalProcesses(job, pods.get(self));
        FabricInfos fabrics = new FabricInfos(block, map.fabrics());
        if (fabric != null) {
            fabrics.addJob(job, fabric);
        }
        addApps(job);
        RankInfos data = new RankInfos(block, map.apps().size(), new SwitchPeers(pods, self));
        boolean allDescribed = FabricInfos.areAllDescribed(pods);
        for (int nodeId = 0; nodeId < pods.size(); nodeId++) {
            JobPod pod = pods.get(nodeId);
            InfoArray node = block.infos(NODE_VALUES)
                    .string(PMIX_HOSTNAME, pod.name())
                    .uint32(PMIX_NODEID, nodeId)
                    .uint32(PMIX_NODE_SIZE, pod.rankCount());
            if (allDescribed || nodeId == self) {
                fabrics.addNode(node, pod);
            } else {
                fabrics.addPlaces(node, pod);
            }
            job.infos(PMIX_NODE_INFO_ARRAY, node);
            data.addPod(job, pod, nodeId, nodeId == self ? bindings : List.of());
        }
        return job;
    }

    /** Beside the job's values: the library files it under the server's own node. */
    private void addLocalProcesses(InfoArray job, JobPod pod) {
        NativeBlock.Part processes = block.part(pod.rankCount() * Layout.PROC_SIZE);
        for (int i = 0; i < pod.rankCount(); i++) {
            block.putProc(processes, i * Layout.PROC_SIZE, map.nspace(), pod.firstRank() + i);
        }
        job.array(PMIX_LOCAL_PROCS, PmixType.PROC, pod.rankCount(), processes.address());
    }

    private static void addMaps(InfoArray job, List<JobPod> pods) {
        MapWriter maps = new MapWriter();
        for (JobPod pod : pods) {
            maps.add(pod.name(), pod.firstRank(), pod.rankCount());
        }
        job.string(PMIX_NODE_MAP, maps.nodeMap()).string(PMIX_PROC_MAP, maps.processMap());
    }

    private void addApps(InfoArray job) {
        int[] leaders = new int[map.apps().size()];
        for (int i = map.pods().size() - 1; i >= 0; i--) {
            leaders[map.pods().get(i).app()] = map.pods().get(i).firstRank();
        }
        for (JobApp app : map.apps()) {
            job.infos(
                    PMIX_APP_INFO_ARRAY,
                    block.infos(3)
                            .uint32(PMIX_APPNUM, app.number())
                            .uint32(PMIX_APP_SIZE, app.size())
                            .rank(PMIX_APPLDR, leaders[app.number()]));
        }
    }
}
