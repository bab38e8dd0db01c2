/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PortHealthTest {
    private static final String SYMBOLS = "/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error";
    private static final String DOWNS = "/sys/class/infiniband/mlx5_0/ports/1/counters/link_downed";
    private static final String OVERRUNS =
            "/sys/class/infiniband/mlx5_0/ports/1/counters/excessive_buffer_overrun_errors";
    private static final String CARRIER = "/sys/class/net/ens1/carrier_changes";
    private static final String CHIP = "/sys/bus/pci/devices/0000:81:00.0/hwmon/hwmon3/temp1_input";

    private static final Duration STEP = Duration.ofSeconds(2);
    private static final Instant WALL = Instant.parse("2026-11-28T12:00:00.7Z");

    private final Map<String, PortReading.Sample> files = new HashMap<>();
    private Instant now = Instant.EPOCH;
    private boolean up = true;
    private boolean shut;
    private int changes;
    private PortHealth health = new PortHealth(List.of(), now);

    private void look() {
        now = now.plus(STEP);
        if (health.look(new PortReading(up, shut, files), now, WALL)) {
            changes++;
        }
    }

    private void lookFor(Duration time) {
        for (Instant end = now.plus(time); now.isBefore(end); ) {
            look();
        }
    }

    private void counted(LinkFault fault, String file, long value) {
        files.put(file, PortReading.Sample.counted(fault, value));
    }

    private void symbols(long value) {
        counted(LinkFault.SymbolErrors, SYMBOLS, value);
    }

    private void degrees(long value) {
        files.put(CHIP, new PortReading.Sample(LinkFault.Temperature, value, 105));
    }

    @Test
    void aBurstOfErrorsIsSaidWithItsEvidence() {
        symbols(7);
        lookFor(Duration.ofSeconds(10));
        symbols(47);
        look();

        assertThat(health.impairments()).singleElement().satisfies(found -> {
            assertThat(found)
                    .isEqualTo(new Impairment(
                            LinkFault.SymbolErrors,
                            SYMBOLS,
                            40,
                            10,
                            2,
                            60,
                            300,
                            Instant.parse("2026-11-28T12:00:00Z")));
            assertThat(found.words()).isEqualTo("40 symbol errors in 2 s");
            assertThat(found.ending()).isEqualTo("over once there are at most 5 in 60 s, for 300 s");
        });
    }

    @Test
    void asManyAsTheLimitAreWellAndOneMoreWithinTheWindowIsNot() {
        symbols(0);
        look();
        symbols(10);
        look();
        assertThat(health.impairments()).isEmpty();
        lookFor(Duration.ofSeconds(50));
        symbols(11);
        look();
        assertThat(health.impairments()).hasSize(1);
    }

    @Test
    void oneErrorASecondIsSaidAndOneInTenSecondsIsNot() {
        for (int i = 0; i < 1000; i++) {
            symbols(i / 5);
            look();
        }
        assertThat(health.impairments()).isEmpty();
        for (int i = 0; i < 1000; i++) {
            symbols(200 + i * 2L);
            look();
        }
        assertThat(health.impairments()).hasSize(1);
        assertThat(changes).isEqualTo(1);
    }

    @Test
    void whatWasCountedBeforeTheFirstLookIsNoNews() {
        symbols(60_000);
        counted(LinkFault.LinkDowns, DOWNS, 200);
        lookFor(Duration.ofMinutes(20));
        assertThat(changes).isZero();
    }

    @Test
    void itIsOverAfterTheQuietTimeAndLaterEachTimeThatItComesBack() {
        symbols(0);
        lookFor(Duration.ofSeconds(4));
        symbols(40);
        look();
        lookFor(Duration.ofSeconds(60 + 296));
        assertThat(health.impairments()).hasSize(1);
        lookFor(Duration.ofSeconds(6));
        assertThat(health.impairments()).isEmpty();

        symbols(80);
        look();
        assertThat(health.impairments())
                .singleElement()
                .extracting(Impairment::quietSeconds)
                .isEqualTo(600L);
    }

    @Test
    void aCounterThatComesAndGoesAllDayIsSaidAFewTimesOnly() {
        long value = 0;
        for (int minutes = 0; minutes < 24 * 60; minutes += 7) {
            symbols(value);
            lookFor(Duration.ofMinutes(7));
            value += 40;
        }
        assertThat(changes).isLessThanOrEqualTo(4);
        assertThat(health.impairments()).hasSize(1);
    }

    @Test
    void aCounterThatWasClearedOrHasWrappedSetsANewBase() {
        counted(LinkFault.InvariantCrcErrors, SYMBOLS, 4_294_967_290L);
        lookFor(Duration.ofSeconds(10));
        Instant cleared = now.plus(STEP);
        counted(LinkFault.InvariantCrcErrors, SYMBOLS, 6);
        look();
        assertThat(health.impairments()).isEmpty();
        assertThat(health.asOf(SYMBOLS)).isEqualTo(cleared);
        counted(LinkFault.InvariantCrcErrors, SYMBOLS, 16);
        look();
        assertThat(health.impairments()).isEmpty();
    }

    @Test
    void aCounterThatNeverMovesSaysNothing() {
        symbols(0);
        lookFor(Duration.ofHours(3));
        assertThat(changes).isZero();
        assertThat(health.asOf(SYMBOLS)).isEqualTo(Instant.EPOCH.plus(STEP));
    }

    @Test
    void aCounterAtItsMaximumSaysNothingUntilItIsCleared() {
        counted(LinkFault.ExcessiveBufferOverruns, OVERRUNS, 0);
        lookFor(Duration.ofSeconds(4));
        counted(LinkFault.ExcessiveBufferOverruns, OVERRUNS, 15);
        look();
        assertThat(health.impairments()).hasSize(1);
        lookFor(Duration.ofHours(2));
        assertThat(health.impairments()).as("it may go on unseen").hasSize(1);

        counted(LinkFault.ExcessiveBufferOverruns, OVERRUNS, 0);
        lookFor(Duration.ofSeconds(310));
        assertThat(health.impairments()).isEmpty();
    }

    @Test
    void aCounterThatStoodAtItsMaximumBeforeTheFirstLookIsNoNews() {
        counted(LinkFault.ExcessiveBufferOverruns, OVERRUNS, 15);
        lookFor(Duration.ofHours(2));
        assertThat(changes).isZero();
    }

    @Test
    void aFileThatIsAbsentForAWhileChangesNothing() {
        symbols(0);
        lookFor(Duration.ofSeconds(4));
        files.clear();
        look();
        assertThat(health.asOf(SYMBOLS)).isNull();
        symbols(1000);
        look();
        assertThat(health.impairments()).as("what came meanwhile").isEmpty();
        assertThat(health.asOf(SYMBOLS)).isEqualTo(now);
        symbols(1040);
        look();
        assertThat(health.impairments()).hasSize(1);
        files.clear();
        lookFor(Duration.ofMinutes(30));
        assertThat(health.impairments()).as("unknown is not well").hasSize(1);
        lookFor(Duration.ofMinutes(31));
        assertThat(health.impairments()).as("too long unknown to be said").isEmpty();
    }

    @Test
    void errorsWhileALinkIsTrainedAreNone() {
        counted(LinkFault.LinkDowns, DOWNS, 0);
        symbols(0);
        lookFor(Duration.ofSeconds(10));
        up = false;
        counted(LinkFault.LinkDowns, DOWNS, 1);
        symbols(5000);
        look();
        symbols(20_000);
        lookFor(Duration.ofSeconds(30));
        up = true;
        symbols(30_000);
        look();
        symbols(30_500);
        look();
        assertThat(changes).isZero();

        lookFor(Duration.ofSeconds(4));
        symbols(30_540);
        look();
        assertThat(health.impairments()).hasSize(1);
    }

    @Test
    void aLinkThatWentDownAndUpBetweenTwoLooksIsTrainedToo() {
        counted(LinkFault.LinkDowns, DOWNS, 0);
        symbols(0);
        lookFor(Duration.ofSeconds(10));
        counted(LinkFault.LinkDowns, DOWNS, 1);
        symbols(5000);
        lookFor(Duration.ofMinutes(1));
        assertThat(changes).isZero();
    }

    @Test
    void aPortWithoutACableSaysNothingWhateverItCounts() {
        up = false;
        for (int i = 0; i < 1000; i++) {
            symbols(i * 50L);
            look();
        }
        assertThat(changes).isZero();
    }

    @Test
    void aPortThatAnAdministratorShutsAndOpensAllTheTimeSaysNothing() {
        counted(LinkFault.CarrierChanges, CARRIER, 2);
        look();
        for (int i = 0; i < 30; i++) {
            shut = true;
            up = false;
            counted(LinkFault.CarrierChanges, CARRIER, 3 + 2L * i);
            lookFor(Duration.ofSeconds(4));
            shut = false;
            up = true;
            counted(LinkFault.CarrierChanges, CARRIER, 4 + 2L * i);
            lookFor(Duration.ofSeconds(4));
        }
        assertThat(changes).isZero();
    }

    @Test
    void aLinkThatFlapsIsSaidOnceAndIsOverOnce() {
        counted(LinkFault.CarrierChanges, CARRIER, 2);
        look();
        for (int i = 0; i < 20; i++) {
            up = !up;
            counted(LinkFault.CarrierChanges, CARRIER, 4 + 2L * i);
            lookFor(Duration.ofSeconds(6));
        }
        up = true;
        assertThat(health.impairments()).singleElement().satisfies(found -> {
            assertThat(found.kind()).isEqualTo(LinkFault.CarrierChanges);
            assertThat(found.value()).isGreaterThan(20);
        });
        lookFor(Duration.ofMinutes(16));
        assertThat(health.impairments()).isEmpty();
        assertThat(changes).isEqualTo(2);
    }

    @Test
    void aCardIsTooHotAfterThreeLooksAndCoolAfterAWhileWellBelow() {
        degrees(70);
        lookFor(Duration.ofMinutes(5));
        degrees(108);
        look();
        look();
        assertThat(health.impairments()).as("a look or two may be wrong").isEmpty();
        look();
        assertThat(health.impairments()).singleElement().satisfies(found -> {
            assertThat(found.words()).isEqualTo("108 degrees Celsius, critical from 105");
            assertThat(found.ending()).isEqualTo("over once it is more than 5 degrees below that for 60 s");
        });
        degrees(101);
        lookFor(Duration.ofHours(1));
        assertThat(health.impairments()).as("not well below").hasSize(1);
        degrees(99);
        lookFor(Duration.ofSeconds(58));
        assertThat(health.impairments()).hasSize(1);
        lookFor(Duration.ofSeconds(4));
        assertThat(health.impairments()).isEmpty();
        assertThat(changes).isEqualTo(2);
    }

    @Test
    void whatAnEarlierProcessSaidHoldsForAnotherQuietTime() {
        symbols(0);
        lookFor(Duration.ofSeconds(4));
        symbols(40);
        look();
        List<Impairment> said = health.impairments();

        health = new PortHealth(said, now);
        assertThat(health.impairments()).isEqualTo(said);
        changes = 0;
        lookFor(Duration.ofSeconds(290));
        assertThat(health.impairments()).isEqualTo(said);
        lookFor(Duration.ofSeconds(20));
        assertThat(health.impairments()).isEmpty();
        assertThat(changes).isEqualTo(1);
    }

    @Test
    void aProcessThatSleptDoesNotTakeAllThatCameMeanwhileForABurst() {
        symbols(0);
        lookFor(Duration.ofSeconds(10));
        now = now.plus(Duration.ofHours(5));
        symbols(500);
        look();
        assertThat(health.impairments()).isEmpty();
    }
}
