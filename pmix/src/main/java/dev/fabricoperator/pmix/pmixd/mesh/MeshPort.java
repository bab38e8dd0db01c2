/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.mesh;

import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the other pods' pmixds connect to. It opens before the pod joins its job and outlives attempts: a greeting for an attempt
 * that this pod has not heard of yet waits here, since all pods learn of it within moments. Whoever connects is unknown until
 * it has proved that it has the job's key: few bytes, few seconds and few connections are spent on it.
 */
public final class MeshPort implements EventLoop.Ready, Link.Holder {
    /** Connections that have not proved themselves; the oldest goes first. */
    static final int STRANGERS = 256;

    static final long STRANGER_MILLIS = 10_000;

    /** What is worth a line in the log; on the loop. */
    public interface Watcher {
        void refused(String address, String reason);
    }

    private record Waiting(
            Link link, String address, @Nullable Greeting greeting) {}

    private final EventLoop loop;
    private final ServerSocketChannel server;
    private final Watcher watcher;
    private final ArrayDeque<Waiting> strangers = new ArrayDeque<>();
    private @Nullable Mesh mesh;

    public MeshPort(EventLoop loop, InetAddress address, int port, Watcher watcher) throws IOException {
        this.loop = loop;
        this.watcher = watcher;
        this.server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(address, port), 1024);
        loop.register(server, SelectionKey.OP_ACCEPT, this);
    }

    public int port() throws IOException {
        return ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    /** From now on connections of this attempt are taken, also those that wait. */
    void serve(Mesh newMesh) {
        mesh = newMesh;
        List<Waiting> known = new ArrayList<>();
        for (Iterator<Waiting> each = strangers.iterator(); each.hasNext(); ) {
            Waiting waiting = each.next();
            if (waiting.greeting() != null && Arrays.equals(waiting.greeting().job(), newMesh.job())) {
                each.remove();
                known.add(waiting);
            }
        }
        for (Waiting waiting : known) {
            if (waiting.greeting() != null) {
                newMesh.accept(waiting.link(), waiting.greeting());
            }
        }
    }

    void unserve(Mesh old) {
        if (mesh == old) {
            mesh = null;
        }
    }

    @Override
    public void ready(SelectionKey key) {
        try {
            SocketChannel channel = server.accept();
            while (channel != null) {
                channel.setOption(java.net.StandardSocketOptions.TCP_NODELAY, true);
                String address = String.valueOf(channel.getRemoteAddress()).substring(1);
                if (strangers.size() >= STRANGERS) {
                    strangers.getFirst().link().close("made room for newer connections");
                }
                Link link = new Link(loop, channel, this, false);
                strangers.add(new Waiting(link, address, null));
                loop.after(STRANGER_MILLIS, () -> expire(link));
                channel = server.accept();
            }
        } catch (IOException e) {
            watcher.refused("a new connection", String.valueOf(e.getMessage()));
        }
    }

    private void expire(Link link) {
        if (find(link) != null) {
            link.close("did not say within " + STRANGER_MILLIS / 1000 + " s to which job it belongs");
        }
    }

    @Override
    public void greeted(Link link, Greeting greeting) {
        Waiting waiting = find(link);
        if (waiting == null) {
            return;
        }
        strangers.removeIf(each -> each.link() == link);
        Mesh current = mesh;
        if (current != null && Arrays.equals(current.job(), greeting.job())) {
            current.accept(link, greeting);
        } else {
            link.park();
            strangers.add(new Waiting(link, waiting.address(), greeting));
        }
    }

    private @Nullable Waiting find(Link link) {
        for (Waiting waiting : strangers) {
            if (waiting.link() == link) {
                return waiting;
            }
        }
        return null;
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
        Waiting waiting = find(link);
        if (waiting != null) {
            strangers.removeIf(each -> each.link() == link);
            watcher.refused(waiting.address(), reason);
        }
    }

    public void close() {
        for (Waiting waiting : List.copyOf(strangers)) {
            waiting.link().close("this pmixd ends");
        }
        try {
            server.close();
        } catch (IOException e) {
            // Nothing depends on it any more.
        }
    }
}
