/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/** One source of a fabric's cabling. */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
@ValidationRule(
        value = "[has(self.configMapRef), has(self.secretRef), has(self.url)].filter(x, x).size() == 1",
        message = "give exactly one of configMapRef, secretRef and url")
@ValidationRule(
        value = "self.type != 'ibnetdiscover' || !has(self.secretRef)",
        message = "type ibnetdiscover reads a configMapRef or a file url",
        fieldPath = ".type")
public record TopologySource(
        @Required @JsonPropertyDescription("What the source holds")
        SourceType type,

        @JsonPropertyDescription("A ConfigMap in the operator's namespace, or the name of an upload in parts") @Nullable
        ObjectRef configMapRef,

        @Nullable ObjectRef secretRef,

        @Size(min = 1, max = 2048)
        @JsonPropertyDescription("file:///... below the operator's topology directory")
        @Nullable
        String url) {}
