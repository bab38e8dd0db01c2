/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.route;

import java.util.List;

/** What the forwarding tables say of packets from one device to another. */
public sealed interface Route {
    /**
     * They arrive.
     *
     * @param lid destination LID of the packets: the base LID of the port that they go to
     * @param ways different ways to the LIDs of that port, this one included; 1 where its LMC is 0
     * @param hops the switches on the way, at least one
     */
    record Arrives(int lid, int ways, List<Hop> hops) implements Route {
        public Arrives {
            hops = List.copyOf(hops);
        }
    }

    /**
     * They do not, or nobody can tell.
     *
     * @param message names switch, LID and port
     */
    record Ends(End end, String message) implements Route {}

    /**
     * A switch on the way.
     *
     * @param at its index in the topology
     * @param inPort 0 where nobody knows
     * @param speedBitsPerSecond of the link by which packets go out; 0 where nobody knows
     */
    record Hop(int at, int inPort, int outPort, long speedBitsPerSecond) {}

    /** Why a route cannot be told to its end. */
    enum End {
        /** One of the devices has no cable to a switch. */
        NoSwitch,
        /** Neither the map nor the tables say the destination's LID. */
        NoLid,
        /** A switch on the way has no forwarding table. */
        NoTable,
        /** A table has no port for the LID. */
        NoEntry,
        /** A table names a port that no cable is at. */
        NoCable,
        /** The way comes back to a switch. */
        Loop,
        /** The way ends at another device, or a switch keeps the packets for itself. */
        WrongEnd
    }
}
