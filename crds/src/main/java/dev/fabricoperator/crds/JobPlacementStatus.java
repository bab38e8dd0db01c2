/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/**
 * What communication costs where a job was put. A pair is two pods on different nodes, from the device nearest to the one to
 * that nearest to the other; pods of one node cost nothing and are not counted.
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record JobPlacementStatus(
        @Size(max = 64)
        @JsonPropertyDescription("Mean and worst cost, and the mean that as many nodes could have at best")
        @Nullable
        String summary,

        @Min(0) @JsonPropertyDescription("Mean over all pairs") @Nullable
        Double meanCost,

        @Min(0) @Max(65535) @JsonPropertyDescription("Of the dearest pair") @Nullable
        Integer worstCost,

        @Min(0)
        @JsonPropertyDescription("Mean over all pairs of as many nodes where they cost least in this fabric")
        @Nullable
        Double bestMeanCost,

        @Min(0) @Max(65535) @JsonPropertyDescription("Of the dearest pair of these nodes") @Nullable
        Integer bestWorstCost,

        @Min(0) @JsonPropertyDescription("Mean between one rank and the next") @Nullable
        Double neighborCost) {}
