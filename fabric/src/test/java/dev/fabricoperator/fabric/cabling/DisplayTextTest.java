/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DisplayTextTest {
    @Test
    void linesOfAnotherProgramDoNothingToATerminal() {
        assertThat(DisplayText.lines("a\tb\nc\u001b[2J\r\u202ed\ud800"))
                .isEqualTo("a\tb\nc\ufffd[2J\ufffd\ufffdd\ufffd");
    }
}
