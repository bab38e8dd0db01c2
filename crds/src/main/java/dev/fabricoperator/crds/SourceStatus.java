/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/** How one topology source of a fabric stands. */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SourceStatus(
        @Required @Size(min = 1, max = 63) @JsonPropertyDescription("Label fabric-operator.dev/source of its switches")
        String name,

        @Size(max = 32) @JsonPropertyDescription("Type of the source, or live for a sweep of the subnet") @Nullable
        String type,

        @Required
        @Size(max = 64)
        @JsonPropertyDescription("SourceRead, or why its last good switches stay; a reason of TopologyKnown")
        String state,

        @Size(max = 32) @JsonPropertyDescription("Since when it is in this state; RFC 3339, UTC") @Nullable
        String since,

        @Size(max = 1024) @JsonPropertyDescription("What is wrong; absent while nothing is") @Nullable
        String message,

        @Min(0) @JsonPropertyDescription("Switches of the last good reading") @Nullable
        Integer switches,

        @Min(0) @JsonPropertyDescription("Cables of the last good reading") @Nullable
        Integer links,

        @JsonPropertyDescription("Forwarding tables that a sweep of the subnet has dumped; absent where there are none")
        @Nullable
        RoutesStatus routes) {}
