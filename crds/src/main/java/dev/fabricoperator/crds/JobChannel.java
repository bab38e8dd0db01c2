/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.fabricoperator.fabric.level.Channel;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/** A channel of a job and the level that it has, as its ranks were told. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record JobChannel(
        @JsonPropertyDescription("Whose traffic it is") Channel name,

        @Size(max = 63)
        @JsonPropertyDescription("PMIX_ALLOC_FABRIC_QOS: the level that was asked for, or the default one")
        String level,

        @JsonPropertyDescription("Of its packets on InfiniBand and Omni-Path") @Nullable
        Integer serviceLevel,

        @JsonPropertyDescription("Of its packets on RoCE") @Nullable
        Integer dscp,

        @Size(max = 1024) @JsonPropertyDescription("Why its ranks were told of none; absent where they were") @Nullable
        String reason) {}
