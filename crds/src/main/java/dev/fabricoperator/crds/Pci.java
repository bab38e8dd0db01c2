/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/** The PCI function of a device. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Pci(
        @Required
        @Pattern("^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]$")
        @Size(max = 16)
        @JsonPropertyDescription("PCI address; the domain has more than four digits where it exceeds 16 bit")
        String address,

        @Pattern("^[0-9a-f]{4}$") @Size(max = 4) @JsonPropertyDescription("PCI vendor id, 4 hex digits") @Nullable
        String vendorId,

        @Pattern("^[0-9a-f]{4}$") @Size(max = 4) @JsonPropertyDescription("PCI device id, 4 hex digits") @Nullable
        String deviceId,

        @com.fasterxml.jackson.annotation.JsonProperty("class")
        @Pattern("^[0-9a-f]{4}$")
        @Size(max = 4)
        @JsonPropertyDescription("PCI class and subclass")
        @Nullable
        String classCode) {}
