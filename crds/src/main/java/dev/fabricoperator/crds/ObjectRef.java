/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** An object in the operator's namespace. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record ObjectRef(
        @Required @Size(min = 1, max = 253) @JsonPropertyDescription("Name of the object")
        String name) {}
