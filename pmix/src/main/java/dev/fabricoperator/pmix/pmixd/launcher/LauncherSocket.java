/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.launcher;

import dev.fabricoperator.pmix.foreign.UnixSocket;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.loop.GuardedThread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The unix socket in the volume that both containers mount. Whoever greets first is this pod's launcher; others may only
 * ask whether it is ready, as a startup probe does. Open to every uid of the pod, whose containers are one another's trust.
 */
public final class LauncherSocket {
    /** What the launcher tells; all on the loop. */
    public interface Listener {
        void greeted(LauncherFacts facts);

        void started(int localRank, long pid);

        /** @param signal 0 where the rank exited by itself */
        void exited(int localRank, int code, int signal);

        /** The launcher, and so the pod, is asked to end, as are the ranks next; what they do from now on says nothing about the job. */
        void ending();

        /** No rank is left; the launcher waits for what that means. */
        void done();

        /** What the launcher says of ranks that speak PMI-1. */
        LauncherPmi pmi();

        /** What a launcher says of a run beside that. */
        LauncherRun run();

        /** The connection is closed; the launcher has ended or was ended. */
        void gone(String reason);
    }

    /** A launcher and a probe at a time are two. */
    private static final int MOST_LINKS = 16;
    /** Each link has a thread, which ends a little later than its link. */
    private static final int MOST_THREADS = 32;

    private final EventLoop loop;
    private final Listener listener;
    private final Path path;
    private final UnixSocket server;
    private @Nullable LauncherLink launcher;
    private final Set<LauncherLink> links = new LinkedHashSet<>();
    private final Semaphore threads = new Semaphore(MOST_THREADS);
    private boolean ready;
    private volatile boolean closed;

    public LauncherSocket(EventLoop loop, Path path, Listener listener) throws IOException {
        this.loop = loop;
        this.listener = listener;
        this.path = path;
        // The launcher looks for the name and connects at once: it must find a socket that it may use.
        Path unnamed = path.resolveSibling(path.getFileName() + ".new");
        Files.deleteIfExists(unnamed);
        server = UnixSocket.listen(unnamed);
        Files.setPosixFilePermissions(unnamed, EnumSet.allOf(PosixFilePermission.class));
        Files.move(unnamed, path, StandardCopyOption.ATOMIC_MOVE);
        GuardedThread.start("launcher-socket", 0, this::accept);
    }

    static void thread(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** The kernel may want descriptors or memory for a while: then it is tried again. */
    private boolean accept() throws IOException {
        threads.acquireUninterruptibly();
        try {
            UnixSocket connection = server.accept();
            loop.execute(() -> accepted(connection));
            return true;
        } catch (IOException e) {
            threads.release();
            if (!closed) {
                throw e;
            }
            server.close();
            return false;
        }
    }

    private void accepted(UnixSocket connection) {
        if (links.size() >= MOST_LINKS) {
            closeOldest();
        }
        LauncherLink link = new LauncherLink(connection, loop, this);
        links.add(link);
        link.start();
    }

    /** Whoever comes may be the launcher; who has been here long and has not said so is not. */
    private void closeOldest() {
        for (LauncherLink link : links) {
            if (link != launcher && link.close("others came")) {
                return;
            }
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

    /** Its thread has ended. */
    void left(LauncherLink link) {
        links.remove(link);
        threads.release();
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
        } catch (IOException e) {
            // Whoever connects is told that this pmixd has had its launcher.
        }
        // Its thread closes it: the number of a closed one may be another's by now.
        closed = true;
        server.shutdown();
    }

    /** What the launcher has not read yet, in bytes. */
    public long unsentBytes() {
        return launcher == null ? 0 : launcher.unsentBytes();
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
}
