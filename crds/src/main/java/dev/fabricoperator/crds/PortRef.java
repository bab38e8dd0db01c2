/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** A port of a switch. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PortRef(
        @com.fasterxml.jackson.annotation.JsonProperty("switch")
        @Required
        @Size(min = 1, max = 253)
        @JsonPropertyDescription("Id of the switch")
        String switchId,

        @Required @Min(0) @Max(65535) @JsonPropertyDescription("Number of its port")
        Integer port) {}
