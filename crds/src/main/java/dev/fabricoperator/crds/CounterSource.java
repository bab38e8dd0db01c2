/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/** An exporter that says, in the text that Prometheus scrapes, what ports of the fabric's switches count. What is given goes before the preset. */
@ValidationRule(
        value =
                "has(self.preset) || (has(self.sent) && has(self.portLabel) && (has(self.switchLabel) || has(self.switchName)))",
        message = "give a preset, or sent, portLabel, and one of switchLabel and switchName")
@ValidationRule(
        value = "!(has(self.switchLabel) && has(self.switchName))",
        message = "give switchLabel or switchName, not both",
        fieldPath = ".switchName")
@ValidationRule(
        value = "self.url.startsWith('http://') || self.url.startsWith('https://')",
        message = "the url begins with http:// or https://",
        fieldPath = ".url")
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record CounterSource(
        @Required
        @Size(min = 1, max = 2048)
        @JsonPropertyDescription(
                "http:// or https:// of an exporter, or of a Prometheus that federates several; its host has to be named in the servers' setting FABRIC_OPERATOR_COUNTERS_HOSTS")
        String url,

        @JsonPropertyDescription("Which exporter's names of counters and labels hold where nothing else is given")
        @Nullable
        CounterPreset preset,

        @Size(min = 1, max = 256) @JsonPropertyDescription("Counter of what a port has sent") @Nullable
        String sent,

        @Size(min = 1, max = 256) @JsonPropertyDescription("Counter of what a port has received") @Nullable
        String received,

        @Size(min = 1, max = 256)
        @JsonPropertyDescription("Counter of times that a port could not send, each for as long as 8 octets take")
        @Nullable
        String waits,

        @Size(min = 1, max = 256) @JsonPropertyDescription("Counter of packets that a port has thrown away") @Nullable
        String discards,

        @Min(1)
        @Max(64)
        @JsonPropertyDescription("Octets that one of sent and of received stands for; 1 without a preset")
        @Nullable
        Integer octets,

        @Size(min = 1, max = 256) @JsonPropertyDescription("Label whose value is the switch's id or name") @Nullable
        String switchLabel,

        @Size(min = 1, max = 253)
        @JsonPropertyDescription("Id or name of the switch, where all counters are of one")
        @Nullable
        String switchName,

        @Size(min = 1, max = 256) @JsonPropertyDescription("Label whose value is the port's name or number") @Nullable
        String portLabel) {}
