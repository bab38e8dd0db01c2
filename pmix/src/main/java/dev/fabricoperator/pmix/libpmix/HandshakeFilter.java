/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import dev.fabricoperator.pmix.foreign.Native;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Stands before libpmix, on a port of 127.0.0.1: what is no handshake of an expected client is refused with a reason and never
 * reaches the library, which one such message can kill and one silent connection can block. A connection that is found good is handed over to the library, with
 * its handshake still in it. A thread of its own.
 */
public final class HandshakeFilter implements AutoCloseable {
    private static final Duration HANDSHAKE_LIMIT = Duration.ofSeconds(5);
    /** Of one thread, which may have a thousand ranks to answer on processors that they keep busy. */
    private static final Duration LIBRARY_LIMIT = Duration.ofMinutes(2);
    /** The oldest goes first. */
    static final int MAX_UNDECIDED = 128;
    /** Connections that the kernel keeps until they are taken: hundreds of ranks start at once, and one that finds no room tries again a second later. */
    private static final int BACKLOG = 4096;
    /** Of one rank at a time; it needs one. */
    static final int MAX_PER_RANK = 8;
    /** At a time, of all that run in the pod. */
    static final int MAX_TOOLS = 8;
    /** Of processes at a time that outlive their attempt. */
    private static final int MAX_UNANSWERED = 128;
    /** After the kernel's refusal, for example for want of descriptors. */
    private static final long ACCEPT_PAUSE_NANOS = 100_000_000L;

    private static final Path PROC = Path.of("/proc");
    /** In what the kernel is asked to wait for: the filter's own signal, its listening socket, then the undecided. */
    private static final int LISTENER = 1;

    private static final int FIRST = 2;
    private static final int MAX_POLLED = FIRST + MAX_UNDECIDED + MAX_UNANSWERED;
    private static final int READY_AT = 6;

    private final Native calls = new Native("libc.so.6");
    private final SocketCalls sockets = new SocketCalls(calls);
    private final Clients from;
    private final Duration libraryLimit;
    private final Listener listener;
    private final int descriptor;
    private final int port;
    /** Wakes the filter's thread. */
    private final int signal;

    private final AcceptQueue accepted;
    private final ContainerSockets containerSockets = new ContainerSockets(PROC);
    private final Map<String, Map<Integer, Credential>> clients = new ConcurrentHashMap<>();
    private final Set<FilteredConnection> undecided = new LinkedHashSet<>();
    /** Of ranks whose attempt has ended, until they end. */
    private final Set<FilteredConnection> unanswered = new LinkedHashSet<>();
    /** Whose ranks are being ended, as far as they still run. */
    private volatile String forgotten = "";

    private final AtomicBoolean toolLeft = new AtomicBoolean();
    private volatile Runnable lastToolLeft = () -> {};
    private final Thread thread = new Thread(this::run, "handshake-filter");
    private final long memory = calls.allocate(FilteredConnection.BUFFER);
    private final ByteBuffer bytes = Native.view(memory, FilteredConnection.BUFFER);
    private final long polled = calls.allocate((long) MAX_POLLED * SocketCalls.POLL_BYTES);
    private boolean acceptPaused;
    private long acceptAgainNanos;
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

    private HandshakeFilter(int port, Clients from, Duration libraryLimit, Listener listener) throws IOException {
        this.from = from;
        this.libraryLimit = libraryLimit;
        this.listener = listener;
        descriptor = sockets.listen(port, BACKLOG);
        this.port = sockets.local(descriptor).getPort();
        signal = sockets.signal();
        accepted = new AcceptQueue(sockets, this::left);
    }

    /**
     * Listens on 127.0.0.1.
     *
     * @param port 0 for any that is free
     * @param from others are refused, whatever they say of themselves
     * @throws IOException if the port is taken
     */
    public static HandshakeFilter open(int port, Clients from, Listener listener) throws IOException {
        return open(port, from, LIBRARY_LIMIT, listener);
    }

    /** @param libraryLimit after which a good connection is refused that the library has not taken */
    static HandshakeFilter open(int port, Clients from, Duration libraryLimit, Listener listener) throws IOException {
        HandshakeFilter filter = new HandshakeFilter(port, from, libraryLimit, listener);
        filter.thread.setDaemon(true);
        filter.thread.start();
        return filter;
    }

