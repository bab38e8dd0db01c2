/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.map;

import java.util.List;

/** What a job sends, to be drawn on a map: only switches that it uses are there, and each link is as wide as its bytes. */
public record MapTraffic(List<Link> links) {
    public MapTraffic {
        links = List.copyOf(links);
    }

    /**
     * What leaves by a port of a switch.
     *
     * @param switchId its id, as cables name it
     * @param hot whether the port holds others up
     */
    public record Link(String switchId, int port, long bytesPerSecond, boolean hot) {}
}
