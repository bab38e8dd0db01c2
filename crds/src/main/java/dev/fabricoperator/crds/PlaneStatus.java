/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** One plane of a fabric. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record PlaneStatus(
        @Required @Size(min = 1, max = 63) @JsonPropertyDescription("PMIX_FABRIC_PLANE")
        String id,

        @Required @Min(0) @JsonPropertyDescription("Devices of the plane")
        Integer devices,

        @Required @Min(0) @JsonPropertyDescription("Switches of the plane")
        Integer switches) {}
