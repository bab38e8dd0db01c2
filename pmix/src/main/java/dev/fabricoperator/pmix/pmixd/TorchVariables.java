/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.launcher.LauncherText;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * By what ranks find each other that know no PMI, as those of PyTorch: rank 0 listens, and the others know where. All of these are defaults: what the
 * user or the image sets stays.
 *
 * @see "PyTorch 2.9, torch.distributed, Environment variable initialization"
 */
final class TorchVariables {
    /** PyTorch's own default, so that a NetworkPolicy can name it. */
    private static final int PORT = 29_500;

    private static final int LOWEST_OTHER = 20_000;
    private static final int OTHERS = 9_000;

    private TorchVariables() {}

    static void add(LauncherText.Block block, JobMap map, JobPod pod) {
        JobPod first = map.pods().getFirst();
        Map<String, String> ofAll = new LinkedHashMap<>();
        ofAll.put("WORLD_SIZE", Integer.toString(map.size()));
        ofAll.put("MASTER_ADDR", address(first));
        ofAll.put("MASTER_PORT", Integer.toString(port(map, first)));
        ofAll.put("LOCAL_WORLD_SIZE", Integer.toString(pod.rankCount()));
        long before = map.pods().stream()
                .filter(other -> other.rankCount() > 0 && other.firstRank() < pod.firstRank())
                .count();
        ofAll.put("GROUP_RANK", Long.toString(before));
        block.byDefault(ofAll);
        for (int rank = 0; rank < pod.rankCount(); rank++) {
            int ofJob = pod.firstRank() + rank;
            block.rankByDefault(ofJob, "RANK", Integer.toString(ofJob));
            block.rankByDefault(ofJob, "LOCAL_RANK", Integer.toString(rank));
        }
    }

    /**
     * All pods must name the same one, and only the first could try whether it is free. Where its pmixd has another port than its own, others share
     * the address, and each job has a number of its own.
     */
    private static int port(JobMap map, JobPod first) {
        return first.port() == FreePorts.MESH_PORT ? PORT : LOWEST_OTHER + map.sessionId() % OTHERS;
    }

    private static String address(JobPod pod) {
        try {
            return InetAddress.getByAddress(pod.address()).getHostAddress();
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + pod.address().length + " bytes", e);
        }
    }
}
