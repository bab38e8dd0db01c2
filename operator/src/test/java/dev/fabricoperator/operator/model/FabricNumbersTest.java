/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.operator.cluster.FabricFacts;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FabricNumbersTest {
    @Test
    void marksSurviveTheirConfigMap() {
        FabricNumbers marks =
                FabricNumbers.START.withIndexGiven().withIndexGiven().withNumberGiven("infiniband");
        assertThat(FabricNumbers.parse(marks.toData())).isEqualTo(marks);
        assertThat(marks.nextIndex()).isEqualTo(2);
        assertThat(marks.number("infiniband", 0)).isEqualTo(1);
        assertThat(marks.number("roce", 0)).isZero();
    }

    @Test
    void whatIsNoNumberCountsAsNeverGiven() {
        FabricNumbers marks = FabricNumbers.parse(Map.of("nextIndex", "many", "next.roce", "-1", "other", "7"));
        assertThat(marks.nextIndex()).isZero();
        assertThat(marks.number("roce", 0)).isZero();
    }

    @Test
    void aLostConfigMapIsMadeUpFromTheFabricsThatExist() {
        FabricFacts fabric = new FabricFacts(
                "infiniband-7",
                "uid",
                "1",
                1,
                true,
                false,
                null,
                "",
                Set.of(),
                FabricSpecBuilder.builder().build(),
                FabricStatusBuilder.builder().index(4).build(),
                null);
        FabricNumbers marks = FabricNumbers.START.above(List.of(fabric));
        assertThat(marks.nextIndex()).isEqualTo(5);
        assertThat(marks.number("infiniband", 0)).isEqualTo(8);
    }
}
