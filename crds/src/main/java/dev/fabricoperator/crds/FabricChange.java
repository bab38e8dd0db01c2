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
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one generation of a Fabric brought. A number that is absent is 0, or unknown where all are. */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record FabricChange(
        @Required @Min(0) @JsonPropertyDescription("Generation that brought it")
        Long generation,

        @Required @Size(max = 32) @JsonPropertyDescription("RFC 3339, UTC")
        String time,

        @Min(0) @JsonPropertyDescription("Devices that came") @Nullable
        Integer devicesGained,

        @Min(0) @JsonPropertyDescription("Devices that went") @Nullable
        Integer devicesLost,

        @Min(0) @JsonPropertyDescription("Switches that came") @Nullable
        Integer switchesGained,

        @Min(0) @JsonPropertyDescription("Switches that went") @Nullable
        Integer switchesLost,

        @Min(0) @JsonPropertyDescription("Cables that came") @Nullable
        Integer linksGained,

        @Min(0) @JsonPropertyDescription("Cables that went") @Nullable
        Integer linksLost,

        @Size(max = 8) @JsonPropertyDescription("The first few of what came (+) and went (-), else of what changed (~)")
        List<@Size(max = 700) String> names) {

    public FabricChange {
        names = names == null ? List.of() : List.copyOf(names);
    }
}
