/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.operator.server.http.ConnectionLimits.Decision;
import dev.fabricoperator.operator.server.http.ConnectionLimits.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class ConnectionLimitsTest {
    private static final long SECOND = 1_000_000_000L;

    private final ConnectionLimits limits = limits(8, 4, 3);
    private long now;

    @Test
    void anAddressGetsNoMoreConnectionsThanItsShare() {
        for (int i = 0; i < 4; i++) {
            limits.handshaken(accepted("a"));
        }
        assertThat(accept("a").outcome()).isEqualTo(Outcome.address_full);
        assertThat(accept("b").outcome()).isEqualTo(Outcome.accepted);
    }

    @Test
    void anAddressGetsNoMoreHandshakesThanItsShare() {
        accepted("a");
        accepted("a");
        ClientConnection third = accepted("a");
        assertThat(accept("a").outcome()).isEqualTo(Outcome.address_full);
        limits.handshaken(third);
        assertThat(accept("a").outcome()).isEqualTo(Outcome.accepted);
    }

    @Test
    void whoHoldsFewConnectionsGetsInWhenStrangersHoldThemAll() {
        ClientConnection oldest = accepted("a");
        limits.handshaken(oldest);
        for (String address : List.of("a", "a", "a", "b", "b", "c", "c")) {
            limits.handshaken(accepted(address));
        }
        assertThat(accept("d")).isEqualTo(new Decision(Outcome.accepted, oldest));
        assertThat(limits.size()).isEqualTo(8);
    }

    @Test
    void aProvenConnectionGivesWayOnlyToAnAddressThatHasNone() {
        List<ClientConnection> proven = new ArrayList<>();
        for (String address : List.of("a", "a", "a", "a", "b", "b", "b", "b")) {
            ClientConnection connection = accepted(address);
            limits.handshaken(connection);
            limits.proven(connection);
            proven.add(connection);
        }
        now += 10 * SECOND;
        assertThat(accept("a").outcome()).isEqualTo(Outcome.address_full);
        assertThat(limits.open()).containsExactlyElementsOf(proven);
        assertThat(accept("c")).isEqualTo(new Decision(Outcome.accepted, proven.getFirst()));
        assertThat(accept("c").outcome()).as("a second one").isEqualTo(Outcome.listener_full);
    }

    @Test
    void aConnectionHasASecondToProveItselfBeforeItsOwnAddressDisplacesIt() {
        ClientConnection oldest = accepted("a");
        for (int i = 0; i < 2; i++) {
            accepted("a");
        }
        now += SECOND - 1;
        assertThat(accept("a").outcome()).isEqualTo(Outcome.address_full);
        now += 1;
        assertThat(accept("a")).isEqualTo(new Decision(Outcome.accepted, oldest));
    }

    @Test
    void whatIsRemovedTwiceCountsOnce() {
        ClientConnection connection = accepted("a");
        limits.remove(connection);
        limits.remove(connection);
        limits.handshaken(connection);
        limits.proven(connection);
        assertThat(limits.size()).isZero();
        for (int i = 0; i < 3; i++) {
            accepted("a");
        }
        assertThat(accept("a").outcome()).isEqualTo(Outcome.address_full);
    }

    /** Against counts made anew after each step. */
    @Property(tries = 200)
    void limitsHoldWhateverComesAndGoes(@ForAll long seed) {
        Random random = new Random(seed);
        ConnectionLimits tried = limits(12, 5, 2);
        long time = 0;
        for (int step = 0; step < 300; step++) {
            time += random.nextLong(SECOND);
            List<ClientConnection> open = tried.open();
            ClientConnection any = open.isEmpty() ? null : open.get(random.nextInt(open.size()));
            switch (any == null ? 3 : random.nextInt(6)) {
                case 0 -> tried.handshaken(Objects.requireNonNull(any));
                case 1 -> {
                    tried.handshaken(Objects.requireNonNull(any));
                    tried.proven(Objects.requireNonNull(any));
                }
                case 2 -> tried.remove(Objects.requireNonNull(any));
                default -> checkAccept(tried, new ClientConnection("a" + random.nextInt(4), time, () -> {}, () -> {}));
            }
            Map<String, Integer> each = new HashMap<>();
            Map<String, Integer> handshakes = new HashMap<>();
            for (ClientConnection connection : tried.open()) {
                each.merge(connection.address, 1, Integer::sum);
                handshakes.merge(connection.address, connection.handshaking ? 1 : 0, Integer::sum);
            }
            assertThat(tried.size()).isLessThanOrEqualTo(12);
            assertThat(each.values()).allMatch(n -> n <= 5);
            assertThat(handshakes.values()).allMatch(n -> n <= 2);
        }
        tried.open().forEach(tried::remove);
        assertThat(tried.size()).isZero();
    }

    private static void checkAccept(ConnectionLimits tried, ClientConnection next) {
        int before = tried.size();
        long own = tried.open().stream()
                .filter(c -> c.address.equals(next.address))
                .count();
        Decision decision = tried.accept(next);
        if (decision.outcome() == Outcome.accepted) {
            ClientConnection displaced = decision.displaced();
            assertThat(tried.size()).isEqualTo(displaced == null ? before + 1 : before);
            assertThat(displaced == null || !displaced.proven || own == 0).isTrue();
        } else {
            assertThat(tried.size()).isEqualTo(before);
            if (own == 0) {
                assertThat(tried.open())
                        .as("a newcomer is refused by equals only")
                        .extracting(c -> c.address)
                        .doesNotHaveDuplicates();
            }
        }
    }

    private Decision accept(String address) {
        return limits.accept(new ClientConnection(address, now, () -> {}, () -> {}));
    }

    private ClientConnection accepted(String address) {
        ClientConnection next = new ClientConnection(address, now, () -> {}, () -> {});
        assertThat(limits.accept(next).outcome()).isEqualTo(Outcome.accepted);
        return next;
    }

    private static ConnectionLimits limits(int total, int perAddress, int handshakes) {
        return new ConnectionLimits(TestSettings.of(Map.of(
                "connections", Integer.toString(total),
                "connections-per-address", Integer.toString(perAddress),
                "handshakes-per-address", Integer.toString(handshakes))));
    }
}
