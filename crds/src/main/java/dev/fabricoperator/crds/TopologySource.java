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
        value = "self.type == 'ufm' || !has(self.secretRef)",
        message = "only type ufm reads a secretRef",
        fieldPath = ".secretRef")
@ValidationRule(
        value = "self.type != 'ufm' || (has(self.url) && has(self.secretRef) && !has(self.configMapRef))",
        message = "type ufm needs a url and a secretRef, and no configMapRef",
        fieldPath = ".type")
@ValidationRule(
        value = "self.type == 'ufm' || !(has(self.configMapRef) && has(self.url))",
        message = "give configMapRef or url, not both")
@ValidationRule(
        value = "self.type in ['ufm', 'lldp', 'NodeLabels'] || has(self.configMapRef) || has(self.url)",
        message = "this type needs a configMapRef or a url",
        fieldPath = ".type")
@ValidationRule(
        value = "self.type == 'NodeLabels' ? !has(self.configMapRef) && !has(self.url) : !has(self.nodeLabels)",
        message =
                "type NodeLabels reads the cluster's nodes: it has neither configMapRef nor url, and is the only one with nodeLabels",
        fieldPath = ".type")
@ValidationRule(
        value = "!has(self.url) || self.url.startsWith(self.type == 'ufm' ? 'https://' : 'file:///')",
        message = "the url of type ufm begins with https://, that of any other with file:///",
        fieldPath = ".url")
public record TopologySource(
        @Required @JsonPropertyDescription("What the source holds")
        SourceType type,

        @JsonPropertyDescription("A ConfigMap in the operator's namespace, or the name of an upload in parts") @Nullable
        ObjectRef configMapRef,

        @JsonPropertyDescription(
                "A Secret in the operator's namespace, labelled fabric-operator.dev/credentials=ufm, whose annotation"
                        + " fabric-operator.dev/host names the url's host: token, or username and password; ca.crt where the appliance's"
                        + " certificate is not signed by a public authority")
        @Nullable
        ObjectRef secretRef,

        @Size(min = 1, max = 2048)
        @JsonPropertyDescription(
                "file:///... below the operator's topology directory, or https://host[:port] of a UFM appliance")
        @Nullable
        String url,

        @JsonPropertyDescription("Which labels of nodes say where each is; without it those of a cloud that is known")
        @Nullable
        NodeLabelSource nodeLabels) {}
