/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import dev.fabricoperator.pmix.foreign.Native;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Stands before libpmix's port on 127.0.0.1: what is no handshake of an expected client is refused with a reason and never
 * reaches the library, which one such message can kill and one silent connection can block. Accepted connections are
 * passed through unchanged. A thread of its own.
 */
public final class HandshakeFilter implements AutoCloseable {
    private static final long PHASE_NANOS = 5_000_000_000L;
    /** The oldest goes first. */
    static final int MAX_UNDECIDED = 128;
    /** Of one rank at a time; it needs one. */
    static final int MAX_PER_RANK = 8;
    /** At a time, of all that run in the pod. */
    static final int MAX_TOOLS = 8;
    /** Of processes at a time that outlive their attempt. */
    private static final int MAX_UNANSWERED = 128;
    /** After the kernel's refusal, for example for want of descriptors. */
    private static final long ACCEPT_PAUSE_NANOS = 100_000_000L;

    public static final int GUARD_KEY_BYTES = ListenerGuard.KEY_BYTES;

    private static final int BUFFER = 64 * 1024;

    private static final Path PROC = Path.of("/proc");

    private final Native calls = new Native("libc.so.6");
    private final int libraryPort;
    private final Clients from;
    private final Listener listener;
    private final Selector selector;
    private final ServerSocketChannel channel;
    private final Map<String, Map<Integer, Credential>> clients = new ConcurrentHashMap<>();
    private final Set<FilteredConnection> undecided = new LinkedHashSet<>();
    /** Which the library has not taken yet. */
    private final Set<FilteredConnection> connecting = new LinkedHashSet<>();
    /** Of ranks whose attempt has ended. */
    private final Set<FilteredConnection> unanswered = new HashSet<>();
    /** Which pass bytes; guarded by itself, and notified when one ends. */
    private final Set<FilteredConnection> passing = new HashSet<>();

    /** Whose ranks are being ended, as far as they still run. */
    private volatile String forgotten = "";

    private volatile Runnable lastToolLeft = () -> {};
    private final SelectionKey acceptKey;
    private boolean acceptPaused;
    private long acceptAgainNanos;
    private volatile @Nullable ListenerGuard guard;
    private volatile boolean closed;

    private record Credential(int uid, int gid) {}

    /** Where processes may be that connect as a client. */
    public enum Clients {
        /** Anywhere in this network namespace. */
        OfNetwork,
        /** In this process's container, where others share its network, as with {@code hostNetwork}. */
        OfContainer
    }

    /** On the filter's thread. */
    public interface Listener {
        /** A connection was, and why. */
        void refused(String reason);

        /** Connections wait, and why. */
        default void notAccepted(String reason) {
            refused(reason);
        }
    }

    private HandshakeFilter(int port, int libraryPort, Clients from, Listener listener) throws IOException {
        this.libraryPort = libraryPort;
        this.from = from;
        this.listener = listener;
        channel = ServerSocketChannel.open();
        channel.bind(new InetSocketAddress("127.0.0.1", port), MAX_UNDECIDED);
        channel.configureBlocking(false);
        selector = Selector.open();
        acceptKey = channel.register(selector, SelectionKey.OP_ACCEPT);
    }

    /**
     * Listens on 127.0.0.1.
     *
     * @param port 0 for any that is free
     * @param libraryPort of libpmix, which need not listen yet
     * @param from others are refused, whatever they say of themselves
     * @throws IOException if the port is taken
     */
    public static HandshakeFilter open(int port, int libraryPort, Clients from, Listener listener) throws IOException {
        HandshakeFilter filter = new HandshakeFilter(port, libraryPort, from, listener);
        Thread thread = new Thread(filter::run, "handshake-filter");
        thread.setDaemon(true);
        thread.start();
        return filter;
    }

    /** Where clients connect. */
    public int port() {
        return channel.socket().getLocalPort();
    }

    /** Lets a client pass; to be said before it starts, with what {@code PMIx_server_register_client} is told. */
    public void expect(String nspace, int rank, int uid, int gid) {
        clients.computeIfAbsent(nspace, first -> new ConcurrentHashMap<>()).put(rank, new Credential(uid, gid));
    }

    /** Names a namespace that nobody else has, the server's own: no tool can take it. */
    public void reserve(String nspace) {
        clients.computeIfAbsent(nspace, first -> new ConcurrentHashMap<>());
    }

    /**
     * @param action runs on the filter's thread when the library has closed its side of the last tool's connection, before it gets
     *     another tool's handshake
     */
    public void whenLastToolLeaves(Runnable action) {
        lastToolLeft = action;
    }