    /** Where clients connect. */
    public int port() {
        return port;
    }

    /** Where the library gets its connections. */
    AcceptQueue accepted() {
        return accepted;
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
     *     another tool's
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
        return accepted.end(connection -> connection.isOf(nspace), limitMillis);
    }

    /** @return whether the library shall have it; otherwise it is to get no answer */
    private boolean admit(Handshake handshake, int client) throws IOException, Handshake.RefusedException {
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
        if (accepted.count(connection -> connection.isOf(handshake.nspace(), handshake.rank())) >= MAX_PER_RANK) {
            throw new Handshake.RefusedException(
                    "rank " + handshake.rank() + " has " + MAX_PER_RANK + " connections already");
        }
        return true;
    }

    /** The user of the pod's ranks may ask their server, under a name that is nobody's. */
    private void admitTool(Handshake handshake, int client) throws IOException, Handshake.RefusedException {
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
        boolean taken = clients.keySet().stream().anyMatch(nspace -> isOfJob(handshake.nspace(), nspace))
                || !handshake.nspace().isEmpty()
                        && accepted.count(connection -> connection.isOf(handshake.nspace())) > 0;
        if (taken) {
            throw new Handshake.RefusedException("a tool with a name that is taken");
        }
        if (accepted.count(FilteredConnection::isTool) >= MAX_TOOLS) {
            throw new Handshake.RefusedException("another tool than the " + MAX_TOOLS + " that are there");
        }
    }

    /** Also the name of an attempt to come: libpmix would take the tool for a process of it, and forget that attempt with the tool. */
    private static boolean isOfJob(String name, String nspace) {
        int attempt = nspace.lastIndexOf('-') + 1;
        return name.equals(nspace) || attempt > 0 && name.startsWith(nspace.substring(0, attempt));
    }

