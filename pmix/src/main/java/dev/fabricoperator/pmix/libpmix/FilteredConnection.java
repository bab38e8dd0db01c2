/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * One connection to the filter: bytes are gathered until the handshake is whole and found good, then passed both ways
 * between client and library as they come. On the filter's thread only, but for what says otherwise.
 */
final class FilteredConnection {
    private final HandshakeFilter filter;
    private final Side client;
    private long phaseNanos;
    private ByteBuffer handshake = ByteBuffer.allocate(1024);
    /** The library's side until it has the handshake. */
    private @Nullable Side connecting;

    private volatile @Nullable Side library;
    private String nspace = "";
    private int rank;
    private volatile boolean tool;
    private boolean unanswered;

    /** One of the two sockets, and what waits to be written to it. */
    private static final class Side {
        final SocketChannel channel;
        final SelectionKey key;

        @Nullable
        ByteBuffer pending;

        Side(SocketChannel channel, SelectionKey key) {
            this.channel = channel;
            this.key = key;
        }
    }

    FilteredConnection(HandshakeFilter filter, Selector selector, SocketChannel channel, long nowNanos)
            throws IOException {
        this.filter = filter;
        this.phaseNanos = nowNanos;
        client = side(selector, channel, SelectionKey.OP_READ);
    }

    private Side side(Selector selector, SocketChannel channel, int interest) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(java.net.StandardSocketOptions.TCP_NODELAY, true);
        return new Side(channel, channel.register(selector, interest, this));
    }

    boolean isAccepted() {
        return library != null;
    }

    /** Whether its handshake is good, and the library has not got it yet. */
    boolean isConnecting() {
        return connecting != null;
    }

    /** Whether it only waits for its client to end. */
    boolean isUnanswered() {
        return unanswered;
    }

    /** When it was made, or began to be connected to the library. */
    long phaseNanos() {
        return phaseNanos;
    }

    void ready(SelectionKey key, ByteBuffer buffer) throws IOException, Handshake.RefusedException {
        Side made = connecting;
        if (made != null) {
            handOver(made);
            return;
        }
        Side peer = library;
        if (unanswered) {
            awaitEnd(buffer);
            return;
        }
        if (peer == null) {
            gather();
            return;
        }
        Side self = key == client.key ? client : peer;
        Side other = self == client ? peer : client;
        if (key.isWritable()) {
            flush(self, other);
        }
        if (key.isValid() && key.isReadable()) {
            pass(self, other, buffer);
        }
    }

    /** Reads of the handshake what is there, and no more than the handshake. */
    private void gather() throws IOException, Handshake.RefusedException {
        if (client.channel.read(handshake) < 0) {
            if (handshake.position() == 0) {
                close();
                return;
            }
            throw new Handshake.RefusedException("closed within the handshake");
        }
        if (handshake.position() < Handshake.HEADER) {
            return;
        }
        int length = Handshake.length(handshake);
        if (handshake.capacity() < length) {
            handshake = ByteBuffer.allocate(length).put(handshake.flip());
        }
        if (handshake.position() >= length) {
            // A client waits for the answer; more than the handshake is none.
            if (handshake.position() > length) {
                throw new Handshake.RefusedException("more than a handshake");
            }
            handshake.flip();
            Handshake read = Handshake.read(handshake);
            if (!filter.admit(read, client.channel)) {
                unanswered = true;
                handshake = ByteBuffer.allocate(0);
                return;
            }
            nspace = read.nspace();
            rank = read.rank();
            tool = read.tool();
            filter.passes(this);
            connect();
        }
    }

    private void awaitEnd(ByteBuffer buffer) throws IOException {
        if (client.channel.read(buffer.clear()) < 0) {
            close();
        }
    }

    private void connect() throws IOException, Handshake.RefusedException {
        SocketChannel channel;
        try {
            channel = filter.connect();
        } catch (IOException e) {
            throw notTaken(e);
        }
        Side made;
        try {
            made = side(client.key.selector(), channel, SelectionKey.OP_CONNECT);
        } catch (IOException e) {
            close(channel);
            throw e;
        }
        connecting = made;
        phaseNanos = System.nanoTime();
        // A client waits for the answer.
        client.key.interestOps(0);
        handOver(made);
    }

    /** A new socket's buffer takes the handshake in one piece, as the library is to have it. */
    private void handOver(Side made) throws IOException, Handshake.RefusedException {
        try {
            if (!made.channel.finishConnect()) {
                return;
            }
        } catch (IOException e) {
            throw notTaken(e);
        }
        made.channel.write(handshake);
        if (handshake.hasRemaining()) {
            made.key.interestOps(SelectionKey.OP_WRITE);
            return;
        }
        handshake = ByteBuffer.allocate(0);
        connecting = null;
        library = made;
        made.key.interestOps(SelectionKey.OP_READ);
        client.key.interestOps(SelectionKey.OP_READ);
        if (!tool && !filter.expects(nspace)) {
            endInput();
        }
    }

    private static Handshake.RefusedException notTaken(IOException problem) {
        return new Handshake.RefusedException("libpmix takes no connections: " + problem.getMessage());
    }

    private void pass(Side from, Side to, ByteBuffer buffer) throws IOException {
        buffer.clear();
        if (from.channel.read(buffer) < 0) {
            if (from != client) {
                close();
                return;
            }
            dropClient();
            return;
        }
        if (!to.channel.isOpen()) {
            return;
        }
        buffer.flip();
        to.channel.write(buffer);
        if (buffer.hasRemaining()) {
            to.pending = ByteBuffer.allocate(buffer.remaining()).put(buffer).flip();
            to.key.interestOpsOr(SelectionKey.OP_WRITE);
            from.key.interestOpsAnd(~SelectionKey.OP_READ);
        }
    }

    private static void flush(Side to, Side from) throws IOException {
        ByteBuffer pending = to.pending;
        if (pending != null) {
            to.channel.write(pending);
        }
        if (pending == null || !pending.hasRemaining()) {
            to.pending = null;
            to.key.interestOpsAnd(~SelectionKey.OP_WRITE);
            if (from.key.isValid()) {
                from.key.interestOpsOr(SelectionKey.OP_READ);
            }
        }
    }

    /** The library closes its side when it has seen the end: only then is the connection over. */
    private void dropClient() {
        close(client.channel);
        client.pending = null;
        endInput();
        Side peer = library;
        if (peer != null) {
            peer.key.interestOpsOr(SelectionKey.OP_READ);
        }
    }

    /** One of the sides cannot be read or written any more. */
    void broken() {
        if (library != null && client.channel.isOpen()) {
            dropClient();
        } else {
            close();
        }
    }

    boolean isTool() {
        return tool;
    }

    /** For the thread that holds the lock of the connections that pass. */
    boolean isOf(String wanted) {
        return nspace.equals(wanted);
    }

    /** Likewise. */
    boolean isOf(String wantedNspace, int wantedRank) {
        return rank == wantedRank && nspace.equals(wantedNspace);
    }

    /** The library reads the end of what the client has sent. On any thread. */
    void endInput() {
        Side peer = library;
        try {
            if (peer != null) {
                peer.channel.shutdownOutput();
            }
        } catch (IOException e) {
            // It has ended already, which the filter's thread sees.
            return;
        }
    }

    void close() {
        filter.closed(this);
        close(client.channel);
        for (Side peer : new Side[] {connecting, library}) {
            if (peer != null) {
                close(peer.channel);
            }
        }
    }

    static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // The descriptor is gone either way.
        }
    }
}
