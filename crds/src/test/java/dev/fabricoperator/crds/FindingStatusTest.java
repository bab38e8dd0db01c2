/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FindingStatusTest {
    @Test
    void textsAreCutBetweenCharacters() {
        String most = "x".repeat(511);
        assertThat(FindingStatus.of("PortDown", null, most + "\uD83D\uDE00").message())
                .isEqualTo(most);
        assertThat(FindingStatus.of("PortDown", null, most + "yz").message()).isEqualTo(most + "y");
    }
}
