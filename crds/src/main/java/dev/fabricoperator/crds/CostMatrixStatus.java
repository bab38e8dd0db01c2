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
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** Where the cost matrix stands; the matrix itself is never in etcd. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record CostMatrixStatus(
        @Required @Min(0) @JsonPropertyDescription("Highest used device index + 1 (PMIX_FABRIC_NUM_DEVICES)")
        Integer vertices,

        @Required
        @Pattern("^[0-9a-f]{64}$")
        @Size(max = 64)
        @JsonPropertyDescription("SHA-256 over the switch-level matrix and the devices' places in it")
        String digest,

        @Required @Min(0) @JsonPropertyDescription("Generation of the Fabric that it is of")
        Long generation,

        @Required @JsonPropertyDescription("Whether the way back always costs as much")
        Boolean symmetric,

        @Required @Min(0) @Max(65534) @JsonPropertyDescription("Largest finite cost")
        Integer maximum) {}