    /**
     * What a handshake says of its user anybody can say; whose the socket is the kernel knows.
     *
     * @param who it says it is
     * @param strict whether a socket is refused of which the kernel does not tell
     */
    private void checkOwner(String who, int uid, boolean strict, int client)
            throws IOException, Handshake.RefusedException {
        SocketOwner owner;
        try {
            owner = SocketOwner.of(calls, sockets.peer(client), sockets.local(client));
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
        if (from == Clients.OfContainer && !containerSockets.isHeld(owner.inode())) {
            throw new Handshake.RefusedException("a process of another container says that it is " + who);
        }
    }

    /** On the library's thread. */
    private void left(FilteredConnection connection) {
        if (connection.isTool()) {
            toolLeft.set(true);
            sockets.raise(signal);
        }
    }

    private void tellOfTools() {
        if (toolLeft.getAndSet(false) && accepted.count(FilteredConnection::isTool) == 0) {
            lastToolLeft.run();
        }
    }

    private void run() {
        ByteBuffer entries = Native.view(polled, (long) MAX_POLLED * SocketCalls.POLL_BYTES);
        while (!closed) {
            List<FilteredConnection> looked = new ArrayList<>(undecided);
            entries.clear();
            entry(entries, signal, SocketCalls.POLLIN);
            // The kernel passes over what is no descriptor.
            entry(entries, acceptPaused ? -1 : descriptor, SocketCalls.POLLIN);
            for (FilteredConnection each : looked) {
                entry(entries, each.pauses() ? -1 : each.descriptor(), SocketCalls.POLLIN);
            }
            List<FilteredConnection> late = new ArrayList<>(unanswered);
            late.forEach(connection -> entry(entries, connection.descriptor(), (short) 0));
            // Only a connection that the library has not taken has a time limit.
            boolean forGood = undecided.isEmpty() && accepted.oldest() == null && !acceptPaused;
            sockets.poll(
                    polled, FIRST + looked.size() + late.size(), forGood ? -1 : (int) (ACCEPT_PAUSE_NANOS / 1_000_000));
            if (ready(entries, 0) != 0) {
                sockets.lower(signal);
            }
            tellOfTools();
            for (int i = 0; i < looked.size(); i++) {
                if (ready(entries, FIRST + i) != 0) {
                    serve(looked.get(i), (ready(entries, FIRST + i) & SocketCalls.POLLRDHUP) != 0);
                }
            }
            for (int i = 0; i < late.size(); i++) {
                if (ready(entries, FIRST + looked.size() + i) != 0) {
                    unanswered.remove(late.get(i));
                    late.get(i).close(memory);
                }
            }
            long now = System.nanoTime();
            if (ready(entries, LISTENER) != 0) {
                accept(now);
            }
            acceptPaused &= now - acceptAgainNanos < 0;
            refuseOverdue(now);
        }
    }

    private static void entry(ByteBuffer entries, int polledDescriptor, short event) {
        entries.putInt(polledDescriptor)
                .putShort((short) (event | SocketCalls.POLLRDHUP))
                .putShort((short) 0);
    }

    private static short ready(ByteBuffer entries, int index) {
        return entries.getShort(index * SocketCalls.POLL_BYTES + READY_AT);
    }

    /** What goes wrong with one connection, or for want of descriptors, is no reason to serve the others no longer. */
    private void accept(long now) {
        int made;
        try {
            made = sockets.accept(descriptor);
        } catch (IOException e) {
            listener.notAccepted(String.valueOf(e.getMessage()));
            acceptPaused = true;
            acceptAgainNanos = now + ACCEPT_PAUSE_NANOS;
            return;
        }
        if (undecided.size() >= MAX_UNDECIDED) {
            refuse(undecided.iterator().next(), "was the oldest of " + MAX_UNDECIDED + " without a handshake");
        }
        try {
            undecided.add(new FilteredConnection(sockets, made, now));
        } catch (IOException e) {
            sockets.close(made);
        }
    }

    private void serve(FilteredConnection connection, boolean ended) {
        try {
            Handshake handshake = connection.look(memory, bytes, ended);
            if (handshake == null) {
                return;
            }
            if (!admit(handshake, connection.descriptor())) {
                undecided.remove(connection);
                unanswered.add(connection);
                return;
            }
            if (!accepted.isListening()) {
                throw new Handshake.RefusedException("libpmix takes no connections");
            }
            connection.pass(handshake, System.nanoTime());
            tellOfTools();
            undecided.remove(connection);
            accepted.add(connection);
            if (!handshake.tool() && !clients.containsKey(handshake.nspace())) {
                accepted.end(each -> each == connection, 0);
            }
        } catch (Handshake.RefusedException e) {
            refuse(connection, e.reason());
        } catch (IOException e) {
            // A peer that is gone.
            undecided.remove(connection);
            connection.close(memory);
        } catch (RuntimeException e) {
            refuse(connection, "a fault of the filter: " + e);
        }
    }

    private void refuse(FilteredConnection connection, String reason) {
        undecided.remove(connection);
        connection.close(memory);
        listener.refused(reason);
    }

    private void refuseOverdue(long now) {
        while (!undecided.isEmpty() && isOverdue(undecided.iterator().next(), HANDSHAKE_LIMIT, now)) {
            refuse(undecided.iterator().next(), "no handshake within " + HANDSHAKE_LIMIT.toSeconds() + " s");
        }
        FilteredConnection oldest = accepted.oldest();
        while (oldest != null && isOverdue(oldest, libraryLimit, now)) {
            if (accepted.withdraw(oldest)) {
                refuse(oldest, "libpmix takes no connections, not within " + libraryLimit.toSeconds() + " s");
            }
            oldest = accepted.oldest();
        }
    }

    private static boolean isOverdue(FilteredConnection connection, Duration limit, long now) {
        return now - connection.phaseNanos() >= limit.toNanos();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        sockets.raise(signal);
        try {
            thread.join();
        } catch (InterruptedException e) {
            // What the thread uses stays.
            Thread.currentThread().interrupt();
            return;
        }
        undecided.addAll(unanswered);
        undecided.forEach(connection -> connection.close(memory));
        sockets.close(descriptor);
        // The library's thread may raise the signal still.
        calls.free(polled);
        calls.free(memory);
    }
}
