/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** A tier of a fabric that Nodes have a label for. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record TierStatus(
        @Required
        @Size(min = 1, max = 253)
        @JsonPropertyDescription("What the parts of this tier are, such as leaf; of the last tier the Fabric's name")
        String name,

        @Required
        @Size(min = 1, max = 317)
        @JsonPropertyDescription("Key of a label: Nodes with the same value are in the same part")
        String label) {}
