/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.fabricoperator.fabric.device.AcceleratorPath;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/** An accelerator of the same host. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record AcceleratorRef(
        @Required @Size(min = 1, max = 16) @JsonPropertyDescription("PCI address of the accelerator")
        String pciAddress,

        @Pattern("^[0-9a-f]{4}$") @Size(max = 4) @JsonPropertyDescription("PCI vendor id, 4 hex digits") @Nullable
        String vendorId,

        @Pattern("^[0-9a-f]{4}$") @Size(max = 4) @JsonPropertyDescription("PCI device id, 4 hex digits") @Nullable
        String deviceId,

        @Required @JsonPropertyDescription("One PCI switch, several, one host bridge, one NUMA node, across NUMA nodes")
        AcceleratorPath path) {}