    /**
     * Lets no client of a job pass any more, ends the connections of those that are there, and waits until the library has closed
     * its side of them. A rank that only now connects gets no answer until it is ended: Open MPI would take a refusal for
     * the absence of a server, and run the program alone. Where the library is told to forget a client before it has seen its connection end, and a
     * question of the client is still open, it closes the socket but keeps the event: a later client on the same descriptor is
     * never heard (5.0.7, remove_client).
     *
     * @return how many connections the library has not closed in time
     */
    public int forget(String nspace, long limitMillis) {
        forgotten = nspace;
        clients.remove(nspace);
        long deadline = System.nanoTime() + limitMillis * 1_000_000;
        synchronized (passing) {
            for (FilteredConnection connection : passing) {
                if (connection.isOf(nspace)) {
                    connection.endInput();
                }
            }
            int left = passing(nspace);
            long nanos = limitMillis * 1_000_000;
            while (left > 0 && nanos > 0 && !closed) {
                try {
                    passing.wait(nanos / 1_000_000 + 1);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return left;
                }
                left = passing(nspace);
                nanos = deadline - System.nanoTime();
            }
            return left;
        }
    }

    private int passing(String nspace) {
        int count = 0;
        for (FilteredConnection connection : passing) {
            if (connection.isOf(nspace)) {
                count++;
            }
        }
        return count;
    }

    /**
     * Keeps the library's port for this filter alone.
     *
     * @param key {@link #GUARD_KEY_BYTES} random bytes
     * @throws IOException if that cannot be; the filter serves as before
     */
    public void guard(LibpmixServer library, byte[] key) throws IOException {
        guard = library.guard(key);
    }

