/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.RoutesStatus;
import dev.fabricoperator.fabric.level.ReadLevels;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a topology source stands.
 *
 * @param name value of the label {@code fabric-operator.dev/source} on what it wrote
 * @param type what it is, as in the annotation {@code fabric-operator.dev/origin}
 * @param readOnce whether it has been read well since this process began
 * @param problem what is wrong now, with file and line where there are any; the last good state stays meanwhile
 * @param since when it began to be as it is, to the second
 * @param warnings what the last good read tolerated
 * @param switches of the last good reading of this process
 * @param links of the same
 * @param routes where its forwarding tables are; {@code null} where it has none
 * @param levels what service levels mean at ports of its switches; {@code null} where nobody has asked
 * @param levelsMessage why that is not known, or not of all ports that were asked
 * @param refreshes what was asked for by annotation and is done, see {@link RefreshRequests}
 */
@RecordBuilder
public record SourceState(
        String name,
        String type,
        boolean readOnce,
        @Nullable SourceProblem problem,
        @Nullable Instant since,
        List<String> warnings,
        @Nullable Integer switches,
        @Nullable Integer links,
        @Nullable RoutesStatus routes,
        @Nullable ReadLevels levels,
        @Nullable String levelsMessage,
        List<String> refreshes) {

    public SourceState {
        warnings = warnings == null ? List.of() : List.copyOf(warnings);
        refreshes = refreshes == null ? List.of() : List.copyOf(refreshes);
    }
}
