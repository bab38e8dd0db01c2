/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static dev.fabricoperator.protocol.pmix.PmixKeys.*;

import dev.fabricoperator.pmix.server.PodValues;
import dev.fabricoperator.pmix.server.RankBinding;
import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.pmix.PmixType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * PMIX_PROC_DATA of the ranks of one pod after another: place, endpoints, distances, peers of the same switch. What all
 * ranks of a pod have in common is written once and pointed to, for the library copies every value.
 */
final class RankInfos {
    private static final int VALUES = 16;

    private final NativeBlock block;
    private final int[] ranksOfApp;
    private final SwitchPeers switchPeers;
    /** By list of ranks. */
    private final Map<String, Long> addressOfRanks = new HashMap<>();

    RankInfos(NativeBlock block, int apps, SwitchPeers switchPeers) {
        this.block = block;
        this.ranksOfApp = new int[apps];
        this.switchPeers = switchPeers;
    }

    /**
     * Adds one PMIX_PROC_DATA for each rank of the pod.
     *
     * @param values of the pod
     */
    void addPod(InfoArray job, JobPod pod, int nodeId, PodValues values) {
        List<RankBinding> bindings = values.bindings();
        Map<String, Integer> ranksOfPackage = new HashMap<>();
        List<JobDevice> reachable = new ArrayList<>(pod.devices().size());
        for (JobDevice device : pod.devices()) {
            if (device.endpoint() != null) {
                reachable.add(device);
            }
        }
        long[] ids = strings(reachable, true);
        long[] names = strings(reachable, false);
        long distances = distances(block, pod.devices());
        InfoArray peers = switchPeers(switchPeers.isTold(pod) ? pod.devices() : List.of());
        for (int local = 0; local < pod.rankCount(); local++) {
            InfoArray rank = block.infos(VALUES)
                    .rank(PMIX_RANK, pod.firstRank() + local)
                    .uint32(PMIX_APPNUM, pod.app())
                    .uint32(PMIX_NODEID, nodeId)
                    .uint16(PMIX_LOCAL_RANK, local)
                    .uint16(PMIX_NODE_RANK, local)
                    .rank(PMIX_GLOBAL_RANK, pod.firstRank() + local)
                    .rank(PMIX_APP_RANK, ranksOfApp[pod.app()]++)
                    // A new attempt is a new namespace, of which every process is the first.
                    .uint32(PMIX_REINCARNATION, 0)
                    .bool(PMIX_SPAWNED, false);
            String directory = values.rankDirectory(pod.firstRank() + local);
            if (directory != null) {
                rank.string(PMIX_PROCDIR, directory);
            }
            if (local < bindings.size()) {
                RankBinding binding = bindings.get(local);
                rank.string(PMIX_CPUSET, "hwloc:" + binding.cpus()).string(PMIX_LOCALITY_STRING, binding.locality());
                if (binding.isOfOnePackage()) {
                    rank.uint16(PMIX_PACKAGE_RANK, ranksOfPackage.merge(binding.packages(), 1, Integer::sum) - 1);
                }
            } else if (values.onePackage()) {
                rank.uint16(PMIX_PACKAGE_RANK, local);
            }
            if (!reachable.isEmpty()) {
                rank.array(
                        PMIX_FABRIC_ENDPT,
                        PmixType.ENDPOINT,
                        reachable.size(),
                        endpoints(reachable, ids, names, local));
            }
            if (!pod.devices().isEmpty()) {
                rank.array(
                        PMIX_DEVICE_DISTANCES,
                        PmixType.DEVICE_DIST,
                        pod.devices().size(),
                        distances);
            }
            if (peers.size() > 0) {
                rank.infos(PMIX_SWITCH_PEERS, peers);
            }
            job.infos(PMIX_PROC_DATA, rank);
        }
    }

    private long[] strings(List<JobDevice> devices, boolean ids) {
        long[] addresses = new long[devices.size()];
        for (int i = 0; i < addresses.length; i++) {
            addresses[i] = block.string(
                    ids ? devices.get(i).deviceId() : devices.get(i).osName());
        }
        return addresses;
    }

    private long endpoints(List<JobDevice> devices, long[] ids, long[] names, int localRank) {
        NativeBlock.Part part = block.part(ids.length * Layout.ENDPOINT_SIZE);
        for (int i = 0; i < ids.length; i++) {
            var template = devices.get(i).endpoint();
            if (template == null) {
                throw new IllegalStateException("only devices with an endpoint come here");
            }
            byte[] bytes = EndpointBytes.of(template, localRank);
            int at = part.offset() + i * Layout.ENDPOINT_SIZE;
            part.buffer().putLong(at, ids[i]);
            part.buffer().putLong(at + Layout.ENDPOINT_OSNAME, names[i]);
            part.buffer().putLong(at + Layout.ENDPOINT_BYTES, block.bytes(bytes));
            part.buffer().putLong(at + Layout.ENDPOINT_LENGTH, bytes.length);
        }
        return part.address();
    }

    /** Address of an array of {@code pmix_device_distance_t}. */
    static long distances(NativeBlock block, List<JobDevice> devices) {
        NativeBlock.Part part = block.part(devices.size() * Layout.DEVICE_DISTANCE_SIZE);
        for (int i = 0; i < devices.size(); i++) {
            JobDevice device = devices.get(i);
            int at = part.offset() + i * Layout.DEVICE_DISTANCE_SIZE;
            part.buffer().putLong(at, block.string(device.deviceId()));
            part.buffer().putLong(at + Layout.DEVICE_DISTANCE_OSNAME, block.string(device.osName()));
            part.buffer().putLong(at + Layout.DEVICE_DISTANCE_TYPE, device.typeBits());
            part.buffer().putShort(at + Layout.DEVICE_DISTANCE_MINDIST, (short) device.minimumDistance());
            part.buffer().putShort(at + Layout.DEVICE_DISTANCE_MAXDIST, (short) device.maximumDistance());
        }
        return part.address();
    }

    private InfoArray switchPeers(List<JobDevice> devices) {
        InfoArray peers = block.infos(devices.size());
        for (JobDevice device : devices) {
            String ranks = switchPeers.ranks(device);
            if (device.switchId() != null && ranks != null) {
                peers.infos(
                        PMIX_SWITCH_PEERS,
                        block.infos(3)
                                .string(PMIX_DEVICE_ID, device.deviceId())
                                .string(PMIX_FABRIC_SWITCH, device.switchId())
                                .pointer(
                                        PMIX_SWITCH_PEERS,
                                        PmixType.STRING,
                                        addressOfRanks.computeIfAbsent(ranks, block::string)));
            }
        }
        return peers;
    }
}
