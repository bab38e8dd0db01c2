/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model.condition;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The one place where conditions are made. */
public final class Conditions {
    private static final int MAXIMUM_MESSAGE = 1024;

    private final Clock clock;

    public Conditions(Clock clock) {
        this.clock = clock;
    }

    /**
     * Conditions in the order of the drafts.
     *
     * @param existing what the object has now; a transition time changes only with the status
     * @param observedGeneration {@code null} where the status must not change with every change of the spec
     */
    public List<Condition> of(
            List<ConditionDraft> drafts, List<Condition> existing, @Nullable Long observedGeneration) {
        List<Condition> result = new ArrayList<>();
        for (ConditionDraft draft : drafts) {
            Condition before = find(existing, draft.type());
            String since = before != null && before.status() == draft.status() && before.lastTransitionTime() != null
                    ? before.lastTransitionTime()
                    : now();
            result.add(new Condition(
                    draft.type().name(),
                    draft.status(),
                    observedGeneration,
                    since,
                    draft.reason().name(),
                    bounded(draft.message(), MAXIMUM_MESSAGE)));
        }
        return result;
    }

    /**
     * Conditions whose status is other than before.
     *
     * @param absent status that a condition is taken to have had which was not there; {@code null}: it has not turned. One of a fault is there only once there was one
     */
    public static List<Condition> transitions(
            List<Condition> before, List<Condition> after, @Nullable ConditionStatus absent) {
        return after.stream()
                .filter(now -> {
                    ConditionStatus then = before.stream()
                            .filter(c -> c.type().equals(now.type()))
                            .map(Condition::status)
                            .findFirst()
                            .orElse(
                                    Condition.good(now.type()) == ConditionStatus.False
                                            ? ConditionStatus.False
                                            : absent);
                    return then != null && then != now.status();
                })
                .toList();
    }

    public static @Nullable Condition find(List<Condition> conditions, ConditionType type) {
        return conditions.stream()
                .filter(c -> c.type().equals(type.name()))
                .findFirst()
                .orElse(null);
    }

    public static boolean isTrue(List<Condition> conditions, ConditionType type) {
        Condition condition = find(conditions, type);
        return condition != null && condition.status() == ConditionStatus.True;
    }

    /** Now, as objects give times: RFC 3339 in UTC, whole seconds. */
    public String now() {
        return Objects.requireNonNull(
                clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
    }

    /** What is told to people, with dots in place of what is more than {@code longest} characters. */
    public static String bounded(String message, int longest) {
        return message.length() <= longest ? message : message.substring(0, longest - 3) + "...";
    }
}
