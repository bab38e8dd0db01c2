/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import dev.fabricoperator.pmix.foreign.Native;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What libpmix accepts connections from in the place of its own port, on which it therefore never listens: the connections whose handshake was found good. The library's own {@code listen},
 * {@code accept} and {@code shutdown} come here; all else it does with the very socket of the client. Its functions may be called on any thread.
 */
final class AcceptQueue {
    private final SocketCalls sockets;
    /** Readable while a connection waits; the library has it under the number of its own socket. */
    private final int signal;

    private final ArrayDeque<FilteredConnection> waiting = new ArrayDeque<>();
    /** By descriptor in the order in which they were taken, until the library shuts it down. */
    private final Map<Integer, FilteredConnection> taken = new LinkedHashMap<>();

    private volatile int listening = -1;

    private final Consumer<FilteredConnection> left;

    /** @param left is told, on the library's thread, of each connection that the library has shut down */
    AcceptQueue(SocketCalls sockets, Consumer<FilteredConnection> left) throws IOException {
        this.sockets = sockets;
        this.left = left;
        signal = sockets.signal();
    }

    /**
     * From now on the library listens here.
     *
     * @throws IllegalArgumentException if it does not call the functions that it is to call
     */
    void serve(Native library) {
        library.redirect("listen", upcall((descriptor, unused) -> listen(descriptor)));
        library.redirect("accept", upcall((descriptor, unused) -> accept()));
        library.redirect("shutdown", upcall(this::shutdown));
    }

    private interface SocketFunction {
        int call(int descriptor, int argument);
    }

    private static Native.Upcall upcall(SocketFunction function) {
        return new Native.Upcall() {
            @Override
            public long call(long a, long b, long c, long d, long e, long f, long g, long h) {
                return function.call((int) a, (int) b);
            }
        };
    }

    /** Whether the library takes connections. */
    boolean isListening() {
        return listening >= 0;
    }

    /** As listen(2), on the library's thread. */
    int listen(int descriptor) {
        if (sockets.duplicate(signal, descriptor) < 0) {
            return -1;
        }
        listening = descriptor;
        return 0;
    }

    /** As accept(2) of a socket that does not block, on the library's thread. */
    synchronized int accept() {
        FilteredConnection next = waiting.poll();
        if (waiting.isEmpty()) {
            sockets.lower(signal);
        }
        if (next == null) {
            return -1;
        }
        taken.put(next.descriptor(), next);
        return next.descriptor();
    }

    /** As shutdown(2), on the library's thread: it does so before it closes, and with nothing that it goes on to use. */
    int shutdown(int descriptor, int how) {
        if (descriptor == listening) {
            listening = -1;
        }
        FilteredConnection gone;
        synchronized (this) {
            gone = taken.remove(descriptor);
            notifyAll();
        }
        if (gone != null) {
            left.accept(gone);
        }
        return sockets.shutdown(descriptor, how);
    }

    /** The library gives a tool its name: they come in the order in which it has taken those that have none. */
    synchronized void nameTool(String nspace, int rank) {
        boolean known = taken.values().stream().anyMatch(tool -> tool.isOf(nspace));
        if (!known) {
            taken.values().stream()
                    .filter(each -> each.isTool() && each.isOf(""))
                    .findFirst()
                    .ifPresent(tool -> tool.name(nspace, rank));
        }
    }

    synchronized void add(FilteredConnection connection) {
        waiting.add(connection);
        sockets.raise(signal);
    }

    /** @return whether the library has not taken it, and will not */
    synchronized boolean withdraw(FilteredConnection connection) {
        return waiting.remove(connection);
    }

    /** How many there are that wait or are the library's. */
    synchronized int count(Predicate<FilteredConnection> which) {
        return all(which).size();
    }

    private List<FilteredConnection> all(Predicate<FilteredConnection> which) {
        List<FilteredConnection> all = new ArrayList<>(waiting);
        all.addAll(taken.values());
        all.removeIf(which.negate());
        return all;
    }

    /** The one that has waited longest. */
    synchronized @Nullable FilteredConnection oldest() {
        return waiting.peek();
    }

    /**
     * The library reads the end of what these clients have sent; waits until it has shut down its side of them.
     *
     * @return how many it has not shut down
     */
    synchronized int end(Predicate<FilteredConnection> which, long limitMillis) {
        long nanos = limitMillis * 1_000_000;
        long deadline = System.nanoTime() + nanos;
        for (FilteredConnection each : all(which)) {
            sockets.endInput(each.descriptor());
        }
        int left = count(which);
        for (long rest = nanos; left > 0 && rest > 0; rest = deadline - System.nanoTime()) {
            try {
                wait(rest / 1_000_000 + 1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return left;
            }
            left = count(which);
        }
        return left;
    }
}
