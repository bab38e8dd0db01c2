/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.launcher;

import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import org.jspecify.annotations.Nullable;

/**
 * The unix socket in the volume that both containers mount. Whoever greets first is this pod's launcher; others may only
 * ask whether it is ready, as a startup probe does. Open to every uid of the pod, whose containers are one another's trust.
 */
public final class LauncherSocket implements EventLoop.Ready {
    /** What the launcher tells; all on the loop. */
    public interface Listener {
        void greeted(LauncherFacts facts);

        void started(int localRank, long pid);

        /** @param signal 0 where the rank exited by itself */
        void exited(int localRank, int code, int signal);

        /** No rank is left. */
        void done();

        /** The connection is closed; the launcher has ended or was ended. */
        void gone(String reason);
    }

    private final EventLoop loop;
    private final Listener listener;
    private final Path path;
    private final ServerSocketChannel server;
    private @Nullable LauncherLink launcher;
    private boolean ready;

    public LauncherSocket(EventLoop loop, Path path, Listener listener) throws IOException {
        this.loop = loop;
        this.listener = listener;
        this.path = path;
        // The launcher looks for the name and connects at once: it must find a socket that it may use.
        Path unnamed = path.resolveSibling(path.getFileName() + ".new");
        Files.deleteIfExists(unnamed);
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(unnamed));
        Files.setPosixFilePermissions(unnamed, EnumSet.allOf(PosixFilePermission.class));
        Files.move(unnamed, path, StandardCopyOption.ATOMIC_MOVE);
        loop.register(server, SelectionKey.OP_ACCEPT, this);
    }

    @Override
    public void ready(SelectionKey key) {
        try {
            SocketChannel channel = server.accept();
            while (channel != null) {
                LauncherLink link = new LauncherLink(channel, this);
                link.registered(loop.register(channel, SelectionKey.OP_READ, link));
                channel = server.accept();
            }
        } catch (IOException e) {
            listener.gone("its socket failed: " + e.getMessage());
        }
    }

    /** @return whether this connection is the launcher's from now on */
    boolean claim(LauncherLink link) {
        if (launcher != null) {
            return false;
        }
        launcher = link;
        return true;
    }

    boolean isReady() {
        return ready;
    }

    Listener listener() {
        return listener;
    }

    void closed(LauncherLink link, String reason) {
        if (launcher == link) {
            close();
            listener.gone(reason);
        }
    }

    /** A launcher that the kubelet starts again while this pmixd still has something to say waits for the next pmixd's socket. */
    private void close() {
        try {
            Files.deleteIfExists(path);
            server.close();
        } catch (IOException e) {
            // Whoever connects is told that this pmixd has had its launcher.
            return;
        }
    }

    /** Sends lines, each complete and with its line feed; they are of {@link LauncherText}. */
    public void send(String lines) {
        if (launcher != null) {
            launcher.send(lines);
        }
    }

    /** From now on a probe hears that this pod's ranks may start. */
    public void markReady(boolean nowReady) {
        ready = nowReady;
    }

    /** Whether the launcher has been sent everything. */
    public boolean isFlushed() {
        return launcher == null || launcher.isFlushed();
    }
}
