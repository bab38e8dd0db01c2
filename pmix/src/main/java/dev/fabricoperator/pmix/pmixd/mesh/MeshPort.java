/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.mesh;

import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the other pods' pmixds connect to. It opens before the pod joins its job and outlives attempts: a greeting for an attempt
 * that this pod has not heard of yet waits here, since all pods learn of it within moments. Whoever connects is unknown until
 * it has proved that it has the job's key: few bytes, few seconds and few connections are spent on it.
 */
public final class MeshPort implements EventLoop.Ready, Link.Holder {
    /** Connections that have not proved themselves; the oldest goes first. */
    static final int MAX_PENDING = 256;

    static final long PENDING_MILLIS = 10_000;
    private static final long SWEEP_MILLIS = 1_000;
    /** Taken at a time, so that those that are there are served in between. */
    private static final int ACCEPTS = 32;
    /** Connections that the kernel keeps until they are taken; it has a limit of its own. */
    private static final int BACKLOG = 4096;

    /** After a refusal by the kernel, for example for want of descriptors. */
    private static final long ACCEPT_PAUSE_MILLIS = 100;

    /** What is worth a line in the log; on the loop. */
    public interface Watcher {
        void refused(String address, String reason);
    }

    private static final class Pending {
        final String address;
        final long sinceMillis;

        @Nullable
        Greeting greeting;

        Pending(String address, long sinceMillis) {
            this.address = address;
            this.sinceMillis = sinceMillis;
        }
    }

    private final EventLoop loop;
    private final ServerSocketChannel server;
    private final SelectionKey acceptKey;
    private final Watcher watcher;
    /** The oldest first. */
    private final Map<Link, Pending> pending = new LinkedHashMap<>();

    private boolean sweeping;
    private @Nullable Mesh mesh;

    public MeshPort(EventLoop loop, InetAddress address, int port, Watcher watcher) throws IOException {
        this.loop = loop;
        this.watcher = watcher;
        this.server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(address, port), BACKLOG);
        acceptKey = loop.register(server, SelectionKey.OP_ACCEPT, this);
    }

    public int port() throws IOException {
        return ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    /** From now on connections of this attempt are taken, also those that wait. */
    void serve(Mesh newMesh) {
        mesh = newMesh;
        for (Map.Entry<Link, Pending> each : List.copyOf(pending.entrySet())) {
            Greeting greeting = each.getValue().greeting;
            if (greeting != null && Arrays.equals(greeting.job(), newMesh.job())) {
                pending.remove(each.getKey());
                newMesh.accept(each.getKey(), greeting);
            }
        }
    }

    /** Connections that wait for an attempt that this pod has not heard of. */
    int greeted() {
        int count = 0;
        for (Pending each : pending.values()) {
            count += each.greeting == null ? 0 : 1;
        }
        return count;
    }

    void unserve(Mesh old) {
        if (mesh == old) {
            mesh = null;
        }
    }

    @Override
    public void ready(SelectionKey key) {
        try {
            for (int i = 0; i < ACCEPTS; i++) {
                SocketChannel channel = server.accept();
                if (channel == null) {
                    return;
                }
                accepted(channel);
            }
        } catch (IOException e) {
            watcher.refused("a new connection", "cannot be taken: " + e.getMessage());
            // The kernel would say that it is ready again at once.
            key.interestOps(0);
            loop.after(ACCEPT_PAUSE_MILLIS, this::acceptAgain);
        }
    }

    private void acceptAgain() {
        if (acceptKey.isValid()) {
            acceptKey.interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    private void accepted(SocketChannel channel) {
        Link link;
        String address;
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            address = String.valueOf(channel.getRemoteAddress()).substring(1);
            link = new Link(loop, channel, this, false);
        } catch (IOException e) {
            close(channel);
            return;
        }
        if (pending.size() >= MAX_PENDING) {
            pending.keySet()
                    .iterator()
                    .next()
                    .close("was the oldest of " + MAX_PENDING + " without proof of the job's key");
        }
        pending.put(link, new Pending(address, loop.nowMillis()));
        if (!sweeping) {
            sweeping = true;
            loop.after(SWEEP_MILLIS, this::sweep);
        }
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // It is gone either way.
        }
    }

    /** One timer for all: one for each would keep what it is for until it is due. */
    private void sweep() {
        long now = loop.nowMillis();
        for (Map.Entry<Link, Pending> each : List.copyOf(pending.entrySet())) {
            Pending known = each.getValue();
            if (now - known.sinceMillis >= PENDING_MILLIS) {
                String wrong = known.greeting == null
                        ? "sent no greeting within "
                        : "greets an attempt that this pod has not heard of for ";
                each.getKey().close(wrong + PENDING_MILLIS / 1000 + " s");
            }
        }
        sweeping = !pending.isEmpty();
        if (sweeping) {
            loop.after(SWEEP_MILLIS, this::sweep);
        }
    }

    @Override
    public void greeted(Link link, Greeting greeting) {
        Mesh current = mesh;
        if (current != null && Arrays.equals(current.job(), greeting.job())) {
            pending.remove(link);
            current.accept(link, greeting);
            return;
        }
        Pending known = pending.get(link);
        if (known != null) {
            known.greeting = greeting;
            link.pauseReading();
        }
    }

    @Override
    public void opened(Link link) {
        throw new IllegalStateException("opened before it was accepted");
    }

    @Override
    public void received(Link link, byte[] message) {
        throw new IllegalStateException("message before it was accepted");
    }

    @Override
    public void closed(Link link, String reason) {
        Pending known = pending.remove(link);
        if (known != null) {
            watcher.refused(known.address, reason);
        }
    }
}
