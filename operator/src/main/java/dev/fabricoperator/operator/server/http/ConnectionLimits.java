/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import dev.fabricoperator.operator.server.http.ClientConnection.OfAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which connections a listener keeps. An address has at most so many; where there is no room for one more, the oldest unproven connection of
 * the address that has the most of them gives way. So a client that holds few connections always gets in, and a stranger who opens many
 * displaces nobody but itself. A proven connection gives way to nobody but an address that has none, and only where its own has the most.
 *
 * <p>Knows no sockets. Each call takes O(log addresses), and where an address is at its limit of handshakes O(its connections).
 */
final class ConnectionLimits {
    /** A new connection has this long to prove itself before another one of its own address can displace it. */
    static final Duration GRACE = Duration.ofSeconds(1);

    /** What became of a connection that came in; a tag of a metric. */
    enum Outcome {
        accepted,
        address_full,
        listener_full
    }

    /** @param displaced must be closed by the caller */
    record Decision(Outcome outcome, @Nullable ClientConnection displaced) {}

    private final int total;
    private final int perAddress;
    private final int handshakesPerAddress;
    private final Map<String, OfAddress> addresses = new HashMap<>();
    /** Addresses by how many unproven connections they have. */
    private final TreeMap<Integer, Set<OfAddress>> byUnproven = new TreeMap<>();

    private final Set<ClientConnection> open = new LinkedHashSet<>();

    ConnectionLimits(ListenerSettings settings) {
        this(settings.connections(), settings.connectionsPerAddress(), settings.handshakesPerAddress());
    }

    ConnectionLimits(int total, int perAddress, int handshakesPerAddress) {
        this.total = total;
        this.perAddress = perAddress;
        this.handshakesPerAddress = handshakesPerAddress;
    }

    /** Counts the connection if it is accepted. */
    synchronized Decision accept(ClientConnection next) {
        OfAddress own = addresses.get(next.address);
        ClientConnection displaced = null;
        boolean handshakesFull = own != null && own.handshaking >= handshakesPerAddress;
        if (own != null && (own.open >= perAddress || handshakesFull)) {
            displaced = oldestAfterGrace(own, next, handshakesFull);
            if (displaced == null) {
                return new Decision(Outcome.address_full, null);
            }
        } else if (open.size() >= total) {
            int unproven = own == null ? 0 : own.unproven.size();
            int most = byUnproven.isEmpty() ? 0 : byUnproven.lastKey();
            if (most > unproven) {
                displaced = byUnproven
                        .lastEntry()
                        .getValue()
                        .iterator()
                        .next()
                        .unproven
                        .iterator()
                        .next();
            } else {
                displaced = own == null ? oldestOfTheLargest() : oldestAfterGrace(own, next, false);
            }
            if (displaced == null) {
                return new Decision(Outcome.listener_full, null);
            }
        }
        if (displaced != null) {
            remove(displaced);
        }
        OfAddress into = OfAddress.in(addresses, next.address);
        into.open++;
        into.handshaking++;
        open.add(next);
        changeUnproven(into, next, true);
        return new Decision(Outcome.accepted, displaced);
    }

    /** Where all are proven and most of them one client's: whoever has a valid token of some kind must not keep others out. O(connections). */
    private @Nullable ClientConnection oldestOfTheLargest() {
        int most = addresses.values().stream().mapToInt(of -> of.open).max().orElse(0);
        return most < 2
                ? null
                : open.stream()
                        .filter(connection -> Objects.requireNonNull(addresses.get(connection.address)).open == most)
                        .findFirst()
                        .orElse(null);
    }

    private static @Nullable ClientConnection oldestAfterGrace(
            OfAddress own, ClientConnection next, boolean mustHandshake) {
        for (ClientConnection connection : own.unproven) {
            if (next.openedNanos - connection.openedNanos < GRACE.toNanos()) {
                return null;
            }
            if (connection.handshaking || !mustHandshake) {
                return connection;
            }
        }
        return null;
    }

    /** Its TLS handshake is over. */
    synchronized void handshaken(ClientConnection connection) {
        if (!connection.gone && connection.handshaking) {
            connection.handshaking = false;
            Objects.requireNonNull(addresses.get(connection.address)).handshaking--;
        }
    }

    /** Its client has shown something valid. */
    void proven(ClientConnection connection) {
        if (connection.proven) {
            return;
        }
        synchronized (this) {
            if (!connection.gone && !connection.proven) {
                connection.proven = true;
                changeUnproven(Objects.requireNonNull(addresses.get(connection.address)), connection, false);
            }
        }
    }

    /** It is closed. */
    synchronized void remove(ClientConnection connection) {
        if (connection.gone || !open.remove(connection)) {
            return;
        }
        connection.gone = true;
        OfAddress own = Objects.requireNonNull(addresses.get(connection.address));
        own.open--;
        if (connection.handshaking) {
            own.handshaking--;
        }
        if (!connection.proven) {
            changeUnproven(own, connection, false);
        }
        if (own.open == 0) {
            addresses.remove(connection.address);
        }
    }

    private void changeUnproven(OfAddress of, ClientConnection connection, boolean add) {
        int before = of.unproven.size();
        if (add) {
            of.unproven.add(connection);
        } else {
            of.unproven.remove(connection);
        }
        if (before > 0) {
            Set<OfAddress> same = Objects.requireNonNull(byUnproven.get(before));
            same.remove(of);
            if (same.isEmpty()) {
                byUnproven.remove(before);
            }
        }
        if (!of.unproven.isEmpty()) {
            byUnproven
                    .computeIfAbsent(of.unproven.size(), n -> new LinkedHashSet<>())
                    .add(of);
        }
    }

    synchronized List<ClientConnection> open() {
        return new ArrayList<>(open);
    }

    synchronized int size() {
        return open.size();
    }
}
