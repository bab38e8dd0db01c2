/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/** What the switches do with a level, as it was read back from ports of them. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record LevelStatus(
        @Size(max = 63) @JsonPropertyDescription("As in spec.levels")
        String name,

        @JsonPropertyDescription("Whether the switches serve it; absent where nobody has read it back") @Nullable
        Boolean offered,

        @JsonPropertyDescription("Of its packets on InfiniBand, at most ports that were asked") @Nullable
        Integer virtualLane,

        @Size(max = 32)
        @JsonPropertyDescription("Of that lane in the tables of high and low priority, in units of 64 bytes: HIGH/LOW")
        @Nullable
        String weight,

        @Size(max = 1024) @JsonPropertyDescription("Why it is not offered, or not known to be") @Nullable
        String reason) {}
