/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class JobLimitsTest {
    @Test
    void theLauncherAndTheOperatorAgreeOnTheMostRanksOfAPod() throws IOException {
        Path header = Path.of(System.getProperty("docs")).resolveSibling("launcher/src/main/c/message.h");
        assertThat(Files.readString(header)).contains("#define RANKS_MAX " + JobLimits.RANKS_PER_POD + "\n");
    }
}
