/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.status;

import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.operator.server.served.ServedDevice;
import java.util.List;

/**
 * Ranks that use a link which may be about to fail.
 *
 * @param uses in the order of the ranks, not empty
 * @param signs why, not empty
 * @param words such as {@code ranks 4-7: mlx5_0 port 1 of node-3: 40 symbol errors in 2 s}
 */
public record ImpairedRanks(List<Use> uses, List<Impairment> signs, String words) {
    public ImpairedRanks {
        uses = List.copyOf(uses);
        signs = List.copyOf(signs);
    }

    /**
     * Ranks of one pod that reach the link by one device.
     *
     * @param first of the ranks, which follow one another
     * @param last of them
     * @param deviceId PMIX_DEVICE_ID
     */
    public record Use(int first, int last, String deviceId) {}

    /**
     * Ranks of one pod that can open a device whose own link it is.
     *
     * @param more what is said behind the first sign, such as of the other end of the cable
     */
    public static ImpairedRanks on(ServedDevice device, int first, int last, List<Impairment> signs, String more) {
        return new ImpairedRanks(
                List.of(new Use(first, last, device.deviceId())),
                signs,
                (first == last ? "rank " + first : "ranks " + first + "-" + last) + ": " + device.osName()
                        + (device.port() == 0 ? "" : " port " + device.port()) + " of " + device.nodeName() + ": "
                        + signs.getFirst().words() + more);
    }
}
