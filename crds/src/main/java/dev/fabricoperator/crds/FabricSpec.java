/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.fabricoperator.fabric.level.Channel;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a person says of a fabric. Everything is optional: an empty spec is filled from what the devices say. */
@ValidationRule(
        value = "!has(self.levels) || self.levels.all(one, self.levels.exists_one(other, other.name == one.name))",
        message = "levels of one name: give each a name of its own",
        fieldPath = ".levels")
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record FabricSpec(
        @JsonPropertyDescription(
                "Which devices belong to the fabric; all given criteria must hold. None given: connectedness decides")
        @Nullable
        DeviceSelector selector,

        @Size(max = 64) @JsonPropertyDescription("Names of the planes, in order")
        List<@Size(min = 1, max = 63) String> planes,

        @Size(max = 16) @JsonPropertyDescription("Where the cabling is known from")
        List<TopologySource> sources,

        @Min(-1000000)
        @Max(1000000)
        @Default("0")
        @JsonPropertyDescription(
                "The default fabric is a network before what NVLink joins, then the one with the highest priority, then the lowest index")
        @Nullable
        Integer priority,

        @JsonPropertyDescription("What the fabric is for; Compute where nothing is said") @Nullable
        Purpose purpose,

        @JsonPropertyDescription("What hosts and processes need before ranks of direct launches start on the fabric")
        @Nullable
        HostPreparation hostPreparation,

        @Size(max = 64)
        @JsonPropertyDescription(
                "Hosts that are not meant to have as many devices as others, such as login[1-4] or stor*: no finding says that they lack any")
        List<@Size(min = 1, max = 1024) String> exemptHosts,

        @Size(max = Channel.MOST_SERVICE_LEVEL + 1)
        @JsonPropertyDescription("Levels of service that the fabric is programmed for, and jobs may ask for")
        List<LevelSpec> levels,

        @Size(max = 16)
        @JsonPropertyDescription("Exporters that servers ask how much the ports of the fabric's switches send")
        List<CounterSource> counters) {

    public FabricSpec {
        planes = planes == null ? List.of() : List.copyOf(planes);
        sources = sources == null ? List.of() : List.copyOf(sources);
        exemptHosts = exemptHosts == null ? List.of() : List.copyOf(exemptHosts);
        levels = levels == null ? List.of() : List.copyOf(levels);
        counters = counters == null ? List.of() : List.copyOf(counters);
    }
}
