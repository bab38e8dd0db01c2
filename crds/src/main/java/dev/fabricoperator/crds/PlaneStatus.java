/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** One plane of a fabric. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record PlaneStatus(
        @Required @Size(min = 1, max = 63) String id,
        @Required @Min(0) Integer devices,
        @Required @Min(0) Integer switches) {}
