/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;

/** Ranks of a job by the protocol in which they found each other. Each rank is counted once its pod has told of all of its ranks, or has ended. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record JobClients(
        @Min(0) @JsonPropertyDescription("Ranks that have called PMIx_Init, as Open MPI does")
        int pmix,

        @Min(0) @JsonPropertyDescription("Ranks that have called PMI_Init (PMI-1), as MPICH and Intel MPI do")
        int pmi1,

        @Min(0) @JsonPropertyDescription("Ranks that have called neither, as without MPI")
        int none) {
    public JobClients plus(JobClients other) {
        return new JobClients(pmix + other.pmix, pmi1 + other.pmi1, none + other.none);
    }

    public int ranks() {
        return pmix + pmi1 + none;
    }
}
