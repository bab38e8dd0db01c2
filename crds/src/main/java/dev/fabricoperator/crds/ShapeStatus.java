/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;

/** Extent of the coordinates of one plane in one view. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record ShapeStatus(
        @Required @Size(min = 1, max = 63) @JsonPropertyDescription("Id of the plane")
        String plane,

        @Required @JsonPropertyDescription("PMIX_COORD_LOGICAL_VIEW or PMIX_COORD_PHYSICAL_VIEW")
        ViewName view,

        @Required @Min(0) @Max(16) @JsonPropertyDescription("PMIX_FABRIC_DIMS: number of axes")
        Integer dims,

        @Required @Size(max = 16) @JsonPropertyDescription("1 + the largest value on each axis")
        List<@Min(0) Integer> sizes,

        @Required @Size(max = 128) @JsonPropertyDescription("PMIX_FABRIC_SHAPE_STRING, for example 8x4x19")
        String string) {}
