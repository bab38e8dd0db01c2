/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.status;

import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.operator.server.served.ServedDevice;
import java.util.List;

/**
 * Ranks of one pod that use a device whose link may be about to fail.
 *
 * @param first of the ranks, which follow one another
 * @param last of them
 * @param signs why, not empty
 */
public record ImpairedRanks(int first, int last, ServedDevice device, List<Impairment> signs) {
    /** Such as {@code ranks 4-7: mlx5_0 port 1 of node-3: 40 symbol errors in 2 s}. */
    public String words() {
        return (first == last ? "rank " + first : "ranks " + first + "-" + last) + ": " + device.osName()
                + (device.port() == 0 ? "" : " port " + device.port()) + " of " + device.nodeName() + ": "
                + signs.getFirst().words();
    }
}
