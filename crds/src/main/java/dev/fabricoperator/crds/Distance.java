/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;

/** Distance to one NUMA node in SLIT units; 10 is local. */
@JsonIgnoreProperties(ignoreUnknown = true)
@ValidationRule(value = "self.minimum <= self.maximum", message = "minimum must not exceed maximum")
public record Distance(
        @Required @Min(0) @Max(65535) Integer numaNode,
        @Required @Min(0) @Max(65535) Integer minimum,
        @Required @Min(0) @Max(65535) Integer maximum) {}
