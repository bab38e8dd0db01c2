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
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Labels of nodes that name the blocks of a network. */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record NodeLabelSource(
        @Size(max = 8)
        @JsonPropertyDescription(
                "Keys of labels from the top of the network to the leaf, such as topology.k8s.aws/network-node-layer-1; none: those of a cloud that is known")
        List<@Size(min = 1, max = 317) String> keys,

        @Min(1)
        @Max(100000)
        @JsonPropertyDescription("Speed of each link in Gbit/s, where the labels' author says it")
        @Nullable
        Integer gbps,

        @JsonPropertyDescription(
                "Which devices of a node are there: byFamily (default), those of the first family of InfiniBand, Omni-Path, Slingshot, EFA, RoCE, iWARP and Ethernet that it has; all, those of all these")
        @Nullable
        NodeDevices devices) {

    public NodeLabelSource {
        keys = keys == null ? List.of() : List.copyOf(keys);
    }
}
