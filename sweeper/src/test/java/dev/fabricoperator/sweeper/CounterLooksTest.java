/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sweeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cabling.counters.PortCounters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that say what {@code ibqueryerrors} says, or nothing. */
class CounterLooksTest {
    private static final Duration INTERVAL = Duration.ofSeconds(30);
    private static final Instant NOON = Instant.parse("2026-11-28T12:00:00Z");

    private final Semaphore ended = new Semaphore(0);

    @TempDir
    @Nullable
    Path directory;

    private String program(String name, String... lines) throws IOException {
        Path file = Objects.requireNonNull(directory).resolve(name);
        Files.writeString(file, String.join("\n", lines) + "\n");
        return "sh " + file;
    }

    private CounterLooks looks(String what, CounterLooks.Command command) {
        return new CounterLooks(what, command, INTERVAL, ended::release);
    }

    private void awaitEnd() throws InterruptedException {
        assertThat(ended.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aProgramThatPrintsNoDataHoldsBackNoCountersOfErrorsAndIsSaidWhenItsTimeIsOver() throws Exception {
        Subnet subnet = new Subnet(SweeperConfig.of(
                Map.of(
                        "SWEEPER_COUNTERS",
                        program(
                                "errors",
                                "echo '   GUID 0xa001 port 3: [SymbolErrorCounter == 40]'",
                                "echo '## Summary: 1 nodes checked, 1 bad nodes found'"),
                        "SWEEPER_DATA_COUNTERS",
                        program("data", "exec sleep 60"),
                        "SWEEPER_LIMIT",
                        "PT3S"),
                "test"));
        CounterLooks errors = looks("counters", subnet::counters);
        CounterLooks data = looks("counters of data", subnet::dataCounters);
        data.lookIfDue(NOON);
        errors.lookIfDue(NOON);

        awaitEnd();
        assertThat(data.take()).isNull();
        assertThat(errors.take()).satisfies(look -> {
            assertThat(look.counters().ports())
                    .containsEntry(new PortCounters.Port("000000000000a001", 3), Map.of("SymbolErrorCounter", 40L));
            assertThat(look.problem()).isNull();
        });
        awaitEnd();
        assertThat(data.take()).satisfies(look -> {
            assertThat(look.problem()).contains("has not ended within 3 s");
            assertThat(look.counters().complete()).isFalse();
        });
    }

    @Test
    void howLongOneProgramTakesMovesNoLookOfTheOther() throws Exception {
        PortCounters none = new PortCounters(Map.of(), 1, true);
        CounterLooks slow = looks("counters", () -> {
            Thread.sleep(INTERVAL.dividedBy(8));
            return none;
        });
        CounterLooks quick = looks("counters of data", () -> none);
        slow.lookIfDue(NOON);
        awaitEnd();
        quick.lookIfDue(NOON.plusSeconds(4));
        awaitEnd();
        slow.take();
        assertThat(quick.take()).satisfies(look -> assertThat(look.began()).isEqualTo(NOON.plusSeconds(4)));

        Instant next = NOON.plusSeconds(4).plus(INTERVAL);
        slow.lookIfDue(next);
        assertThat(slow.isLooking()).as("ten times as long as it took").isFalse();
        quick.lookIfDue(next);
        awaitEnd();
        assertThat(quick.take()).isNotNull();
    }
}
