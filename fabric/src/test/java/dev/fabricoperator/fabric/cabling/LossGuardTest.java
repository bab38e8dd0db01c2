/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cabling.LossGuard.Decision;
import dev.fabricoperator.fabric.device.PortState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LossGuardTest {
    private static final Function<String, @Nullable Boolean> NOBODY_WATCHES = device -> null;
    private static final Function<String, Boolean> NOBODY_ACCEPTS = digest -> false;
    private final LossGuard guard = new LossGuard();
    private final List<Switch> before = fabric(20, 20);

    @Test
    void theFirstReadingAndAGrowingOneAreBelieved() {
        assertBelieved(decide(List.of(), before, true));
        assertBelieved(decide(before, fabric(40, 20), true));
    }

    @Test
    void whatBreaksByItselfIsBelievedAtOnce() {
        assertBelieved(decide(before, fabric(19, 20), true));
        assertBelieved(decide(before, fabric(18, 20), true));
        assertBelieved(decide(before, fabric(20, 18), true));
        assertBelieved(decide(fabric(2, 4), fabric(1, 4), true));
    }

    @Test
    void aLargeLossIsHeldUntilItWasSaidThreeTimes() {
        assertHeld(decide(before, fabric(17, 20), true), "lost 3 of 20 switches and 60 of 400 cables", "1 of 3 times");
        assertHeld(decide(before, fabric(16, 20), true), "2 of 3 times");
        assertBelieved(decide(before, fabric(16, 20), true));
    }

    @Test
    void recoveryInBetweenBeginsTheCountAnew() {
        assertHeld(decide(before, fabric(5, 20), true), "1 of 3 times");
        assertHeld(decide(before, fabric(5, 20), true), "2 of 3 times");
        assertBelieved(decide(before, before, true));
        assertHeld(decide(before, fabric(5, 20), true), "1 of 3 times");
    }

    @Test
    void aLossThatIsAnotherOneBeginsTheCountAnew() {
        assertHeld(decide(before, fabric(5, 20), true), "1 of 3 times");
        assertHeld(decide(before, fabric(12, 20), true), "1 of 3 times");
    }

    @Test
    void anEmptyAnswerIsALargeLoss() {
        assertHeld(decide(before, List.of(), true), "lost 20 of 20 switches and 400 of 400 cables");
    }

    @Test
    void aFileIsNoSecondWitnessHoweverOftenItIsRead() {
        for (int i = 0; i < 10; i++) {
            assertHeld(decide(before, fabric(5, 20), false), "lost 15 of 20 switches");
        }
    }

    @Test
    void aPersonAcceptsOneReadingAndNoOther() {
        Decision decision = decide(before, fabric(5, 20), false);
        assertThat(decision).isInstanceOf(Decision.Held.class);
        String digest = ((Decision.Held) decision).loss().digest();
        assertHeld(guard.decide(before, fabric(4, 20), NOBODY_WATCHES, digest::equals, false), "lost 16");
        assertBelieved(guard.decide(before, fabric(5, 20), NOBODY_WATCHES, digest::equals, false));
    }

    @Test
    void devicesThatAreDownConfirmALossAtOnce() {
        assertBelieved(guard.decide(before, fabric(5, 20), device -> false, NOBODY_ACCEPTS, true));
    }

    @Test
    void whileDevicesSayThatTheyAreUpRepetitionProvesNothing() {
        for (int i = 0; i < 10; i++) {
            assertHeld(
                    guard.decide(before, fabric(5, 20), device -> true, NOBODY_ACCEPTS, true),
                    "300 devices at lost cables say that their link is up");
        }
    }

    @Test
    void cablesThatLeadElsewhereAreNotLost() {
        List<Switch> moved = new ArrayList<>(fabric(19, 20));
        moved.add(fabricSwitch("s19", 20, "other"));
        assertThat(CablingLoss.between(before, moved).cablesLost()).isZero();
    }

    @Test
    void aCableBetweenTwoSwitchesIsOne() {
        Switch a = new Switch("a", null, null, null, null, "t", List.of(port(1, "b", 2)));
        Switch b = new Switch("b", null, null, null, null, "t", List.of(port(2, "a", 1)));
        CablingLoss loss = CablingLoss.between(List.of(a, b), List.of(a));
        assertThat(loss.cablesBefore()).isEqualTo(1);
        assertThat(loss.cables()).isEqualTo(1);
    }

    private Decision decide(List<Switch> then, List<Switch> now, boolean asked) {
        return guard.decide(then, now, NOBODY_WATCHES, NOBODY_ACCEPTS, asked);
    }

    private static void assertBelieved(Decision decision) {
        assertThat(decision).isInstanceOf(Decision.Accepted.class);
    }

    private static void assertHeld(Decision decision, String... words) {
        assertThat(decision)
                .isInstanceOfSatisfying(
                        Decision.Held.class, held -> assertThat(held.why()).contains(words));
    }

    private static List<Switch> fabric(int switches, int devicesEach) {
        List<Switch> fabric = new ArrayList<>();
        for (int i = 0; i < switches; i++) {
            fabric.add(fabricSwitch("s" + i, devicesEach, "d" + i));
        }
        return fabric;
    }

    private static Switch fabricSwitch(String id, int devices, String device) {
        List<SwitchPort> ports = new ArrayList<>();
        for (int port = 1; port <= devices; port++) {
            ports.add(port(port, device + "-" + port, 1));
        }
        return new Switch(id, null, null, null, null, "test", ports);
    }

    private static SwitchPort port(int number, String peer, int peerPort) {
        return new SwitchPort(number, new PortPeer(peer, peerPort), PortState.Active, null, null, null, null, null);
    }
}
