/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.source;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a topology source stands.
 *
 * @param name value of the label {@code fabric-operator.dev/source} on what it wrote
 * @param readOnce whether it has been read well since this process began
 * @param problem what is wrong now, with file and line where there are any; the last good state stays meanwhile
 * @param oddities what the last good read tolerated
 */
@RecordBuilder
public record SourceState(
        String name, boolean readOnce, @Nullable SourceProblem problem, List<String> oddities) {

    public SourceState {
        oddities = oddities == null ? List.of() : List.copyOf(oddities);
    }
}
