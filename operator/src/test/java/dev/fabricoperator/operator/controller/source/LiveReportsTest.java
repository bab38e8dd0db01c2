/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.RoutesStatus;
import dev.fabricoperator.operator.HandMovedClock;
import dev.fabricoperator.operator.cluster.UploadPart;
import dev.fabricoperator.operator.model.SourceProblem;
import dev.fabricoperator.operator.model.SourceState;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LiveReportsTest {
    private static final Instant START = Instant.parse("2026-01-02T03:04:05Z");
    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private final HandMovedClock clock = new HandMovedClock(START);
    private final LiveReports reports = new LiveReports();

    private @Nullable SourceProblem problem(Instant swept) {
        return state(swept, Map.of()).problem();
    }

    private SourceState state(Instant swept, Map<String, String> more) {
        Map<String, String> data = new HashMap<>(more);
        data.put(FabricApi.REPORT_SWEPT, swept.toString());
        data.put(FabricApi.REPORT_INTERVAL, INTERVAL.toString());
        data.put(FabricApi.REPORT_SWITCHES, "2");
        UploadPart report = new UploadPart(
                "fabric-operator", "live", "u", "1", "", "live", null, null, null, null, List.of(), List.of(), data);
        return reports.state(report, clock.steady().instant(), clock.instant());
    }

    @Test
    void routesAreNamedUntilTheSweepIsSilentAndOnlyWithAnAddressAndADigestThatCanBeThem() {
        String digest = "0a".repeat(32);
        for (String address : List.of("10.1.2.3:8082", "[fd00::7]:8082")) {
            assertThat(state(START, routes(digest, address)).routes())
                    .isEqualTo(new RoutesStatus(digest, address, null));
        }
        for (String address :
                List.of("", "example.org:80", "10.1.2.3", "10.1.2.3:80/x?", "user@10.1.2.3:80", "10.1.2.3:80\n")) {
            assertThat(state(START, routes(digest, address)).routes())
                    .as(address)
                    .isNull();
        }
        assertThat(state(START, routes("../secret", "10.1.2.3:8082")).routes()).isNull();
        assertThat(state(START, Map.of(FabricApi.REPORT_ROUTES_MESSAGE, "dump_fts ended with 1"))
                        .routes())
                .isEqualTo(new RoutesStatus(null, null, "dump_fts ended with 1"));
        clock.move(INTERVAL.multipliedBy(3));
        assertThat(state(START, routes(digest, "10.1.2.3:8082")).routes()).isNull();
    }

    private static Map<String, String> routes(String digest, String address) {
        return Map.of(FabricApi.REPORT_ROUTES_DIGEST, digest, FabricApi.REPORT_ROUTES_ADDRESS, address);
    }

    /** Negative: the sweeper's clock is behind. */
    @ParameterizedTest
    @ValueSource(longs = {-90, 0, 90})
    void aSweepIsSilentWhenNoneWasSeenForThreeIntervalsWhateverItsClockSays(long secondsAhead) {
        Instant swept = START.plusSeconds(secondsAhead);
        assertThat(problem(swept)).isNull();
        clock.move(INTERVAL.multipliedBy(3).minusSeconds(1));
        assertThat(problem(swept)).isNull();
        clock.move(Duration.ofSeconds(1));
        assertThat(problem(swept)).isNotNull();
        assertThat(problem(swept.plus(INTERVAL.multipliedBy(3)))).isNull();
    }

    @ParameterizedTest
    @ValueSource(longs = {-90, 90})
    void aClockThatIsSetSilencesNobody(long seconds) {
        assertThat(problem(START)).isNull();
        clock.move(INTERVAL.multipliedBy(2));
        clock.set(Duration.ofSeconds(seconds));
        assertThat(problem(START)).isNull();
        clock.move(INTERVAL);
        assertThat(problem(START)).isNotNull();
    }

    @Test
    void aControllerThatStartsSeesAtOnceWhoHasBeenSilentForLong() {
        assertThat(problem(START.minus(Duration.ofHours(1)))).isNotNull();
    }
}
