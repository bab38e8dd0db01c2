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

/** Where the operator placed a device. It holds no generation and no time, so that it changes only with the device. */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record FabricDeviceStatus(
        @Size(max = 253) @JsonPropertyDescription("The Fabric that it belongs to") @Nullable
        String fabric,

        @Size(max = 63) @JsonPropertyDescription("PMIX_FABRIC_PLANE") @Nullable
        String plane,

        @Min(0)
        @Max(1048575)
        @JsonPropertyDescription("Sticky index in the Fabric (PMIX_FABRIC_DEVICE_INDEX)")
        @Nullable
        Integer index,

        @com.fasterxml.jackson.annotation.JsonProperty("switch")
        @Size(max = 253)
        @JsonPropertyDescription("Id of the switch that the device is cabled to (PMIX_FABRIC_SWITCH)")
        @Nullable
        String switchId,

        @Min(0) @Max(65535) @JsonPropertyDescription("Port of that switch") @Nullable
        Integer switchPort,

        @Min(0) @Max(1048575) @JsonPropertyDescription("Number of the group of its node (PMIX_FABRIC_GROUPS)") @Nullable
        Integer group,

        @Size(max = 2) @JsonPropertyDescription("Where it is in the Fabric, one for each view")
        List<CoordinateStatus> coordinates,

        @Size(max = 16)
        @JsonPropertyDescription(
                "What there is or was to say of it: HostReadable, IdentityUnique, Counted, StateKnown, Impaired")
        List<Condition> conditions) {

    public FabricDeviceStatus {
        coordinates = coordinates == null ? List.of() : List.copyOf(coordinates);
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }
}
