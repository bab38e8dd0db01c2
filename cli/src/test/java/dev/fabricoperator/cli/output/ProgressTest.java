/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private static final String ERASE = "\r\u001b[K";

    private final StringWriter terminal = new StringWriter();

    private void until(String text) {
        while (!terminal.toString().contains(text)) {
            Thread.onSpinWait();
        }
    }

    @Test
    void whatIsWaitedForIsOneLineWhichIsGoneBeforeAnythingElseIsWritten() {
        String result = Progress.during(terminal, Duration.ZERO, err -> {
            Progress.says("reading a.txt");
            until("reading a.txt");
            Progress.says("building\nthe fabric");
            err.println("warning: x");
            Progress.says("asking");
            until("asking");
            Progress.done();
            return "done";
        });
        assertThat(result).isEqualTo("done");
        assertThat(terminal.toString())
                .startsWith("reading a.txt" + ERASE + "building the fabric" + ERASE + "warning: x");
        // It may have come back before there was something else to say.
        assertThat(terminal.toString().replace("building the fabric" + ERASE, ""))
                .isEqualTo("reading a.txt" + ERASE + "warning: x" + System.lineSeparator() + "asking" + ERASE);
    }

    @Test
    void whatIsDoneBeforeAPersonGetsImpatientShowsNothing() {
        Progress.during(terminal, Duration.ofHours(1), err -> {
            Progress.says("reading a.txt");
            Progress.says("building the fabric");
            return 0;
        });
        Progress.says("nobody looks");
        assertThat(terminal.toString()).isEmpty();
    }
}
