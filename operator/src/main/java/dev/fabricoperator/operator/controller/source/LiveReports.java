/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.RoutesStatus;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.fabric.level.ReadLevels;
import dev.fabricoperator.operator.cluster.UploadPart;
import dev.fabricoperator.operator.model.SourceProblem;
import dev.fabricoperator.operator.model.SourceState;
import dev.fabricoperator.operator.model.condition.Conditions;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a sweep of a live subnet says of itself, in a ConfigMap. It writes its switches on its own; this program only passes
 * on how it stands, and notices when it falls silent.
 */
final class LiveReports {
    /** Sweeps that may be missed. */
    private static final int MISSED_SWEEPS = 3;

    private static final int MAXIMUM_MESSAGE = 1024;

    /** A machine may be busy for a moment. */
    private static final Duration LEAST_SILENCE = Duration.ofSeconds(30);
    /** By which the clocks of two machines may differ. */
    private static final Duration CLOCKS_DIFFER = Duration.ofMinutes(2);

    private final Map<String, LastSweep> last = new HashMap<>();

    /** @param seen when this process saw it first, by a {@link SteadyClock} */
    private record LastSweep(Instant swept, Instant seen) {}

    /** Forgets all others. */
    void keep(Set<String> sources) {
        last.keySet().retainAll(sources);
    }

    /**
     * The state that a report describes, without {@code since}.
     *
     * @param now by a {@link SteadyClock}
     * @param time by the calendar, for a sweep that this process has not seen coming
     */
    SourceState state(UploadPart part, Instant now, Instant time) {
        Map<String, String> report = part.report();
        Integer switches = number(report.get(FabricApi.REPORT_SWITCHES));
        SourceProblem problem = problem(part.upload(), report, now, time);
        boolean isKnown = problem == null || problem.kind() != SourceProblem.Kind.Unreachable;
        return new SourceState(
                part.upload(),
                FabricApi.ORIGIN_LIVE,
                switches != null,
                problem,
                null,
                List.of(),
                switches,
                number(report.get(FabricApi.REPORT_LINKS)),
                // Of a sweep that does not see the subnet nobody knows whether packets still go that way.
                isKnown ? routes(report) : null,
                isKnown ? levels(report) : null,
                isKnown ? bounded(report.get(FabricApi.REPORT_LEVELS_MESSAGE)) : null,
                report.getOrDefault(FabricApi.REPORT_REFRESHES, "").lines().toList());
    }

    private @Nullable SourceProblem problem(String name, Map<String, String> report, Instant now, Instant time) {
        Instant swept = instant(report.get(FabricApi.REPORT_SWEPT));
        Duration interval = duration(report.get(FabricApi.REPORT_INTERVAL));
        if (swept == null) {
            // Nobody has swept yet: the program is not installed, or about to begin.
            return null;
        }
        Duration due = interval.multipliedBy(MISSED_SWEEPS);
        Duration silence = due.compareTo(LEAST_SILENCE) < 0 ? LEAST_SILENCE : due;
        LastSweep known = last.get(name);
        if (known == null || !known.swept().equals(swept)) {
            boolean old =
                    known == null && swept.plus(silence).plus(CLOCKS_DIFFER).isBefore(time);
            known = new LastSweep(swept, old ? now.minus(silence) : now);
            last.put(name, known);
        }
        if (!now.isBefore(known.seen().plus(silence))) {
            return new SourceProblem(
                    SourceProblem.Kind.Unreachable,
                    "sweep " + name + ": silent since " + swept + ", where one is due every " + interval.toSeconds()
                            + " s");
        }
        String message = report.get(FabricApi.REPORT_MESSAGE);
        return message == null || message.isEmpty()
                ? null
                : new SourceProblem(kind(report.get(FabricApi.REPORT_PROBLEM)), "sweep " + name + ": " + message);
    }

    private static @Nullable ReadLevels levels(Map<String, String> report) {
        String text = report.get(FabricApi.REPORT_LEVELS);
        Instant read = instant(report.get(FabricApi.REPORT_LEVELS_READ));
        Instant swept = instant(report.get(FabricApi.REPORT_SWEPT));
        // A sweeper of an earlier release hands on what it does not know, and one that does not see the subnet reads
        // nothing.
        Duration old = duration(report.get(FabricApi.REPORT_INTERVAL))
                .multipliedBy(MISSED_SWEEPS)
                .plus(LEAST_SILENCE);
        return text == null || read == null || swept == null || read.plus(old).isBefore(swept)
                ? null
                : ReadLevels.parse(text);
    }

    private static @Nullable String bounded(@Nullable String message) {
        return message == null ? null : Conditions.bounded(message, MAXIMUM_MESSAGE);
    }

    private static @Nullable RoutesStatus routes(Map<String, String> report) {
        String digest = matching(report.get(FabricApi.REPORT_ROUTES_DIGEST), RoutesStatus.DIGEST);
        String address = matching(report.get(FabricApi.REPORT_ROUTES_ADDRESS), RoutesStatus.ADDRESS);
        String message = report.get(FabricApi.REPORT_ROUTES_MESSAGE);
        boolean served = digest != null && address != null;
        return served || message != null
                ? new RoutesStatus(served ? digest : null, served ? address : null, bounded(message))
                : null;
    }

    private static @Nullable String matching(@Nullable String text, String pattern) {
        return text != null && text.matches(pattern) ? text : null;
    }

    private static SourceProblem.Kind kind(@Nullable String name) {
        for (SourceProblem.Kind kind : SourceProblem.Kind.values()) {
            if (kind.name().equals(name)) {
                return kind;
            }
        }
        return SourceProblem.Kind.Unreadable;
    }

    private static @Nullable Integer number(@Nullable String text) {
        return text != null && text.matches("\\d{1,9}") ? Integer.valueOf(text) : null;
    }

    private static @Nullable Instant instant(@Nullable String text) {
        try {
            return text == null ? null : Instant.parse(text);
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    private static Duration duration(@Nullable String text) {
        try {
            return text == null ? Duration.ofMinutes(1) : Duration.parse(text);
        } catch (DateTimeParseException e) {
            return Duration.ofMinutes(1);
        }
    }
}
