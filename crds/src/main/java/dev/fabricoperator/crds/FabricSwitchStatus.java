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
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where the operator placed a switch. */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record FabricSwitchStatus(
        @Size(max = 253) @JsonPropertyDescription("The Fabric that it belongs to") @Nullable
        String fabric,

        @Min(0) @Max(1048575) @JsonPropertyDescription("Hops from the nearest device; 1 holds devices") @Nullable
        Integer level,

        @Min(0) @Max(1048575) @JsonPropertyDescription("Number of its group") @Nullable
        Integer group,

        @Size(max = 2) @JsonPropertyDescription("Where it is in the Fabric, one for each view")
        List<CoordinateStatus> coordinates,

        @Size(max = 16) @JsonPropertyDescription("What there is to say of it")
        List<Condition> conditions) {

    public FabricSwitchStatus {
        coordinates = coordinates == null ? List.of() : List.copyOf(coordinates);
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }
}
