/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static dev.fabricoperator.protocol.pmix.PmixKeys.*;

import dev.fabricoperator.pmix.map.MapWriter;
import dev.fabricoperator.pmix.server.PodValues;
import dev.fabricoperator.pmix.server.RankBinding;
import dev.fabricoperator.pmix.server.ServerConfig;
import dev.fabricoperator.protocol.job.JobApp;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.pmix.PmixType;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A job as the array of values that {@code PMIx_server_register_nspace} takes.
 *
 * <p>Left out on purpose: PMIX_LOCALITY_STRING of ranks that are not bound (Open MPI 5.0.7 dies of an empty one), PMIX_NODE_LIST, PMIX_LOCAL_PEERS, PMIX_LOCAL_SIZE, PMIX_LOCALLDR (the library makes them of the two maps).
 *
 * @see "PMIx Standard, chapter Server, PMIx_server_register_nspace"
 */
final class JobInfos {
    private static final int JOB_VALUES = 15 + LibpmixServer.MANAGER_VALUES;
    private static final int NODE_VALUES = 8;
    private static final int APP_VALUES = 7;

    private final NativeBlock block;
    private final JobMap map;
    private final int self;
    private final PodValues values;

    /**
     * @param self index of the pod whose ranks are served
     * @param values of that pod
     */
    JobInfos(NativeBlock block, JobMap map, int self, PodValues values) {
        this.block = block;
        this.map = map;
        this.self = self;
        this.values = values;
    }

    /**
     * @param config of the server that serves it
     * @param topology PMIX_HWLOC_XML_V2 of the own pod, {@code null} where its clients read it themselves
     */
    InfoArray write(ServerConfig config, @Nullable String topology) {
        List<JobPod> pods = map.pods();
        JobFabric fabric = map.fabric();
        int ranks = map.size();
        InfoArray job = block.infos(JOB_VALUES
                + FabricInfos.JOB_VALUES
                + FabricInfos.LEVEL_VALUES
                + map.apps().size()
                + pods.size()
                + ranks);
        // Values of a session are filed under the number that stands before them. Those of the manager are values of no
        // nspace, too, which a client would file under no session.
        LibpmixServer.addManager(job.uint32(PMIX_SESSION_ID, map.sessionId()), config);
        job.uint32(PMIX_JOB_SIZE, ranks)
                .uint32(PMIX_UNIV_SIZE, ranks)
                .uint32(PMIX_MAX_PROCS, ranks)
                .uint32(PMIX_NUM_NODES, pods.size())
                .uint32(PMIX_JOB_NUM_APPS, map.apps().size())
                .string(PMIX_JOBID, map.nspace())
                .rank(PMIX_NPROC_OFFSET, 0)
                .string(PMIX_ALLOCATED_NODELIST, String.join(",", names(pods)));
        if (topology != null) {
            job.string(PMIX_HWLOC_XML_V2, topology);
        }
        String sessionDirectory = values.sessionDirectory();
        String jobDirectory = values.jobDirectory();
        if (sessionDirectory != null && jobDirectory != null) {
            job.string(PMIX_TMPDIR, sessionDirectory).string(PMIX_NSDIR, jobDirectory);
        }
        addMaps(job, pods);
        addLocalProcesses(job, pods.get(self));
        FabricInfos fabrics = new FabricInfos(block, map.fabrics());
        if (fabric != null) {
            fabrics.addJob(job, fabric);
            fabrics.addLevels(job, fabric.levels());
        }
        addApps(job);
        RankInfos data = new RankInfos(block, map.apps().size(), new SwitchPeers(pods, self));
        List<String> aliases = aliases();
        boolean allDescribed = FabricInfos.areAllDescribed(pods);
        for (int nodeId = 0; nodeId < pods.size(); nodeId++) {
            JobPod pod = pods.get(nodeId);
            InfoArray node = block.infos(NODE_VALUES)
                    .string(PMIX_HOSTNAME, pod.name())
                    .uint32(PMIX_NODEID, nodeId)
                    .uint32(PMIX_NODE_SIZE, pod.rankCount())
                    .string(PMIX_HOSTNAME_ALIASES, aliases.get(nodeId));
            if (nodeId == self) {
                addOwnNode(node);
            }
            if (allDescribed || nodeId == self) {
                fabrics.addNode(node, pod);
            } else {
                fabrics.addPlaces(node, pod);
            }
            job.infos(PMIX_NODE_INFO_ARRAY, node);
            data.addPod(job, pod, nodeId, nodeId == self ? values : PodValues.UNKNOWN);
        }
        return job;
    }

    private static List<String> names(List<JobPod> pods) {
        return pods.stream().map(JobPod::name).toList();
    }

    /** PMIX_HOSTNAME_ALIASES of each pod. A name that two nodes have would be that of either: with hostNetwork pods share an address. */
    private List<String> aliases() {
        List<String> addresses = new ArrayList<>(map.pods().size());
        Map<String, Integer> pods = new HashMap<>();
        for (JobPod pod : map.pods()) {
            try {
                String address = InetAddress.getByAddress(pod.address()).getHostAddress();
                addresses.add(address);
                pods.merge(address, 1, Integer::sum);
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException("an address of " + pod.address().length + " bytes", e);
            }
        }
        for (int i = 0; i < addresses.size(); i++) {
            String name = map.pods().get(i).name();
            addresses.set(i, pods.getOrDefault(addresses.get(i), 1) > 1 ? name : name + ',' + addresses.get(i));
        }
        return addresses;
    }

    private void addOwnNode(InfoArray node) {
        if (!values.bindings().isEmpty()) {
            node.string(
                    PMIX_LOCAL_CPUSETS,
                    values.bindings().stream().map(RankBinding::cpus).collect(Collectors.joining(":")));
        }
        if (values.memoryBytes() > 0) {
            node.uint64(PMIX_AVAIL_PHYS_MEMORY, values.memoryBytes());
        }
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
        int[] leaders = map.firstRanks();
        int own = map.pods().get(self).app();
        for (JobApp app : map.apps()) {
            InfoArray infos = block.infos(APP_VALUES)
                    .uint32(PMIX_APPNUM, app.number())
                    .uint32(PMIX_APP_SIZE, app.size())
                    .uint32(PMIX_MAX_PROCS, app.size())
                    .rank(PMIX_APPLDR, Math.max(0, leaders[app.number()]))
                    .array(PMIX_PSET_NAMES, PmixType.STRING, 1, block.strings(List.of(app.name())));
            if (app.number() == own && values.workingDirectory() != null) {
                infos.string(PMIX_WDIR, values.workingDirectory());
            }
            if (app.number() == own && values.arguments() != null) {
                infos.string(PMIX_APP_ARGV, values.arguments());
            }
            job.infos(PMIX_APP_INFO_ARRAY, infos);
        }
    }
}
