/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import java.util.List;

/**
 * One pod, which is one PMIx node.
 *
 * @param name the pod's name: PMIX_HOSTNAME of its ranks, also with hostNetwork
 * @param host the physical host's name, as in {@code FabricDevice.spec.hostname}
 * @param app PMIX_APPNUM of its ranks
 * @param firstRank its ranks are {@code firstRank .. firstRank + rankCount - 1}
 * @param address 4 or 16 bytes: where its pmixd listens for the others
 * @param port of its pmixd for the others
 * @param cpuset CPUs that its ranks may use, in the kernel's list form, for example {@code 0-3,8}; empty is unknown
 * @param devices that its ranks can open, nearest first
 */
public record JobPod(
        String name,
        String host,
        int app,
        int firstRank,
        int rankCount,
        byte[] address,
        int port,
        String cpuset,
        List<JobDevice> devices) {
    public JobPod {
        devices = List.copyOf(devices);
    }
}
