/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PortsHealthTest {
    private static final String SYMBOLS = "SymbolErrorCounter";
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private Instant now = START;
    private PortsHealth<String> health = new PortsHealth<>(Map.of(), now);

    private boolean look(Map<String, Map<String, Long>> counts, boolean complete, String... up) {
        now = now.plusSeconds(2);
        return health.look(new PortsHealth.Look<>(Set.of(up), port -> true, counts, complete, now, now));
    }

    private boolean look(long symbols) {
        return look(symbols == 0 ? Map.of() : Map.of("a", Map.of(SYMBOLS, symbols)), true, "a", "b");
    }

    @Test
    void aPortThatHadCountedNothingIsSaidAtTheLookAtWhichItHas() {
        assertThat(look(0)).isFalse();
        assertThat(look(0)).isFalse();
        assertThat(look(40)).isTrue();
        assertThat(health.of("a")).singleElement().satisfies(sign -> {
            assertThat(sign.words()).isEqualTo("40 symbol errors in 2 s");
            assertThat(sign.file()).isEqualTo(SYMBOLS);
        });
        assertThat(health.of("b")).isEmpty();
    }

    @Test
    void whatWasCountedBeforeTheFirstLookIsNoSign() {
        assertThat(look(40_000)).isFalse();
        assertThat(look(40_000)).isFalse();
        assertThat(look(40_011)).isTrue();
    }

    @Test
    void aBurstWhileASubnetManagerBeginsIsNoSignAndTheNextOneIs() {
        look(0);
        look(5);
        health.forget(now, now);
        for (long counted : new long[] {45, 45, 45}) {
            assertThat(look(counted)).isFalse();
        }
        assertThat(look(85)).isTrue();
    }

    @Test
    void aBurstOfAPortThatWasNotWatchedIsNoSignEitherWhileASubnetManagerBegins() {
        look(0);
        look(0);
        health.forget(now, now);
        assertThat(look(40)).isFalse();
        assertThat(look(40)).isFalse();
    }

    @Test
    void aPortThatComesUpWithErrorsIsNotSaid() {
        look(Map.of(), true, "b");
        look(Map.of("a", Map.of(SYMBOLS, 4000L)), true, "a", "b");
        assertThat(look(4000)).isFalse();
        assertThat(health.of("a")).isEmpty();
    }

    @Test
    void whereNotAllHaveAnsweredNothingThatIsLeftOutIsTakenForZero() {
        look(40);
        look(40);
        look(Map.of(), false, "a", "b");
        assertThat(look(80)).as("what came meanwhile is not known").isFalse();
        assertThat(look(120)).isTrue();
    }

    @Test
    void anErrorThatEndsIsOverAfterTheQuietTimeAndACounterThatIsClearedMakesNoNumberUp() {
        look(0);
        look(40);
        assertThat(health.of("a")).hasSize(1);
        boolean over = false;
        for (Instant end = now.plus(Duration.ofMinutes(5)); now.isBefore(end.plusSeconds(60)); ) {
            over |= look(0);
        }
        assertThat(over).isTrue();
        assertThat(health.of("a")).isEmpty();
        assertThat(look(0)).isFalse();
    }

    @Test
    void whatAnEarlierProcessSaidHoldsForAnotherQuietTime() {
        Impairment said = new Impairment(LinkFault.SymbolErrors, SYMBOLS, 40, 10, 2, 60, 300, START);
        health = new PortsHealth<>(Map.of("a", List.of(said)), now);
        for (int looks = 0; looks < 100; looks++) {
            assertThat(look(40)).isFalse();
        }
        assertThat(health.of("a")).containsExactly(said);
        for (int looks = 0; looks < 60; looks++) {
            look(40);
        }
        assertThat(health.of("a")).isEmpty();
    }

    @Test
    void aBurstAfterALookOfZerosWhileASubnetManagerBeginsIsNoSign() {
        look(0);
        look(0);
        health.forget(now, now);
        assertThat(look(0)).isFalse();
        assertThat(look(40)).isFalse();
    }
}
