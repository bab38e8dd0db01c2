/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model.condition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConditionsTest {
    private static final String EARLIER = "2026-01-01T00:00:00Z";
    private static final String NOW = "2026-01-02T03:04:05Z";

    private final Conditions conditions = new Conditions(Clock.fixed(Instant.parse(NOW), ZoneOffset.UTC));

    @Test
    void theTransitionTimeChangesOnlyWithTheStatus() {
        List<Condition> before =
                List.of(new Condition("Ready", ConditionStatus.True, 1L, EARLIER, "Placed", "1 device"));
        ConditionDraft same = new ConditionDraft(ConditionType.Ready, ConditionStatus.True, Reason.Placed, "2 devices");
        ConditionDraft turned =
                new ConditionDraft(ConditionType.Ready, ConditionStatus.False, Reason.NoDevices, "none");

        assertThat(conditions.of(List.of(same), before, 2L))
                .containsExactly(new Condition("Ready", ConditionStatus.True, 2L, EARLIER, "Placed", "2 devices"));
        assertThat(conditions.of(List.of(turned), before, 2L))
                .containsExactly(new Condition("Ready", ConditionStatus.False, 2L, NOW, "NoDevices", "none"));
    }

    @Test
    void anAbsentConditionHasTurnedOnlyWhereAbsenceMeansSomething() {
        List<Condition> bad =
                List.of(new Condition("HostReadable", ConditionStatus.False, null, NOW, "ReadErrors", "x"));

        assertThat(Conditions.transitions(List.of(), bad, null)).isEmpty();
        assertThat(Conditions.transitions(List.of(), bad, ConditionStatus.True)).isEqualTo(bad);
        assertThat(Conditions.transitions(bad, bad, ConditionStatus.True)).isEmpty();
    }

    @Test
    void aFaultThatAppearsHasTurned() {
        List<Condition> bad = List.of(new Condition("Impaired", ConditionStatus.True, null, NOW, "LinkErrors", "x"));
        List<Condition> over = List.of(new Condition("Impaired", ConditionStatus.False, null, NOW, "LinksWell", "x"));

        assertThat(Conditions.transitions(List.of(), bad, null)).isEqualTo(bad);
        assertThat(Conditions.transitions(List.of(), bad, ConditionStatus.True)).isEqualTo(bad);
        assertThat(Conditions.transitions(bad, over, null)).isEqualTo(over);
        assertThat(Conditions.transitions(List.of(), over, null)).isEmpty();
        assertThat(bad).allMatch(Condition::tellsTrouble);
        assertThat(over).noneMatch(Condition::tellsTrouble);
    }

    @Test
    void aLongMessageIsCutWithinTheSchemasBound() {
        ConditionDraft wordy =
                new ConditionDraft(ConditionType.Ready, ConditionStatus.True, Reason.Placed, "x".repeat(9_000));
        assertThat(conditions.of(List.of(wordy), List.of(), null))
                .allSatisfy(c -> assertThat(c.message().length()).isLessThanOrEqualTo(4096));
    }
}
