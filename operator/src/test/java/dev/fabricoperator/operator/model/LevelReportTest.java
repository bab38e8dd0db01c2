/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.fabricoperator.crds.LevelSpec;
import dev.fabricoperator.crds.LevelStatus;
import dev.fabricoperator.fabric.level.ReadLevels;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LevelReportTest {
    private static LevelSpec level(String name, @Nullable Integer serviceLevel, @Nullable Integer dscp) {
        return new LevelSpec(name, serviceLevel, dscp, List.of(), null);
    }

    private static SourceState source(@Nullable String levels, @Nullable String message) {
        return SourceStateBuilder.builder()
                .name("infiniband")
                .type("live")
                .readOnce(true)
                .levels(levels == null ? null : ReadLevels.parse(levels))
                .levelsMessage(message)
                .build();
    }

    /** Service level 1 has this lane, all others lane 0; lane 3 has 64 and 8, lane 0 has 0 and 1. */
    private static String sample(int ports, int lane, String example) {
        return ports + " 0," + lane + ",3" + ",0".repeat(13) + " 0,0,0,64" + ",0".repeat(11) + " 1,0,0,8"
                + ",0".repeat(11) + " " + example;
    }

    @Test
    void aLevelIsOfferedWithTheLaneOfMostPortsWhereEachPortServesIt() {
        assertThat(LevelReport.of(
                        List.of(level("a", 1, null)),
                        List.of(
                                source(null, null),
                                source(sample(5, 3, "leaf port 1") + "\n" + sample(2, 0, "spine port 1"), null))))
                .containsExactly(new LevelStatus("a", true, 3, "64/8", null));
    }

    @Test
    void aPortThatDropsItsPacketsIsTheReasonThatALevelIsNotOfferedWhicheverSubnetItIsIn() {
        assertThat(LevelReport.of(
                        List.of(level("a", 1, null)),
                        List.of(
                                source(sample(5, 3, "leaf port 1"), null),
                                source(sample(1, 15, "spine port 2"), null))))
                .containsExactly(new LevelStatus(
                        "a",
                        false,
                        3,
                        "64/8",
                        "packets of service level 1 are dropped (virtual lane 15) at spine port 2"));
    }

    @Test
    void whatNobodyHasReadBackIsUnknownWithTheReason() {
        assertThat(LevelReport.of(
                        List.of(level("a", 1, null), level("b", null, 10)),
                        List.of(source(null, "leaf port 1: smpquery sl2vl ended with 1: no answer"))))
                .extracting(LevelStatus::offered, LevelStatus::reason)
                .containsExactly(
                        tuple(null, "leaf port 1: smpquery sl2vl ended with 1: no answer"),
                        tuple(
                                null,
                                "nothing reads back what switches of an Ethernet make of a DSCP: it is as it was configured"));
        assertThat(LevelReport.of(List.of(level("a", 1, null)), List.of())
                        .getFirst()
                        .reason())
                .contains("no source reads it back");
    }

    @Test
    void twoLevelsOfOneLaneAreTold() {
        List<SourceState> sources = List.of(source(sample(5, 3, "leaf port 1"), null));
        assertThat(LevelReport.indistinguishable(
                        List.of(level("a", 1, null), level("c", 4, null), level("b", 2, null)), sources))
                .isEqualTo(new LevelReport.Same("a", "b", 3));
        assertThat(LevelReport.indistinguishable(List.of(level("a", 1, null), level("c", 4, null)), sources))
                .isNull();
    }
}
