/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** One PMIx app of a job; its position is PMIX_APPNUM. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record JobAppSpec(
        @Required @Size(min = 1, max = 253) @JsonPropertyDescription("Name of the Job, ReplicatedJob or task")
        String name,

        @Required @Min(0) @Max(1048576) @JsonPropertyDescription("Pods of the app; a task may have none")
        Integer pods,

        @Required @Min(1) @Max(1024) @JsonPropertyDescription("Ranks that the launcher starts in each pod")
        Integer ranksPerPod) {}
