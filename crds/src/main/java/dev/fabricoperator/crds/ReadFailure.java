/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/** A file of the host that could not be read or understood. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ReadFailure(
        @Required @Size(min = 1, max = 512) @JsonPropertyDescription("The file below the root of the host")
        String file,

        @Required @Size(max = 512) @JsonPropertyDescription("Why it could not be read or understood")
        String reason,

        @Size(max = 32) @JsonPropertyDescription("Since when, RFC 3339, UTC") @Nullable
        String since) {}