    /** Begins a connection to the library, which does not block: the library's queue may be full, and others are served meanwhile. */
    SocketChannel connect() throws IOException {
        ListenerGuard found = guard;
        if (found != null) {
            return found.connect();
        }
        SocketChannel channel = SocketChannel.open();
        try {
            channel.configureBlocking(false);
            channel.connect(new InetSocketAddress("127.0.0.1", libraryPort));
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * To be said before the handshake {@link #passes}.
     *
     * @return whether it shall; otherwise it is to get no answer
     */
    boolean admit(Handshake handshake, SocketChannel client) throws IOException, Handshake.RefusedException {
        if (handshake.tool()) {
            admitTool(handshake, client);
            return true;
        }
        Credential expected = clients.getOrDefault(handshake.nspace(), Map.of()).get(handshake.rank());
        if (expected == null && handshake.nspace().equals(forgotten) && unanswered.size() < MAX_UNANSWERED) {
            return false;
        }
        if (expected == null) {
            throw new Handshake.RefusedException("no rank of this pod");
        }
        if (expected.uid != handshake.uid() || expected.gid != handshake.gid()) {
            throw new Handshake.RefusedException("rank " + handshake.rank() + " says that it is user "
                    + Integer.toUnsignedString(handshake.uid()) + ":" + Integer.toUnsignedString(handshake.gid())
                    + ", but was started as " + Integer.toUnsignedString(expected.uid) + ":"
                    + Integer.toUnsignedString(expected.gid));
        }
        checkOwner("rank " + handshake.rank(), expected.uid, from == Clients.OfContainer, client);
        int open = 0;
        synchronized (passing) {
            for (FilteredConnection connection : passing) {
                open += connection.isOf(handshake.nspace(), handshake.rank()) ? 1 : 0;
            }
        }
        if (open >= MAX_PER_RANK) {
            throw new Handshake.RefusedException(
                    "rank " + handshake.rank() + " has " + MAX_PER_RANK + " connections already");
        }
        return true;
    }

    /** The user of the pod's ranks may ask their server, under a name that is nobody's. */
    private void admitTool(Handshake handshake, SocketChannel client) throws IOException, Handshake.RefusedException {
        boolean known = false;
        for (Map<Integer, Credential> ranks : clients.values()) {
            for (Credential rank : ranks.values()) {
                known |= rank.uid == handshake.uid();
            }
        }
        if (!known) {
            throw new Handshake.RefusedException("a tool of user " + Integer.toUnsignedString(handshake.uid())
                    + ", who has no rank in this pod now");
        }
        checkOwner("a tool", handshake.uid(), true, client);
        boolean taken = clients.containsKey(handshake.nspace());
        int open = 0;
        synchronized (passing) {
            for (FilteredConnection connection : passing) {
                open += connection.isTool() ? 1 : 0;
                taken |= !handshake.nspace().isEmpty() && connection.isOf(handshake.nspace());
            }
        }
        if (taken) {
            throw new Handshake.RefusedException("a tool with a name that is taken");
        }
        if (open >= MAX_TOOLS) {
            throw new Handshake.RefusedException("another tool than the " + MAX_TOOLS + " that are there");
        }
    }

    /**
     * What a handshake says of its user anybody can say; whose the socket is the kernel knows.
     *
     * @param who it says it is
     * @param strict whether a socket is refused of which the kernel does not tell
     */
    private void checkOwner(String who, int uid, boolean strict, SocketChannel client)
            throws IOException, Handshake.RefusedException {
        SocketOwner owner;
        try {
            owner = SocketOwner.of(
                    calls, (InetSocketAddress) client.getRemoteAddress(), (InetSocketAddress) client.getLocalAddress());
        } catch (SocketOwner.UnansweredException e) {
            if (strict) {
                throw new Handshake.RefusedException("whose process says that it is " + who + ": " + e.getMessage());
            }
            return;
        }
        if (owner.inode() == 0) {
            // Of a socket that nobody holds the kernel may name root as the user.
            throw new Handshake.RefusedException("the process that says it is " + who + " has closed its connection");
        }
        if (owner.uid() != uid) {
            throw new Handshake.RefusedException("a process of user " + Integer.toUnsignedString(owner.uid())
                    + " says that it is " + who + ", which was started as user " + Integer.toUnsignedString(uid));
        }
        if (from == Clients.OfContainer && !owner.isOfThisContainer(PROC)) {
            throw new Handshake.RefusedException("a process of another container says that it is " + who);
        }
    }

    /** The library is about to have the handshake. */
    void passes(FilteredConnection connection) {
        synchronized (passing) {
            passing.add(connection);
        }
    }

    boolean expects(String nspace) {
        return clients.containsKey(nspace);
    }

    void closed(FilteredConnection connection) {
        undecided.remove(connection);
        connecting.remove(connection);
        unanswered.remove(connection);
        boolean left;
        synchronized (passing) {
            left = passing.remove(connection) && connection.isTool();
            for (FilteredConnection other : passing) {
                left &= !other.isTool();
            }
            passing.notifyAll();
        }
        if (left) {
            lastToolLeft.run();
        }
    }

    private void run() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
        try (selector;
                channel) {
            while (!closed) {
                // Only a connection that has not come through to the library has a time limit.
                boolean forGood = undecided.isEmpty() && connecting.isEmpty() && !acceptPaused;
                selector.select(forGood ? 0 : ACCEPT_PAUSE_NANOS / 1_000_000);
                for (SelectionKey key : selector.selectedKeys()) {
                    if (key.attachment() instanceof FilteredConnection connection) {
                        serve(connection, key, buffer);
                    } else {
                        accept();
                    }
                }
                selector.selectedKeys().clear();
                long now = System.nanoTime();
                if (acceptPaused && now - acceptAgainNanos >= 0) {
                    acceptPaused = false;
                    acceptKey.interestOps(SelectionKey.OP_ACCEPT);
                }
                refuseOverdue(undecided, now, "no handshake");
                refuseOverdue(connecting, now, "libpmix takes no connections, not");
            }
            for (SelectionKey key : List.copyOf(selector.keys())) {
                key.channel().close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What goes wrong with one connection, or for want of descriptors, is no reason to serve the others no longer. */
    private void accept() {
        SocketChannel accepted = null;
        try {
            accepted = channel.accept();
            if (accepted == null) {
                return;
            }
            if (undecided.size() >= MAX_UNDECIDED) {
                refuse(undecided.iterator().next(), "was the oldest of " + MAX_UNDECIDED + " without a handshake");
            }
            undecided.add(new FilteredConnection(this, selector, accepted, System.nanoTime()));
        } catch (IOException e) {
            if (accepted == null) {
                listener.notAccepted("the kernel hands over none: " + e.getMessage());
                acceptPaused = true;
                acceptAgainNanos = System.nanoTime() + ACCEPT_PAUSE_NANOS;
                acceptKey.interestOps(0);
            } else {
                FilteredConnection.close(accepted);
            }
        }
    }

    private void serve(FilteredConnection connection, SelectionKey key, ByteBuffer buffer) {
        try {
            if (key.isValid()) {
                connection.ready(key, buffer);
            }
            if (connection.isConnecting()) {
                undecided.remove(connection);
                connecting.add(connection);
            } else if (connection.isAccepted()) {
                undecided.remove(connection);
                connecting.remove(connection);
            } else if (connection.isUnanswered() && undecided.remove(connection)) {
                unanswered.add(connection);
            }
        } catch (Handshake.RefusedException e) {
            refuse(connection, e.reason());
        } catch (IOException e) {
            // A peer that is gone; the library learns it from its own side.
            connection.broken();
        } catch (RuntimeException e) {
            refuse(connection, "a fault of the filter: " + e);
        }
    }

    private void refuse(FilteredConnection connection, String reason) {
        connection.close();
        listener.refused(reason);
    }

    /** @param oldestFirst of which each leaves the set when it is refused */
    private void refuseOverdue(Set<FilteredConnection> oldestFirst, long now, String what) {
        while (!oldestFirst.isEmpty()) {
            FilteredConnection oldest = oldestFirst.iterator().next();
            if (now - oldest.phaseNanos() < PHASE_NANOS) {
                return;
            }
            refuse(oldest, what + " within " + PHASE_NANOS / 1_000_000_000 + " s");
        }
    }

    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        synchronized (passing) {
            passing.notifyAll();
        }
    }
}
