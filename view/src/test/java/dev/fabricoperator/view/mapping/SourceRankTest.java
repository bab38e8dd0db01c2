/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.SourceType;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SourceRankTest {
    /** One without would count as a dump of ibnetdiscover. */
    @Test
    void everyTypeOfSourceHasARankOfItsName() {
        assertThat(Stream.of(SourceRank.values()).map(rank -> rank.name().toLowerCase(Locale.ROOT)))
                .containsAll(Stream.of(SourceType.values())
                        .map(type -> type.name().toLowerCase(Locale.ROOT))
                        .toList());
    }
}
