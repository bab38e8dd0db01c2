/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/** A condition as Kubernetes defines it (meta/v1 Condition), with bounds. */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Condition(
        @Required @Size(min = 1, max = 63) @JsonPropertyDescription("What is said")
        String type,

        @Required @JsonPropertyDescription("Whether it is so")
        ConditionStatus status,

        @Min(0) @JsonPropertyDescription("metadata.generation of the object when it was said") @Nullable
        Long observedGeneration,

        @Size(max = 32) @JsonPropertyDescription("RFC 3339, UTC") @Nullable
        String lastTransitionTime,

        @Required
        @Size(min = 1, max = 128)
        @Pattern("^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$")
        @JsonPropertyDescription("Why, in one word")
        String reason,

        @Required @Size(max = 4096) @JsonPropertyDescription("Why, in a sentence for people")
        String message) {

    /** The status with which all is well: conditions are named after what is well, but for those of a fault. */
    public static ConditionStatus good(String type) {
        return type.equals("Impaired") ? ConditionStatus.False : ConditionStatus.True;
    }

    /** Whether somebody should look at it. */
    public boolean tellsTrouble() {
        return status != good(type);
    }
}
