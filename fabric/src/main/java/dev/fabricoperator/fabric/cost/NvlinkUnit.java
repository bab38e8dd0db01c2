/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

/**
 * Makes costs of NVLink between hosts comparable with those of the network that they have too: costs of two fabrics do not compare, since
 * each counts hops over its own fastest cable. Divided by how much faster that cable is, they do.
 *
 * <p>A speed that nobody says counts as follows: NVLink as 3,600 Gbit/s, one direction of NVLink 4, the first that joins hosts; a network as
 * 800 Gbit/s, the fastest ports that there are.
 *
 * @param networkSpeed bits per second of the network's fastest cable
 * @param nvlinkSpeed of an accelerator to its clique
 * @see "NVIDIA, NVLink and NVSwitch: 900 GB/s for each GPU of the fourth generation, of both directions"
 */
public record NvlinkUnit(long networkSpeed, long nvlinkSpeed) {
    private static final long NETWORK = 800_000_000_000L;
    private static final long NVLINK = 3_600_000_000_000L;

    public static NvlinkUnit of(LinkCosts network, LinkCosts nvlink) {
        return new NvlinkUnit(
                network.fastest() > 0 ? network.fastest() : NETWORK, nvlink.fastest() > 0 ? nvlink.fastest() : NVLINK);
    }

    /** A cost of NVLink in the unit of the network: 0 stays 0 and out of reach stays so, all else is at least 1. */
    public int inNetwork(int cost) {
        if (cost == 0 || cost == CostMatrix.UNREACHABLE) {
            return cost;
        }
        return Math.clamp(Math.round((double) cost * networkSpeed / nvlinkSpeed), 1, CostMatrix.HIGHEST);
    }
}
