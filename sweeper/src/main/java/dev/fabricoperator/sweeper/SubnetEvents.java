/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sweeper;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What OpenSM says by its event plugin ({@code sweeper/src/main/c}): one connection to a unix socket, with one line, for each event. Whatever comes means that the
 * subnet is to be looked at, now; nothing of it is believed beyond that.
 *
 * <p>Looks that are asked for so take at most half of the time, and beyond the first {@link #AT_ONCE} of it a tenth.
 */
final class SubnetEvents implements AutoCloseable {
    /** That the subnet is as OpenSM wants it: the tables of all switches are written. */
    private static final String UP = "up\n";

    private static final Set<String> LINES = Set.of("link\n", "routes\n", UP);

    /** For so long an "up" tells that tables are whole: another manager may have taken over since, which has no plugin. */
    private static final Duration FRESH = Duration.ofSeconds(10);

    /** Time of looks that is not bounded but by its half. */
    private static final Duration AT_ONCE = Duration.ofSeconds(10);

    private static final Duration MESSAGE_PAUSE = Duration.ofMinutes(10);
    private static final int SHARE = 10;
    private static final int BACKLOG = 128;
    private static final int LONGEST_LINE = 64;
    /** From a connection to the end of its line. */
    private static final Duration LINE = Duration.ofMillis(100);
    /** Between two lines, so that a flood of them takes no processor; what the backlog does not hold is lost to OpenSM, and the subnet is looked at all the same. */
    private static final Duration PAUSE = Duration.ofMillis(1);

    private final Path path;
    private final Supplier<Instant> now;
    private final Runnable heard;
    private final Duration patience;
    private final ServerSocketChannel server;
    private final Selector selector;
    private boolean wanted;
    private boolean routes;
    private boolean torn;
    /** When it was last said that looks are held back. */
    private Instant held = Instant.MIN;
    /** How often something other than "up" was said. */
    private long changes;

    private @Nullable Instant up;
    private Instant next = Instant.MIN;
    /** What looks have taken beyond their share, until {@link #counted}. */
    private Duration taken = Duration.ZERO;

    private Instant counted;

    /**
     * Listens from now on; a socket that a process before this one has left there is replaced.
     *
     * @param now by a {@code SteadyClock}
     * @param heard called when there is something to look at
     */
    SubnetEvents(Path path, Supplier<Instant> now, Runnable heard) throws IOException {
        this(path, now, heard, LINE);
    }

    /** @param patience with whoever writes a line */
    SubnetEvents(Path path, Supplier<Instant> now, Runnable heard, Duration patience) throws IOException {
        this.patience = patience;
        this.path = path;
        this.now = now;
        this.heard = heard;
        this.counted = now.get();
        Files.deleteIfExists(path);
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(path), BACKLOG);
        selector = Selector.open();
        Thread.ofPlatform().name("subnet-events").daemon().start(this::listen);
    }

    private void listen() {
        try {
            while (true) {
                try (SocketChannel from = server.accept()) {
                    said(read(from));
                }
                Thread.sleep(PAUSE);
            }
        } catch (IOException e) {
            if (server.isOpen()) {
                Sweeper.log("OpenSM is not heard any more: " + path + ": " + e.getMessage());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What was written until the end of the line, of the connection, or of the time for it. */
    private String read(SocketChannel from) throws IOException {
        ByteBuffer line = ByteBuffer.allocate(LONGEST_LINE);
        from.configureBlocking(false);
        SelectionKey key = from.register(selector, SelectionKey.OP_READ);
        try {
            long deadline = System.nanoTime() + patience.toNanos();
            while (line.hasRemaining() && System.nanoTime() < deadline) {
                selector.select(patience.toMillis());
                selector.selectedKeys().clear();
                if (from.read(line) < 0 || line.position() > 0 && line.get(line.position() - 1) == '\n') {
                    break;
                }
            }
        } catch (IOException e) {
            // Whoever wrote it has gone: that is a line that was cut.
            return "";
        } finally {
            key.cancel();
            selector.selectNow();
        }
        return new String(line.array(), 0, line.position(), StandardCharsets.UTF_8);
    }

    private void said(String line) {
        synchronized (this) {
            boolean known = LINES.contains(line);
            if (!known && !torn) {
                Sweeper.log(path
                        + ": a line that OpenSM's plugin does not write, or not all of one; the subnet is looked at");
            }
            torn = !known;
            if (line.equals(UP)) {
                up = now.get();
            } else {
                up = null;
                changes++;
            }
            routes |= !line.equals("link\n");
            wanted = true;
        }
        heard.run();
    }

    /** How long until the subnet is to be looked at; {@code null} where nothing was said since the last look. */
    synchronized @Nullable Duration untilLook() {
        if (!wanted) {
            return null;
        }
        Instant at = now.get();
        Duration over = earlier(at).minus(AT_ONCE);
        Instant allowed = over.isPositive() ? at.plus(over.multipliedBy(SHARE)) : next;
        boolean wait = allowed.isAfter(at);
        if (over.isPositive() && at.isAfter(held.plus(MESSAGE_PAUSE))) {
            held = at;
            Sweeper.log(
                    "OpenSM says more than can be looked at at once; the subnet is looked at for a tenth of the time");
        }
        return wait ? Duration.between(at, allowed) : Duration.ZERO;
    }

    private Duration earlier(Instant at) {
        Duration left = taken.minus(Duration.between(counted, at).dividedBy(SHARE));
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Begins a look: what is said from now on asks for another one. Whether forwarding tables may be others since the last look. */
    synchronized boolean begin() {
        boolean others = routes;
        wanted = false;
        routes = false;
        return others;
    }

    /** Ends a look that was asked for, and began then. */
    synchronized void end(Instant began) {
        Instant at = now.get();
        Duration look = Duration.between(began, at);
        taken = earlier(at).plus(look);
        counted = at;
        next = at.plus(look);
    }

    /** A mark of this moment; {@code null} unless OpenSM has just said that all tables are written. */
    synchronized @Nullable Long settled() {
        Instant since = up;
        return since != null && now.get().isBefore(since.plus(FRESH)) ? changes : null;
    }

    /** Whether nothing has changed since then: what was read meanwhile is what OpenSM wants it to be. */
    synchronized boolean isStill(long mark) {
        return up != null && changes == mark;
    }

    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(path);
    }
}
