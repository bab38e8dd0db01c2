/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.map;

import java.util.List;

/**
 * A job to be drawn on a map.
 *
 * @param name as people know it
 * @param hosts those that hold ranks of it
 */
public record JobRanks(String name, List<OnHost> hosts) {
    public JobRanks {
        hosts = List.copyOf(hosts);
    }

    /**
     * Ranks on one host.
     *
     * @param slots of the host's devices in the fabric; none for a host that is not on it
     */
    public record OnHost(String host, int ranks, List<Integer> slots) {
        public OnHost {
            slots = List.copyOf(slots);
        }
    }

    /** Of all hosts. */
    public int ranks() {
        return hosts.stream().mapToInt(OnHost::ranks).sum();
    }
}
