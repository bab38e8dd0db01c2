/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sweeper;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.fabric.cabling.BadInputException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * The forwarding tables that were dumped last, served under their digest at {@value FabricApi#ROUTES_PATH}{@code DIGEST}. The report says digest and address,
 * and is read through the API server: who fetches them knows that they are what this process dumped, whoever answers at the address. Nothing of them goes
 * through the API server.
 */
final class RouteReport implements AutoCloseable {
    /** Of the time, dumping takes at most one part in so many; where something has changed, half of it. */
    private static final int REST = 10;

    /** A dump may take longer than a sweep by so much: it asks each switch for each 64 LIDs. */
    private static final int LONGER = 5;

    /** A subnet manager writes its tables one after the other: they count when two dumps say the same, this long after one another. */
    private static final Duration SETTLE = Duration.ofSeconds(1);

    private static final int MOST_TRIES = 10;

    private final SweeperConfig config;
    private final HttpServer server;
    private final @Nullable SubnetEvents events;
    private final Runnable dumped;
    private volatile byte[] ports = new byte[0];
    private volatile @Nullable ForwardingTableDump last;
    private Instant due = Instant.MIN;
    private Instant dueAfterChange = Instant.MIN;
    private boolean dumping;
    private boolean changedMeanwhile;
    private @Nullable String problem;

    /**
     * Serves from now on.
     *
     * @param events of the subnet manager, {@code null} where it says none
     * @param dumped called when a dump has ended, well or not
     */
    RouteReport(SweeperConfig config, @Nullable SubnetEvents events, Runnable dumped) throws IOException {
        this.config = config;
        this.events = events;
        this.dumped = dumped;
        server = HttpServer.create(new InetSocketAddress(config.port()), 8);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext(FabricApi.ROUTES_PATH, this::answer);
        server.createContext(FabricApi.PORTS_PATH, this::answerPorts);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        ForwardingTableDump served = last;
        try (exchange) {
            if (served == null || !exchange.getRequestURI().getPath().equals(FabricApi.ROUTES_PATH + served.digest())) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            exchange.getResponseHeaders().set("Content-Type", "application/gzip");
            exchange.sendResponseHeaders(200, served.gzip().size());
            try (OutputStream out = exchange.getResponseBody()) {
                served.send(out);
            }
        }
    }

    private void answerPorts(HttpExchange exchange) throws IOException {
        byte[] served = ports;
        try (exchange) {
            if (served.length == 0 || !exchange.getRequestURI().getPath().equals(FabricApi.PORTS_PATH)) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            exchange.getResponseHeaders().set("Content-Type", "application/gzip");
            exchange.sendResponseHeaders(200, served.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(served);
            }
        }
    }

    /** @param gzip what ports send, from now on; a compressed document */
    @SuppressWarnings("PMD.ArrayIsStoredDirectly") // of whoever made it for this
    void ports(byte[] gzip) {
        ports = gzip;
    }

    /**
     * Begins to dump the tables where it is time, or where something has changed; does not wait for it, so that sweeps and their report go on.
     *
     * @param now by a {@code SteadyClock}
     */
    synchronized void dumpIfDue(boolean changed, Instant now) {
        changedMeanwhile |= changed;
        if (!dumping && !now.isBefore(changedMeanwhile ? dueAfterChange : due)) {
            changedMeanwhile = false;
            dumping = true;
            Thread.ofVirtual().name("dump").start(() -> dump(now));
        }
    }

    /** Begins to dump the tables where something has changed while they were dumped. */
    synchronized void dumpIfChanged(Instant now) {
        if (changedMeanwhile) {
            dumpIfDue(true, now);
        }
    }

    /** What was dumped before stays where this fails, and where nothing is different: then its digest does, too, whatever the order of the text is. */
    private void dump(Instant began) {
        long start = System.nanoTime();
        String why = null;
        try {
            replace(settled());
        } catch (IOException | BadInputException e) {
            why = String.valueOf(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            why = "interrupted";
        } catch (RuntimeException e) {
            why = "a defect: " + e;
        }
        Duration taken = Duration.ofNanos(System.nanoTime() - start);
        synchronized (this) {
            if (why != null && !why.equals(problem)) {
                Sweeper.log(why);
            }
            problem = why;
            due = began.plus(taken.multipliedBy(REST));
            dueAfterChange = began.plus(taken.multipliedBy(2));
            dumping = false;
        }
        dumped.run();
    }

    private ForwardingTableDump settled() throws IOException, BadInputException, InterruptedException {
        // Where the subnet manager has said that it has written them, and has begun nothing since, there is no need to
        // look twice.
        Long mark = mark();
        ForwardingTableDump found = dumpOnce();
        ForwardingTableDump before = last;
        boolean settled = isStill(mark) || before != null && before.tables().saysTheSameAs(found.tables());
        for (int tries = 1; !settled; tries++) {
            if (tries == MOST_TRIES) {
                found.close();
                throw new IOException(
                        config.forwardingTables().getFirst() + " says another thing each time, " + tries + " times");
            }
            Thread.sleep(SETTLE);
            try (ForwardingTableDump earlier = found) {
                mark = mark();
                found = dumpOnce();
                settled = isStill(mark) || earlier.tables().saysTheSameAs(found.tables());
            }
        }
        return found;
    }

    private @Nullable Long mark() {
        return events == null ? null : events.settled();
    }

    private boolean isStill(@Nullable Long mark) {
        return mark != null && events != null && events.isStill(mark);
    }

    private ForwardingTableDump dumpOnce() throws IOException, BadInputException, InterruptedException {
        return ForwardingTableDump.of(config.forwardingTables(), config.limit().multipliedBy(LONGER));
    }

    /** Says in the report how that stands; whether the report said anything else. */
    synchronized boolean put(Map<String, String> report) {
        Map<String, String> before = Map.copyOf(report);
        ForwardingTableDump served = last;
        put(report, FabricApi.REPORT_ROUTES_DIGEST, served == null ? null : served.digest());
        put(report, FabricApi.REPORT_ROUTES_ADDRESS, served == null ? null : address());
        put(report, FabricApi.REPORT_ROUTES_MESSAGE, problem);
        return !report.equals(before);
    }

    /** Takes out what a process before this one said. */
    static void none(Map<String, String> report) {
        report.keySet()
                .removeAll(Set.of(
                        FabricApi.REPORT_ROUTES_DIGEST,
                        FabricApi.REPORT_ROUTES_ADDRESS,
                        FabricApi.REPORT_ROUTES_MESSAGE));
    }

    private static void put(Map<String, String> report, String key, @Nullable String value) {
        if (value == null) {
            report.remove(key);
        } else {
            report.put(key, value);
        }
    }

    private String address() {
        String host = config.address();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":"
                + server.getAddress().getPort();
    }

    private void replace(ForwardingTableDump found) throws IOException {
        ForwardingTableDump before = last;
        if (before != null && before.tables().saysTheSameAs(found.tables())) {
            found.close();
            return;
        }
        last = found;
        Sweeper.log("forwarding tables of " + found.tables().all().size() + " switches, "
                + found.gzip().size() + " bytes");
        if (before != null) {
            before.close();
        }
    }

    @Override
    public void close() throws IOException {
        server.stop(0);
        ForwardingTableDump served = last;
        if (served != null) {
            served.close();
        }
    }
}
