/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.fabric.tier.TierTree;
import java.util.List;

/**
 * A fabric as a tree whose leaves are nodes: the lower the first vertex that two nodes have in common, the nearer they are.
 *
 * @param vertices what is below a vertex comes before it; none of a fabric of which no switch is known
 * @param unplaced nodes in no vertex since nothing reaches them, ascending
 * @see "docs/volcano.md, What a fabric becomes"
 */
@JsonPropertyOrder({"fabric", "generation", "vertices", "unplaced"})
public record TiersAnswer(String fabric, long generation, List<Vertex> vertices, List<String> unplaced) {

    /**
     * @param tier 1 and up; lower is nearer
     * @param tierName the same for all vertices of a tier
     * @param below names of vertices, ascending; with these or with nodes
     * @param nodes by the name in Kubernetes, of a file by the host's; ascending
     */
    @JsonPropertyOrder({"name", "tier", "tierName", "below", "nodes"})
    public record Vertex(String name, int tier, String tierName, List<String> below, List<String> nodes) {
        public TierTree.Vertex inTree() {
            return new TierTree.Vertex(name, tier, tierName, below, nodes);
        }
    }

    /** O(d + n log n) for d devices of n nodes. */
    public static TiersAnswer of(FabricView fabric) {
        TierTree tree = TierTree.of(fabric.model(), fabric.name(), slot -> {
            NamedDevice device = fabric.device(slot);
            if (device == null) {
                return null;
            }
            String node =
                    device.nodeName() == null || device.nodeName().isEmpty() ? device.hostname() : device.nodeName();
            return node.isEmpty() ? null : node;
        });
        return new TiersAnswer(
                fabric.name(),
                fabric.generation(),
                tree.vertices().stream()
                        .map(one -> new Vertex(one.name(), one.tier(), one.tierName(), one.below(), one.hosts()))
                        .toList(),
                tree.unplaced());
    }
}
