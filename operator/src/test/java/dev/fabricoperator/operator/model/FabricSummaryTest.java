/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.model.condition.Conditions;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** In which order a reader sees what belongs to a generation. */
class FabricSummaryTest {
    private static final Conditions CONDITIONS =
            new Conditions(Clock.fixed(Instant.parse("2026-01-02T03:04:05Z"), ZoneOffset.UTC));
    private static final Findings NONE =
            new Findings(List.of(), List.of(), 0, new SourceReport(List.of(), null, List.of()));

    private static FabricSummary summary(long generation) {
        FabricFacts facts = new FabricFacts(
                "f",
                "uid",
                "1",
                1,
                false,
                false,
                null,
                "",
                Set.of(),
                FabricSpecBuilder.builder().build(),
                null,
                null);
        return new FabricSummary(new FabricState(
                facts,
                3,
                new TreeMap<>(),
                List.of(),
                List.of(),
                new TreeSet<>(),
                0,
                0,
                FabricModel.of(List.of(), List.of()),
                generation,
                List.of(),
                List.of(),
                List.of()));
    }

    private static FabricStatus next(long generation, @Nullable FabricStatus present, int pending) {
        return summary(generation).next(NONE, CONDITIONS, present, new WriteProgress(true, pending, 0, null));
    }

    private static ConditionStatus condition(FabricStatus status, String type) {
        return status.conditions().stream()
                .filter(c -> c.type().equals(type))
                .map(Condition::status)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aNewFabricShowsItsIndexAndNothingOfTheGenerationUntilEveryDeviceIsWritten() {
        FabricStatus first = next(1, null, 5);
        assertThat(first.index()).isEqualTo(3);
        assertThat(first.generation()).isNull();
        assertThat(first.costMatrix()).isNull();
        assertThat(condition(first, "Ready")).isEqualTo(ConditionStatus.False);
        assertThat(condition(first, "Updating")).isEqualTo(ConditionStatus.True);
        assertThat(next(1, first, 1)).isEqualTo(first);
        FabricStatus written = next(1, first, 0);
        assertThat(written.generation()).isEqualTo(1);
        assertThat(condition(written, "Updating")).isEqualTo(ConditionStatus.False);
    }

    @Test
    void aNewGenerationIsAnnouncedAndTheOldOneStaysWholeUntilItIsWritten() {
        FabricStatus old = next(1, next(1, null, 0), 0);
        FabricStatus announced = next(2, old, 7);
        assertThat(announced.generation()).isEqualTo(1);
        assertThat(announced.costMatrix()).isEqualTo(old.costMatrix());
        assertThat(announced.shapes()).isEqualTo(old.shapes());
        assertThat(condition(announced, "Updating")).isEqualTo(ConditionStatus.True);
        assertThat(next(2, announced, 0).generation()).isEqualTo(2);
    }

    @Test
    void aGenerationThatWritesNoDeviceIsAnnouncedToo() {
        FabricStatus old = next(1, next(1, null, 0), 0);
        FabricStatus announced = next(2, old, 0);
        assertThat(announced.generation()).isEqualTo(1);
        assertThat(condition(announced, "Updating")).isEqualTo(ConditionStatus.True);
        assertThat(next(2, announced, 0).generation()).isEqualTo(2);
    }

    @Test
    void aNewerGenerationThatOvertakesIsAnnouncedAnew() {
        FabricStatus announced = next(2, next(1, next(1, null, 0), 0), 7);
        FabricStatus overtaken = next(3, announced, 0);
        assertThat(overtaken.generation()).isEqualTo(1);
        assertThat(next(3, overtaken, 0).generation()).isEqualTo(3);
    }

    @Test
    void aGenerationDoesNotCountAsWrittenBeforeItsStatusesAreSubmitted() {
        FabricStatus announced = next(2, next(1, next(1, null, 0), 0), 0);
        FabricStatus early = summary(2).next(NONE, CONDITIONS, announced, new WriteProgress(false, 0, 0, null));
        assertThat(early).isEqualTo(announced);
        assertThat(early.generation()).isEqualTo(1);
    }

    @Test
    void howFarAGenerationHasComeIsAFieldAndNotTheTextOfACondition() {
        FabricStatus announced = next(2, next(1, next(1, null, 0), 0), 7);
        assertThat(announced.pendingGeneration()).isEqualTo(2);
        FabricStatus otherWords =
                FabricStatusBuilder.builder(announced).conditions(List.of()).build();
        FabricStatus written = next(2, otherWords, 0);
        assertThat(written.generation()).isEqualTo(2);
        assertThat(written.pendingGeneration()).isNull();
    }

    @Test
    void refusedStatusesAreToldWithCountAndReasonAndNotAsWrittenEverywhere() {
        FabricStatus announced = next(1, null, 1);
        WriteProgress refused = new WriteProgress(true, 0, 2, "FabricDevice n1-mlx5-0-1: denied by policy");
        FabricStatus written = summary(1).next(NONE, CONDITIONS, announced, refused);
        assertThat(written.generation()).isEqualTo(1);
        assertThat(condition(written, "StatusesWritten")).isEqualTo(ConditionStatus.False);
        assertThat(message(written, "StatusesWritten"))
                .startsWith("2 statuses are refused")
                .endsWith("FabricDevice n1-mlx5-0-1: denied by policy");
        assertThat(message(written, "Updating")).doesNotContain("everywhere");
        FabricStatus mended = next(1, written, 0);
        assertThat(condition(mended, "StatusesWritten")).isEqualTo(ConditionStatus.True);
        assertThat(message(mended, "Updating")).endsWith("is written everywhere");
    }

    private static String message(FabricStatus status, String type) {
        return status.conditions().stream()
                .filter(c -> c.type().equals(type))
                .map(Condition::message)
                .findFirst()
                .orElseThrow();
    }
}
