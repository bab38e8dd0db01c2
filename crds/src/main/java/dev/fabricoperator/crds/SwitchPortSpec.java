/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.fabricoperator.fabric.device.PortState;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One port of a switch. */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SwitchPortSpec(
        @Required @Min(0) @Max(65535) @JsonPropertyDescription("As printed on the switch")
        Integer number,

        @JsonPropertyDescription("Far end of the cable") @Nullable
        PeerRef peer,

        @JsonPropertyDescription("State of the link") @Nullable
        PortState state,

        @Min(0) @Max(1000000000000000L) @JsonPropertyDescription("Rate in bits per second") @Nullable
        Long speedBitsPerSecond,

        @Min(1) @Max(64) @JsonPropertyDescription("Lanes") @Nullable
        Integer width,

        @Min(1) @Max(16777215) @JsonPropertyDescription("InfiniBand local id") @Nullable
        Integer lid,

        @Size(max = 8) @JsonPropertyDescription("Signs that its link is about to fail, by what the port has counted")
        List<PortImpairment> impairments) {
    public SwitchPortSpec {
        impairments = impairments == null ? List.of() : List.copyOf(impairments);
    }

    /** A port without signs. */
    public SwitchPortSpec(
            Integer number,
            @Nullable PeerRef peer,
            @Nullable PortState state,
            @Nullable Long speedBitsPerSecond,
            @Nullable Integer width,
            @Nullable Integer lid) {
        this(number, peer, state, speedBitsPerSecond, width, lid, List.of());
    }
}
