/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.FabricStatus;
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
                FabricNumbers.START.withIndexGiven("a").withIndexGiven("b").withNumberGiven("infiniband");
        assertThat(FabricNumbers.parse(marks.toData())).isEqualTo(marks);
        assertThat(marks.nextIndex()).isEqualTo(2);
        assertThat(marks.indexOf()).containsExactly(Map.entry("a", 0), Map.entry("b", 1));
        assertThat(marks.number("infiniband", 0)).isEqualTo(1);
        assertThat(marks.number("roce", 0)).isZero();
    }

    @Test
    void whatIsNoNumberCountsAsNeverGiven() {
        FabricNumbers marks =
                FabricNumbers.parse(Map.of("nextIndex", "many", "next.roce", "-1", "index.a", "first", "other", "7"));
        assertThat(marks.nextIndex()).isZero();
        assertThat(marks.number("roce", 0)).isZero();
        assertThat(marks.indexOf()).isEmpty();
    }

    @Test
    void aLostConfigMapIsMadeUpFromTheFabricsThatExist() {
        FabricNumbers marks = FabricNumbers.START.above(
                List.of(fabric("uid", FabricStatusBuilder.builder().index(4).build())));
        assertThat(marks.nextIndex()).isEqualTo(5);
        assertThat(marks.number("infiniband", 0)).isEqualTo(8);
    }

    @Test
    void anIndexIsKeptWithItsFabricUntilThatShowsIt() {
        FabricNumbers marks = FabricNumbers.START
                .withIndexGiven("shown")
                .withIndexGiven("hidden")
                .withIndexGiven("deleted");
        FabricNumbers left = marks.withoutShown(List.of(
                fabric("shown", FabricStatusBuilder.builder().index(0).build()),
                fabric("hidden", FabricStatusBuilder.builder().build())));
        assertThat(left.indexOf()).containsExactly(Map.entry("hidden", 1));
        assertThat(left.nextIndex()).isEqualTo(3);
    }

    private static FabricFacts fabric(String uid, FabricStatus status) {
        return new FabricFacts(
                "infiniband-7",
                uid,
                "1",
                1,
                true,
                false,
                null,
                "",
                Set.of(),
                FabricSpecBuilder.builder().build(),
                status,
                null);
    }
}
