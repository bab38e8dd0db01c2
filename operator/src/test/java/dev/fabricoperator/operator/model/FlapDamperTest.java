/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.operator.HandMovedClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FlapDamperTest {
    private static final Duration WINDOW = Duration.ofSeconds(60);
    private static final Duration QUIET = Duration.ofSeconds(30);

    private final HandMovedClock hands = new HandMovedClock(Instant.parse("2026-01-02T03:04:05Z"));
    private final FlapDamper damper = new FlapDamper(hands, new FlapDamper.Limits(3, WINDOW, QUIET));

    /** Two switches with {@code links} cables between them; those below {@code down} are missing. */
    private static SortedMap<String, Switch> cabled(int links, int down) {
        SortedMap<String, Switch> switches = new TreeMap<>();
        for (List<String> ids : List.of(List.of("a", "b"), List.of("b", "a"))) {
            List<SwitchPort> ports = new ArrayList<>();
            for (int port = 1; port <= links; port++) {
                PortPeer peer = port <= down ? null : new PortPeer(ids.get(1), port);
                ports.add(new SwitchPort(port, peer, PortState.Unknown, null, null, null, null, null));
            }
            switches.put(ids.get(0), new Switch(ids.get(0), null, null, null, null, "", ports));
        }
        return switches;
    }

    private Flaps look(int down) {
        return damper.look(cabled(100, down), Set.of());
    }

    private void flap(int times) {
        for (int i = 0; i < times; i++) {
            hands.move(Duration.ofSeconds(1));
            look(i % 2 == 0 ? 1 : 0);
        }
    }

    @Test
    void aLinkThatChangesSometimesIsLeftAlone() {
        look(0);
        flap(3);
        assertThat(look(1).links()).isEmpty();
        hands.move(Duration.ofSeconds(60));
        for (int i = 0; i < 20; i++) {
            hands.move(Duration.ofSeconds(21));
            assertThat(look(i % 2).links()).isEmpty();
        }
    }

    @Test
    void aLinkThatChangesTooOftenIsDampedOnceWithBothEnds() {
        look(0);
        flap(4);
        Flaps flaps = look(0);
        assertThat(flaps.links()).containsExactly(new Flaps.Link(new PortPeer("a", 1), new PortPeer("b", 1)));
        assertThat(flaps.ports(Set.of("a", "b"))).containsExactlyInAnyOrder(new PortPeer("a", 1), new PortPeer("b", 1));
        assertThat(flaps.ports(Set.of("a"))).containsExactly(new PortPeer("a", 1));
    }

    @Test
    void aDampedLinkIsReleasedAfterItsQuietTime() {
        look(0);
        flap(6);
        Instant lastChange = hands.instant();
        assertThat(damper.nextRelease()).isEqualTo(lastChange.plus(QUIET));
        hands.move(Duration.ofSeconds(29));
        assertThat(look(0).links()).hasSize(1);
        hands.move(Duration.ofSeconds(1));
        assertThat(look(0).links()).isEmpty();
        assertThat(damper.nextRelease()).isNull();
    }

    @Test
    void everyFurtherChangeBeginsTheQuietTimeAnew() {
        look(0);
        flap(4);
        hands.move(Duration.ofSeconds(25));
        look(1);
        hands.move(Duration.ofSeconds(25));
        assertThat(look(1).links()).hasSize(1);
    }

    @Test
    void switchesThatComeAndGoDampNothing() {
        look(0);
        for (int i = 0; i < 20; i++) {
            hands.move(Duration.ofSeconds(1));
            assertThat(damper.look(i % 2 == 0 ? new TreeMap<>() : cabled(100, 0), Set.of())
                            .links())
                    .isEmpty();
        }
    }

    @Test
    void noMoreLinksThanTheBoundAreDamped() {
        look(0);
        for (int i = 0; i < 8; i++) {
            hands.move(Duration.ofSeconds(1));
            look(i % 2 == 0 ? 100 : 0);
        }
        Flaps flaps = look(0);
        assertThat(flaps.links()).hasSize(FlapDamper.MAXIMUM_DAMPED);
        assertThat(flaps.notDamped()).isPositive();
    }

    @Test
    void whatTheProcessBeforeDampedStaysForOneQuietTime() {
        Set<PortPeer> before = Set.of(new PortPeer("a", 7), new PortPeer("b", 7), new PortPeer("gone", 1));
        assertThat(damper.look(cabled(100, 0), before).links())
                .containsExactly(new Flaps.Link(new PortPeer("a", 7), new PortPeer("b", 7)));
        hands.move(Duration.ofSeconds(30));
        assertThat(damper.look(cabled(100, 0), before).links()).isEmpty();
    }
}
