/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.map;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a job sends, to be drawn on a map: only switches that it uses are there, and each link is as wide as its bytes.
 *
 * @param ranks by the host that {@link JobRanks} has them on, as far as their numbers are known
 */
public record MapTraffic(List<Link> links, Map<String, List<RankRange>> ranks) {
    public MapTraffic {
        links = List.copyOf(links);
        Map<String, List<RankRange>> copy = new HashMap<>();
        ranks.forEach((host, numbers) -> copy.put(host, List.copyOf(numbers)));
        ranks = Map.copyOf(copy);
    }

    /**
     * What leaves by a port of a switch.
     *
     * @param switchId its id, as cables name it
     * @param hot whether the port holds others up
     */
    public record Link(String switchId, int port, long bytesPerSecond, boolean hot) {}
}
