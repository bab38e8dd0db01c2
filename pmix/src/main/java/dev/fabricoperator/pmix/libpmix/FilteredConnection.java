/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One connection to the filter, until the library has taken it. Its handshake is looked at and stays in the socket, from which the library reads it.
 * Made and changed on the filter's thread.
 */
final class FilteredConnection {
    /** The largest handshake, and one byte that must not be there. */
    static final int BUFFER = Handshake.HEADER + Handshake.MAX_BYTES + 1;

    private final SocketCalls sockets;
    private final int descriptor;
    private long phaseNanos;
    /** From how many bytes on it is to be readable. */
    private int awaited = Handshake.HEADER;
    /** Since the kernel has called it readable for fewer. */
    private boolean paused;

    private String nspace = "";
    private int rank;
    private boolean tool;

    FilteredConnection(SocketCalls sockets, int descriptor, long nowNanos) throws IOException {
        this.sockets = sockets;
        this.descriptor = descriptor;
        this.phaseNanos = nowNanos;
        sockets.awaitBytes(descriptor, awaited);
    }

    int descriptor() {
        return descriptor;
    }

    /** When it was made, or its handshake was found good. */
    long phaseNanos() {
        return phaseNanos;
    }

    /** Whether to wait before the next look; once. */
    boolean pauses() {
        boolean pauses = paused;
        paused = false;
        return pauses;
    }

    /**
     * Looks at what has come.
     *
     * @param memory of C, {@link #BUFFER} bytes
     * @param ended whether nothing more will come
     * @return the handshake from {@code memory} once it is whole
     */
    @Nullable
    Handshake look(long memory, ByteBuffer view, boolean ended) throws IOException, Handshake.RefusedException {
        int count = sockets.receive(descriptor, memory, BUFFER, SocketCalls.MSG_PEEK | SocketCalls.MSG_DONTWAIT);
        int length = count < Handshake.HEADER ? Handshake.HEADER : Handshake.length(view);
        if (count < length) {
            if (ended) {
                if (count == 0) {
                    throw new EOFException();
                }
                throw new Handshake.RefusedException("closed within the handshake");
            }
            // At an urgent byte, for example: there is no use in looking again at once.
            paused = length == awaited;
            awaited = length;
            sockets.awaitBytes(descriptor, awaited);
            return null;
        }
        // A client waits for the answer; more than the handshake is none.
        if (count > length) {
            throw new Handshake.RefusedException("more than a handshake");
        }
        return Handshake.read(view.duplicate().limit(length));
    }

    /** Whose it is, now that that is known; the library may have it. */
    void pass(Handshake handshake, long nowNanos) throws IOException {
        sockets.awaitBytes(descriptor, 1);
        nspace = handshake.nspace();
        rank = handshake.rank();
        tool = handshake.tool();
        phaseNanos = nowNanos;
    }

    /** What the library calls a tool that has no name of its own. */
    void name(String given, int givenRank) {
        nspace = given;
        rank = givenRank;
    }

    boolean isTool() {
        return tool;
    }

    boolean isOf(String wanted) {
        return nspace.equals(wanted);
    }

    boolean isOf(String wantedNspace, int wantedRank) {
        return rank == wantedRank && nspace.equals(wantedNspace);
    }

    /** What has come is taken out first: the peer would get a reset in the place of the end. */
    void close(long memory) {
        try {
            sockets.receive(descriptor, memory, BUFFER, SocketCalls.MSG_DONTWAIT);
        } catch (IOException e) {
            // There is nothing.
        }
        sockets.close(descriptor);
    }
}
