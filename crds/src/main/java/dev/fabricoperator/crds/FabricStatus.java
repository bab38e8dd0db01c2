/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.level.Channel;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the operator made of the devices and the cabling. */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record FabricStatus(
        @Size(max = 128) @JsonPropertyDescription("PMIX_FABRIC_VENDOR") @Nullable
        String vendor,

        @Size(max = 253) @JsonPropertyDescription("PMIX_FABRIC_IDENTIFIER") @Nullable
        String identifier,

        @Min(0)
        @Max(1048575)
        @JsonPropertyDescription("PMIX_FABRIC_INDEX: the smallest integer never used before")
        @Nullable
        Integer index,

        @JsonPropertyDescription("What the wiring is, told from it alone") @Nullable
        FabricKind kind,

        @Size(max = 64) @JsonPropertyDescription("Parts that a host reaches through one of its devices each")
        List<PlaneStatus> planes,

        @Min(0) @JsonPropertyDescription("Devices that agents publish") @Nullable
        Integer devices,

        @Min(0) @JsonPropertyDescription("Devices that only a topology source knows") @Nullable
        Integer unmanagedDevices,

        @Min(0) @JsonPropertyDescription("Switches of the Fabric") @Nullable
        Integer switches,

        @Min(0) @JsonPropertyDescription("Cables between switches, and between switches and devices") @Nullable
        Integer links,

        @Min(0) @JsonPropertyDescription("Hosts that hold its devices") @Nullable
        Integer hosts,

        @Size(max = 32)
        @JsonPropertyDescription(
                "Tiers from the nearest up, which Nodes have labels for; absent where none are written")
        List<TierStatus> tiers,

        @Size(max = Channel.MOST_SERVICE_LEVEL + 1)
        @JsonPropertyDescription("Levels of spec.levels, as ports of switches have been found to serve them")
        List<LevelStatus> levels,

        @Min(0) @JsonPropertyDescription("Sets of nodes that are closest together (PMIX_FABRIC_GROUPS)") @Nullable
        Integer groups,

        @Size(max = 128) @JsonPropertyDescription("PMIX_FABRIC_SHAPE of every plane and view")
        List<ShapeStatus> shapes,

        @Min(0)
        @Max(16)
        @JsonPropertyDescription("PMIX_FABRIC_DIMS: axes of the default plane's logical coordinates")
        @Nullable
        Integer dims,

        @Size(max = 16) @JsonPropertyDescription("PMIX_FABRIC_SHAPE of the default plane's logical view")
        List<@Min(0) Integer> shape,

        @Size(max = 128)
        @JsonPropertyDescription("PMIX_FABRIC_SHAPE_STRING of the default plane's logical view")
        @Nullable
        String shapeString,

        @JsonPropertyDescription("What tells two cost matrices apart; the matrix itself is computed where it is needed")
        @Nullable
        CostMatrixStatus costMatrix,

        @Min(0) @JsonPropertyDescription("Grows with every change of topology, cost or membership") @Nullable
        Long generation,

        @Min(0)
        @JsonPropertyDescription(
                "Generation that is being written to devices and switches, and follows when it is; absent when none is")
        @Nullable
        Long pendingGeneration,

        @Size(max = 64) @JsonPropertyDescription("The first of what an administrator should look at")
        List<FindingStatus> findings,

        @Min(0) @JsonPropertyDescription("How many findings there are, also beyond those listed") @Nullable
        Integer findingsTotal,

        @Min(0)
        @JsonPropertyDescription("How many hosts spec.exemptHosts names: no finding says that they lack devices")
        @Nullable
        Integer exemptHosts,

        @Size(max = 8)
        @JsonPropertyDescription("What kind, groups and tiers do not tell, such as that hosts are behind a single leaf")
        List<@Size(max = 2048) String> unresolved,

        @Size(max = 16) @JsonPropertyDescription("The newest generations, ascending, and what each brought")
        List<FabricChange> changes,

        @Size(max = 64)
        @JsonPropertyDescription("Ports whose link goes up and down, and counts as down until it stays as it is")
        List<PortRef> damped,

        @Size(max = 64) @JsonPropertyDescription("How each topology source stands")
        List<SourceStatus> sources,

        @Size(max = 253)
        @JsonPropertyDescription("Value of the annotation fabric-operator.dev/refresh that was done last")
        @Nullable
        String refreshed,

        @Size(max = 16) @JsonPropertyDescription("How the Fabric stands: Ready, TopologyKnown and so on")
        List<Condition> conditions) {

    public FabricStatus {
        planes = planes == null ? List.of() : List.copyOf(planes);
        levels = levels == null ? List.of() : List.copyOf(levels);
        tiers = tiers == null ? List.of() : List.copyOf(tiers);
        shapes = shapes == null ? List.of() : List.copyOf(shapes);
        shape = shape == null ? List.of() : List.copyOf(shape);
        findings = findings == null ? List.of() : List.copyOf(findings);
        unresolved = unresolved == null ? List.of() : List.copyOf(unresolved);
        changes = changes == null ? List.of() : List.copyOf(changes);
        damped = damped == null ? List.of() : List.copyOf(damped);
        sources = sources == null ? List.of() : List.copyOf(sources);
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }
}
