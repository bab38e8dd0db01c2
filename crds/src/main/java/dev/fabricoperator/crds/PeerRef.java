/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.fabricoperator.fabric.cabling.NodeType;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/** One end of a cable. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PeerRef(
        @Required
        @Size(min = 1, max = 320)
        @JsonPropertyDescription("Id of a switch, node GUID of a device, or host/osName")
        String id,

        @Required @Min(0) @Max(65535) @JsonPropertyDescription("Number of the port there")
        Integer port,

        @Size(max = 253)
        @Pattern(FabricSwitchSpec.NAME)
        @JsonPropertyDescription("Host that owns the device, where the source knows it")
        @Nullable
        String hostname,

        @Size(max = 64)
        @Pattern(FabricSwitchSpec.NAME)
        @JsonPropertyDescription("The operating system's name of the device, where the source knows it")
        @Nullable
        String osName,

        @JsonPropertyDescription(
                "What stands at the far end; without it, a switch if a FabricSwitch describes one of this id, else a"
                        + " device")
        @Nullable
        NodeType type) {}
