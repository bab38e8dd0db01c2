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

/** The far end of a device's cable. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record NeighborRef(
        @Required @Size(min = 1, max = 253) @JsonPropertyDescription("Id of the switch or device at the far end")
        String id,

        @Size(max = 128) @JsonPropertyDescription("Its port, as it names it") @Nullable
        String port,

        @Size(max = 63) @JsonPropertyDescription("Who says so, for example lldp") @Nullable
        String source) {}
