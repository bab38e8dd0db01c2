/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PortRatesTest {
    private static final Instant START = Instant.parse("2026-11-28T12:00:00Z");
    private static final long TEN_GIGABITS = 10_000_000_000L;
    /** Words of four octets in a second: half of what the link can carry. */
    private static final long HALF = TEN_GIGABITS / 8 / 4 / 2;

    private final PortRates<String> rates = new PortRates<>();
    private final HotSpots<String> hotSpots = new HotSpots<>();

    private PortRate look(int second, PortRates.Reading<String> reading) {
        return look(second, Map.of("port", reading));
    }

    private PortRate look(int second, Map<String, PortRates.Reading<String>> readings) {
        Instant now = START.plusSeconds(second);
        rates.look(readings, now, now);
        hotSpots.look(rates.rates(), now);
        return rate("port");
    }

    private PortRate rate(String port) {
        return Objects.requireNonNull(rates.rates().get(port));
    }

    private static PortRates.Reading<String> sent(long words) {
        return new PortRates.Reading<>(words, 0, 0, 0, TEN_GIGABITS, null);
    }

    private static PortRates.Reading<String> waited(long waits) {
        return new PortRates.Reading<>(0, 0, waits, 0, TEN_GIGABITS, null);
    }

    private static void assertUnknown(PortRate rate, @Nullable Instant asOf) {
        assertThat(rate.bytesPerSecond()).isNull();
        assertThat(rate.utilisation()).isNull();
        assertThat(rate.asOf()).isEqualTo(asOf);
    }

    @Test
    void twoLooksTellARate() {
        assertUnknown(look(0, sent(1_000)), null);

        PortRate rate = look(30, sent(1_000 + 30 * HALF));

        assertThat(rate.bytesPerSecond()).isEqualTo(4 * HALF);
        assertThat(rate.utilisation()).isCloseTo(0.5, Offset.offset(1e-9));
        assertThat(rate.waitShare()).isZero();
        assertThat(rate.asOf()).isEqualTo(START.plusSeconds(30));
    }

    @Test
    void whereLooksFollowEachOtherQuicklyTheRateIsThatOfSomeSeconds() {
        for (int second = 0; second <= 20; second++) {
            look(second, sent(second <= 10 ? 0 : (second - 10) * HALF));
        }
        assertThat(rate("port").utilisation()).isCloseTo(0.5, Offset.offset(1e-9));
        int until = 21;
        while (Objects.requireNonNull(rate("port").utilisation()) > 0) {
            look(until, sent(10 * HALF));
            until++;
        }
        assertThat(until - 20).isLessThanOrEqualTo(7);
    }

    @Test
    void aCounterThatWasClearedOrHasWrappedIsNotKnownUntilTheNextLook() {
        look(0, sent(0xffff_ff00L));
        look(30, sent(0xffff_ff80L));

        assertUnknown(look(60, sent(500)), START.plusSeconds(30));
        assertThat(look(90, sent(500 + 30 * HALF)).utilisation()).isCloseTo(0.5, Offset.offset(1e-9));
    }

    @Test
    void aCounterThatStandsAtItsEndIsNotKnown() {
        look(0, sent(0xffff_fff0L));

        assertUnknown(look(30, sent(0xffff_ffffL)), null);
        assertUnknown(look(60, sent(0xffff_ffffL)), null);
    }

    @Test
    void moreThanALinkCanCarryIsNoNumber() {
        look(0, sent(0));

        assertUnknown(look(30, sent(30 * 5 * HALF)), null);
        assertUnknown(look(60, sent(30 * 5 * HALF + 1)), null);
        assertThat(look(90, sent(30 * 5 * HALF + 1 + 30 * HALF)).utilisation()).isCloseTo(0.5, Offset.offset(1e-9));
    }

    @Test
    void aPortThatWasNotReadIsNotKnownAndSaysSinceWhen() {
        look(0, sent(0));
        look(30, sent(30 * HALF));

        assertUnknown(look(60, sent(PortRates.UNKNOWN)), START.plusSeconds(30));
    }

    @Test
    void aCounterThatStandsStillWhileTheOtherEndReceivesIsNotKnown() {
        Map<String, PortRates.Reading<String>> readings = new HashMap<>();
        for (int second = 0; second <= 60; second += 30) {
            readings.put("port", new PortRates.Reading<>(7, 0, 0, 0, TEN_GIGABITS, "other"));
            readings.put("other", new PortRates.Reading<>(0, second * HALF, 0, 0, TEN_GIGABITS, "port"));
            look(second, readings);
        }
        assertUnknown(rate("port"), null);
        assertThat(rate("other").bytesPerSecond()).isZero();
    }

    @Test
    void whatCameWhileLinksWereTrainedAnewIsNotKnown() {
        look(0, sent(0));
        rates.forget();

        assertUnknown(look(30, sent(30 * HALF)), null);
    }

    @Test
    void aPortIsHotAtOnceAndCoolAfterTwoLooks() {
        look(0, sent(0));
        long words = 2 * 30 * HALF;
        look(30, sent(words));
        assertThat(hotSpots.all()).singleElement().satisfies(hot -> {
            assertThat(hot.why()).isEqualTo(HotReason.Utilisation);
            assertThat(hot.value()).isCloseTo(1, Offset.offset(1e-9));
            assertThat(hot.since()).isEqualTo(START.plusSeconds(30));
        });

        look(60, sent(words));
        assertThat(hotSpots.all()).hasSize(1);
        look(90, sent(words));
        assertThat(hotSpots.all()).isEmpty();
    }

    @Test
    void aPortThatOftenHasToWaitIsHot() {
        long octets = TEN_GIGABITS / 8 * 30;
        look(0, waited(0));

        look(30, waited(octets / 8 / 20));
        assertThat(rate("port").waitShare()).isCloseTo(0.05, Offset.offset(1e-6));
        assertThat(hotSpots.all()).isEmpty();

        look(60, waited(octets / 8 / 20 + octets / 8 / 5));
        assertThat(hotSpots.all()).extracting(HotSpots.Hot::why).isEqualTo(List.of(HotReason.Waiting));
    }

    @Test
    void aPortThatThrowsPacketsAwayIsHot() {
        look(0, new PortRates.Reading<>(0, 0, 0, 0, TEN_GIGABITS, null));
        look(30, new PortRates.Reading<>(0, 0, 0, 60, TEN_GIGABITS, null));

        assertThat(hotSpots.all()).extracting(HotSpots.Hot::why).isEqualTo(List.of(HotReason.Discards));
    }

    @Test
    void aPortWhoseLinkIsDownIsForgotten() {
        look(0, sent(0));
        look(30, sent(2 * 30 * HALF));
        rates.look(Map.of(), START.plusSeconds(60), START.plusSeconds(60));
        hotSpots.look(rates.rates(), START.plusSeconds(60));

        assertThat(rates.rates()).isEmpty();
        assertThat(hotSpots.all()).isEmpty();
    }
}
