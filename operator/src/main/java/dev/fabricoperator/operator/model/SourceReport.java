/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.LevelStatus;
import dev.fabricoperator.crds.SourceStatus;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.model.condition.Reason;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How the sources of one Fabric stand.
 *
 * @param statuses by name
 * @param refreshed the request for a refresh that is done
 * @param levels of service, as they were read back
 */
public record SourceReport(
        List<SourceStatus> statuses, @Nullable String refreshed, List<LevelStatus> levels) {
    private static final int MAXIMUM = 64;
    private static final int MAXIMUM_MESSAGE = 1024;

    public SourceReport {
        statuses = List.copyOf(statuses);
        levels = List.copyOf(levels);
    }

    /** @param sources those that the Fabric depends on, by name */
    static SourceReport of(FabricFacts fabric, List<SourceState> sources) {
        return new SourceReport(
                sources.stream()
                        .limit(MAXIMUM)
                        .map(source -> status(source, before(fabric.status(), source.name())))
                        .toList(),
                RefreshRequests.done(fabric, sources),
                LevelReport.of(fabric.spec().levels(), sources));
    }

    /** @param before what stands in the Fabric now; time goes on over a restart of this program */
    private static SourceStatus status(SourceState source, @Nullable SourceStatus before) {
        SourceProblem problem = source.problem();
        String state = (problem == null ? Reason.SourceRead : reason(problem)).name();
        String since = before != null && before.state().equals(state) ? before.since() : null;
        String message = problem == null ? null : problem.message();
        return new SourceStatus(
                source.name(),
                source.type().isEmpty() ? null : source.type(),
                state,
                since != null ? since : Objects.toString(source.since(), null),
                message == null ? null : Conditions.bounded(message, MAXIMUM_MESSAGE),
                source.readOnce() || before == null ? source.switches() : before.switches(),
                source.readOnce() || before == null ? source.links() : before.links(),
                source.routes());
    }

    private static @Nullable SourceStatus before(@Nullable FabricStatus status, String name) {
        return status == null
                ? null
                : status.sources().stream()
                        .filter(source -> source.name().equals(name))
                        .findFirst()
                        .orElse(null);
    }

    static Reason reason(SourceProblem problem) {
        return switch (problem.kind()) {
            case InProgress -> Reason.UploadInProgress;
            case Incomplete -> Reason.UploadIncomplete;
            case Unreachable -> Reason.SourceUnreachable;
            case Refused -> Reason.SourceRefused;
            case Shrunk -> Reason.SourceShrank;
            case Unreadable -> Reason.SourceUnreadable;
            case Missing -> Reason.SourceMissing;
        };
    }
}
