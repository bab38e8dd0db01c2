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

/** One coordinate; PMIX_FABRIC_COORDINATES. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record CoordinateStatus(
        @Required @JsonPropertyDescription("PMIX_COORD_LOGICAL_VIEW or PMIX_COORD_PHYSICAL_VIEW")
        ViewName view,

        @Required @Size(min = 1, max = 16) @JsonPropertyDescription("One number for each axis")
        List<@Min(0) @Max(16777215) Integer> values) {

    public CoordinateStatus {
        values = List.copyOf(values);
    }

    /** Those of one view, one number for each axis; empty without any. */
    public static List<Integer> values(List<CoordinateStatus> coordinates, ViewName view) {
        return coordinates.stream()
                .filter(coordinate -> coordinate.view() == view)
                .findFirst()
                .map(CoordinateStatus::values)
                .orElse(List.of());
    }
}
