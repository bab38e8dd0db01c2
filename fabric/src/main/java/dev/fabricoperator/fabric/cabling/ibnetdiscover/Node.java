/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.ibnetdiscover;

import dev.fabricoperator.fabric.cabling.HostName;
import dev.fabricoperator.fabric.cabling.LinkRate;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One record of a dump while it is being read. */
final class Node {
    /** SHARP aggregation node of Switch-IB 2 and later: an InfiniBand node inside the switch that computes. */
    private static final String AGGREGATION_DEVICE = "cf09";

    private static final Cable[] NO_CABLES = {};

    enum Kind {
        SWITCH('S'),
        ADAPTER('H'),
        ROUTER('R');

        final char letter;

        Kind(char letter) {
            this.letter = letter;
        }

        static @Nullable Kind of(char letter) {
            return switch (letter) {
                case 'S' -> SWITCH;
                case 'H' -> ADAPTER;
                case 'R' -> ROUTER;
                default -> null;
            };
        }
    }

    /** One cable as this node sees it. */
    static final class Cable {
        /** Where it stands in the dump. */
        final int line;

        /** Of this node. */
        final int port;

        /** What the far end is said to be. */
        final Kind peerKind;

        final long peer;
        final int peerPort;

        /** 0 where it is not said. */
        final long portGuid;

        /** Of this port; 0 where it is not said. */
        final int lid;

        final int peerLid;
        final @Nullable LinkRate rate;

        /** The far end, once all records are read. */
        @Nullable
        Node far;

        Cable(
                int line,
                int port,
                Kind peerKind,
                long peer,
                int peerPort,
                long portGuid,
                int lid,
                int peerLid,
                @Nullable LinkRate rate) {
            this.line = line;
            this.port = port;
            this.peerKind = peerKind;
            this.peer = peer;
            this.peerPort = peerPort;
            this.portGuid = portGuid;
            this.lid = lid;
            this.peerLid = peerLid;
            this.rate = rate;
        }

        boolean leadsTo(long guid, int farPort) {
            return peer == guid && peerPort == farPort;
        }
    }

    final Kind kind;
    final long guid;
    /** {@link #guid} as text. */
    final String id;

    final int line;
    final int portCount;
    final Header header;
    final @Nullable String description;
    final int lid;
    private final boolean aggregation;
    /** Ascending by port. */
    private Cable[] cables = NO_CABLES;

    private int count;

    /** Of an adapter, where its description names one. */
    @Nullable
    HostName host;

    /** Of a switch that is one of several in a box. */
    @Nullable
    String chassis;

    Node(Kind kind, long guid, int line, int portCount, Header header, @Nullable String description, int lid) {
        this.kind = kind;
        this.guid = guid;
        this.line = line;
        this.portCount = portCount;
        this.header = header;
        this.description = clean(description);
        this.lid = lid;
        id = Guid.text(guid);
        aggregation = kind == Kind.ADAPTER
                && (AGGREGATION_DEVICE.equals(header.deviceId)
                        || this.description != null && this.description.endsWith("Aggregation Node"));
    }

    /** Descriptions come off the wire: what cannot be printed becomes a blank. */
    private static @Nullable String clean(@Nullable String description) {
        if (description == null) {
            return null;
        }
        boolean printable = true;
        for (int i = 0; i < description.length(); i++) {
            printable &= !Character.isISOControl(description.charAt(i));
        }
        String stripped = (printable ? description : withoutControls(description)).strip();
        return stripped.isEmpty() ? null : stripped;
    }

    private static String withoutControls(String description) {
        StringBuilder printable = new StringBuilder(description.length());
        description.chars().forEach(c -> printable.append(Character.isISOControl(c) ? ' ' : (char) c));
        return printable.toString();
    }

    boolean isAggregation() {
        return aggregation;
    }

    /** Number of cables. */
    int cables() {
        return count;
    }

    /** The i-th one, ascending by port. */
    Cable cable(int i) {
        return cables[i];
    }

    @Nullable
    Cable cableAt(int port) {
        int i = indexOf(port);
        return i < 0 ? null : cables[i];
    }

    /** Adds a cable, or returns the one that its port has already. */
    @Nullable
    Cable putIfAbsent(Cable cable) {
        int i = indexOf(cable.port);
        if (i >= 0) {
            return cables[i];
        }
        if (count == cables.length) {
            cables = Arrays.copyOf(cables, count == 0 ? Math.min(portCount, 4) : Math.min(2 * count, portCount));
        }
        int place = -i - 1;
        System.arraycopy(cables, place, cables, place + 1, count - place);
        cables[place] = cable;
        count++;
        return null;
    }

    /** As of a binary search; where all ports up to this one have cables, and behind the last one, at the first look. */
    private int indexOf(int port) {
        if (count == 0 || cables[count - 1].port < port) {
            return -count - 1;
        }
        if (port <= count && cables[port - 1].port == port) {
            return port - 1;
        }
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            int middle = low + high >>> 1;
            int found = cables[middle].port;
            if (found == port) {
                return middle;
            }
            if (found < port) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -low - 1;
    }

    /** The text of a GUID that often is the node's own. */
    String text(long other) {
        return other == guid ? id : Guid.text(other);
    }

    /** The lines above a record: {@code vendid}, {@code devid}, {@code sysimgguid} and the node's GUID. */
    static final class Header {
        @Nullable
        String vendorId;

        @Nullable
        String deviceId;

        /** 0 where it is not said. */
        long systemImageGuid;

        /** 0 where it is not said. */
        long nodeGuid;

        int line;

        /** With --grouping; 0 for a node of no chassis. */
        int chassisNumber;
    }
}
