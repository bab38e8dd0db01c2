/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** A value by its name. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record NamedValue(
        @Required
        @Pattern("^[A-Za-z_][A-Za-z0-9_]*$")
        @Size(min = 1, max = 128)
        @JsonPropertyDescription("As an environment variable may be called")
        String name,

        @Required @Pattern("^[ -~]*$") @Size(max = 1024) @JsonPropertyDescription("Printable ASCII")
        String value) {}
