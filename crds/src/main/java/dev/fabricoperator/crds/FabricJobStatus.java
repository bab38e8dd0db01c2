/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a job stands. */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record FabricJobStatus(
        @Size(max = 255) @JsonPropertyDescription("PMIX_NSPACE of the attempt") @Nullable
        String nspace,

        @JsonPropertyDescription("How far the attempt is") @Nullable
        JobPhase phase,

        @Min(0) @JsonPropertyDescription("0 for the first; every retry of a pod is another") @Nullable
        Integer attempt,

        @Min(0) @JsonPropertyDescription("PMIX_JOB_SIZE: ranks of the job") @Nullable
        Integer size,

        @Min(0) @JsonPropertyDescription("Ranks of the pods that are here") @Nullable
        Integer readyRanks,

        @Min(0) @JsonPropertyDescription("Nodes that hold these pods") @Nullable
        Integer nodes,

        @Size(max = 253) @JsonPropertyDescription("The default one of the Fabrics that its devices belong to") @Nullable
        String fabric,

        @JsonPropertyDescription("What communication among its nodes costs") @Nullable
        JobPlacementStatus placement,

        @Size(max = 8) @JsonPropertyDescription("Channels whose traffic has a level of service of its own")
        List<JobChannel> channels,

        @JsonPropertyDescription(
                "Its ranks by the protocol in which they found each other, of the pods that have said it")
        @Nullable
        JobClients clients,

        @Size(max = 32) @JsonPropertyDescription("When the first pod of the attempt came, RFC 3339") @Nullable
        String waitingSince,

        @Size(max = 16) @JsonPropertyDescription("The first of the pods that have not come")
        List<@Size(max = 320) String> missing,

        @Min(0) @JsonPropertyDescription("How many have not come, also beyond those listed") @Nullable
        Integer missingTotal,

        @Size(max = 8) @JsonPropertyDescription("Whole, OneContainer, Finished and RanksConnected")
        List<Condition> conditions) {

    public FabricJobStatus {
        channels = channels == null ? List.of() : List.copyOf(channels);
        missing = missing == null ? List.of() : List.copyOf(missing);
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }
}
