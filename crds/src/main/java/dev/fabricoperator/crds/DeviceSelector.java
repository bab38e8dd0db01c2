/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.fabricoperator.fabric.device.Family;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Selects devices; every criterion that is given must hold. */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DeviceSelector(
        @Size(max = 16) @JsonPropertyDescription("Vendors as devices name them")
        List<@Size(min = 1, max = 128) String> vendors,

        @Size(max = 16) @JsonPropertyDescription("Families of devices")
        List<Family> families,

        @Size(max = 16)
        @JsonPropertyDescription("InfiniBand subnet prefixes, 16 lower-case hex digits, or IP subnets in CIDR form")
        List<@Size(min = 1, max = 64) String> subnetPrefixes,

        @Size(max = 16) @JsonPropertyDescription("Labels of the device object or of the node that holds it") @Nullable
        Map<String, String> matchLabels) {

    public DeviceSelector {
        vendors = vendors == null ? List.of() : List.copyOf(vendors);
        families = families == null ? List.of() : List.copyOf(families);
        subnetPrefixes = subnetPrefixes == null ? List.of() : List.copyOf(subnetPrefixes);
    }
}
