/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.ibnetdiscover;

import dev.fabricoperator.fabric.cabling.LinkRate;
import dev.fabricoperator.fabric.cabling.PortPeer;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One record of a dump while it is being read. */
final class Node {
    /** SHARP aggregation node of Switch-IB 2 and later: an InfiniBand node inside the switch that computes. */
    private static final String AGGREGATION_DEVICE = "cf09";

    enum Kind {
        SWITCH('S'),
        ADAPTER('H'),
        ROUTER('R');

        final char letter;

        Kind(char letter) {
            this.letter = letter;
        }

        static @Nullable Kind of(char letter) {
            for (Kind kind : values()) {
                if (kind.letter == letter) {
                    return kind;
                }
            }
            return null;
        }
    }

    /**
     * One cable as this node sees it.
     *
     * @param line where it stands in the dump
     * @param peerKind what the far end is said to be
     */
    record Cable(
            int line,
            Kind peerKind,
            PortPeer peer,
            @Nullable String portGuid,
            int lid,
            int peerLid,
            @Nullable LinkRate rate) {}

    final Kind kind;
    final String guid;
    final int line;
    final int portCount;
    final Header header;
    final @Nullable String description;
    final int lid;
    final TreeMap<Integer, Cable> cables = new TreeMap<>();

    Node(Kind kind, String guid, int line, int portCount, Header header, @Nullable String description, int lid) {
        this.kind = kind;
        this.guid = guid;
        this.line = line;
        this.portCount = portCount;
        this.header = header;
        this.description = description;
        this.lid = lid;
    }

    boolean isAggregation() {
        return kind == Kind.ADAPTER
                && (AGGREGATION_DEVICE.equals(header.deviceId)
                        || description != null && description.endsWith("Aggregation Node"));
    }

    /** The lines above a record: {@code vendid}, {@code devid}, {@code sysimgguid} and the node's GUID. */
    static final class Header {
        @Nullable
        String vendorId;

        @Nullable
        String deviceId;

        @Nullable
        String systemImageGuid;

        @Nullable
        String nodeGuid;

        int line;

        /** With --grouping; 0 for a node of no chassis. */
        int chassisNumber;
    }
}
