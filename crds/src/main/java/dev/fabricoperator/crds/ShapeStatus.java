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
        @Required @Size(min = 1, max = 63) String plane,
        @Required ViewName view,
        @Required @Min(0) @Max(16) Integer dims,

        @Required @Size(max = 16) @JsonPropertyDescription("1 + the largest value on each axis")
        List<@Min(0) Integer> sizes,

        @Required @Size(max = 128) String string) {}
