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
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the owner of a job asks for, repeated here for whoever reads. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record FabricJobSpec(
        @Size(max = 1024) @JsonPropertyDescription("In the order of PMIX_APPNUM")
        List<JobAppSpec> apps,

        @Size(max = 16)
        @JsonPropertyDescription("index, or topology: neighbours on the fabric get neighbouring ranks")
        @Nullable
        String rankOrder,

        @Min(1) @JsonPropertyDescription("How long its pods wait for one another") @Nullable
        Long assemblyTimeoutSeconds) {

    public FabricJobSpec {
        apps = apps == null ? List.of() : List.copyOf(apps);
    }
}
