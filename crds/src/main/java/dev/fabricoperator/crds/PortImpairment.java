/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.fabricoperator.fabric.traffic.LinkFault;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/** A sign that the link of a port is about to fail, as it was when its limit was crossed. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PortImpairment(
        @Required @JsonPropertyDescription("What is counted or measured")
        LinkFault kind,

        @Required
        @Size(min = 1, max = 512)
        @JsonPropertyDescription("The file below the root of the host, or the counter of a switch")
        String file,

        @Required
        @Min(0)
        @Max(1000000000000000L)
        @JsonPropertyDescription("Counted within seconds; for Temperature whole degrees Celsius")
        Long value,

        @Required
        @Min(0)
        @Max(1000000000000000L)
        @JsonPropertyDescription(
                "The most that is healthy within windowSeconds; for Temperature the card's critical mark")
        Long limit,

        @Min(0) @Max(86400) @JsonPropertyDescription("Time in which value was counted; 0 for Temperature") @Nullable
        Long seconds,

        @Min(0) @Max(86400) @JsonPropertyDescription("Time that limit is for; 0 for Temperature") @Nullable
        Long windowSeconds,

        @Min(0) @Max(86400) @JsonPropertyDescription("How long it must be well until it is over") @Nullable
        Long quietSeconds,

        @Required @Size(min = 20, max = 32) @JsonPropertyDescription("When the limit was crossed, RFC 3339, UTC")
        String since) {}
