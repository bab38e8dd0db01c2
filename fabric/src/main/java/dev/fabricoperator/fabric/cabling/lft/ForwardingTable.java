/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.lft;

import java.util.Arrays;

/**
 * The linear forwarding table (LFT) of one switch: the port by which it sends a packet on, by the packet's destination LID. Immutable; a byte for
 * each LID up to the highest one that has a port.
 *
 * @see "InfiniBand Architecture Specification, volume 1, 14.2.5.11 LinearForwardingTable"
 */
public final class ForwardingTable {
    /** For a LID that the switch sends nowhere. */
    public static final int NO_PORT = 0xff;

    private final String file;
    private final int line;
    private final String switchId;
    private final byte[] ports;

    /** @param ports by LID, which the table takes over */
    ForwardingTable(String file, int line, String switchId, byte[] ports) {
        this.file = file;
        this.line = line;
        this.switchId = switchId;
        this.ports = ports;
    }

    /** What the text is called that says it. */
    public String file() {
        return file;
    }

    /** Where in the text it begins. */
    public int line() {
        return line;
    }

    /** Node GUID, 16 lower-case hex digits. */
    public String switchId() {
        return switchId;
    }

    /** Highest LID that has a port + 1. */
    public int lids() {
        return ports.length;
    }

    /** 0 for the switch itself, {@link #NO_PORT} for a LID that it does not send on. */
    public int port(int lid) {
        return lid > 0 && lid < ports.length ? Byte.toUnsignedInt(ports[lid]) : NO_PORT;
    }

    /** The lowest LID that the switch takes for its own; 0 where there is none. O(LIDs). */
    public int ownLid() {
        for (int lid = 1; lid < ports.length; lid++) {
            if (ports[lid] == 0) {
                return lid;
            }
        }
        return 0;
    }

    boolean says(ForwardingTable other) {
        return Arrays.equals(ports, other.ports);
    }
}
