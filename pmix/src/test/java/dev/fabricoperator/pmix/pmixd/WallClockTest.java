/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The clock of a node may be set while a job runs. */
class WallClockTest {
    private static final Pattern WALL_CLOCK = Pattern.compile(
            "currentTimeMillis|Instant\\.now|LocalDateTime|Clock\\.system|new Date\\(|CLOCK_REALTIME|gettimeofday|\\btime\\(");

    /** No deadline: PMIX_SERVER_START_TIME is a time of day that people read. */
    private static final String START_TIME = "seconds.offset(), System.currentTimeMillis() / 1_000";

    @ParameterizedTest
    @ValueSource(strings = {"pmix/src/main", "launcher/src/main"})
    void noDeadlineReadsTheClockOfTheWall(String sources) throws IOException {
        Path root = Path.of(System.getProperty("docs")).resolveSibling(sources);
        try (Stream<Path> files = Files.walk(root)) {
            List<Path> programs = files.filter(file -> file.toString().matches(".*\\.(java|c|h)"))
                    .toList();
            assertThat(programs).hasSizeGreaterThan(20);
            for (Path file : programs) {
                assertThat(Files.readString(file).replace(START_TIME, ""))
                        .as(file.toString())
                        .doesNotContainPattern(WALL_CLOCK);
            }
        }
    }
}
