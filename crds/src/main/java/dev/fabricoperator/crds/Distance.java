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
import io.fabric8.generator.annotation.ValidationRule;

/** Distance to one NUMA node in SLIT units; 10 is local. */
@JsonIgnoreProperties(ignoreUnknown = true)
@ValidationRule(value = "self.minimum <= self.maximum", message = "minimum must not exceed maximum")
public record Distance(
        @Required @Min(0) @Max(65535) @JsonPropertyDescription("NUMA node as the kernel numbers it")
        Integer numaNode,

        @Required
        @Min(0)
        @Max(65535)
        @JsonPropertyDescription("Smallest distance from the NUMA nodes that the device is near; 10 is local")
        Integer minimum,

        @Required @Min(0) @Max(65535) @JsonPropertyDescription("Largest distance from these")
        Integer maximum) {}
