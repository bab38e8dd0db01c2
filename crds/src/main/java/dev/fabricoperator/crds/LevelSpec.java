/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.fabricoperator.fabric.level.Channel;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A level of service that a fabric has been programmed for.
 *
 * @see "PMIx Standard, PMIX_ALLOC_FABRIC_QOS"
 */
@ValidationRule(
        value = "has(self.serviceLevel) || has(self.dscp)",
        message = "a level needs a serviceLevel (InfiniBand, Omni-Path), a dscp (RoCE), or both")
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record LevelSpec(
        @Required
        @Pattern("[a-z0-9]([-a-z0-9]*[a-z0-9])?")
        @Size(min = 1, max = 63)
        @JsonPropertyDescription("How jobs ask for it")
        String name,

        @Min(0)
        @Max(Channel.MOST_SERVICE_LEVEL)
        @JsonPropertyDescription("Service level of packets of InfiniBand and Omni-Path")
        @Nullable
        Integer serviceLevel,

        @Min(0)
        @Max(Channel.MOST_DSCP)
        @JsonPropertyDescription("Differentiated services code point of packets of RoCE")
        @Nullable
        Integer dscp,

        @Size(max = 64) @JsonPropertyDescription("Namespaces whose jobs may ask for it; empty for all")
        List<@Size(min = 1, max = 63) String> namespaces,

        @JsonProperty("default")
        @JsonPropertyDescription("Whether channels that ask for none have it, in its namespaces")
        @Nullable
        Boolean isDefault) {

    public LevelSpec {
        namespaces = namespaces == null ? List.of() : List.copyOf(namespaces);
    }

    public boolean isFor(String namespace) {
        return namespaces.isEmpty() || namespaces.contains(namespace);
    }
}
