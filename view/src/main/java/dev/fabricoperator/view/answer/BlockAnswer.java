/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.fabric.cost.NodeCosts;
import java.util.List;

/**
 * What communication costs between each of some and each of others: nodes, or devices.
 *
 * @param from names of the rows
 * @param to names of the columns
 * @param costs a list for each row
 */
@JsonPropertyOrder({"from", "to", "fabric", "generation", "costs"})
public record BlockAnswer(
        List<String> from, List<String> to, String fabric, long generation, List<List<Integer>> costs) {

    /**
     * Between nodes, each with each: of the best pair of devices. A row is computed when it is read, so that the answer may
     * be longer than the memory.
     *
     * @param costs of these nodes in the fabric
     */
    public static BlockAnswer ofNodes(FabricView fabric, List<String> nodes, NodeCosts costs) {
        return new BlockAnswer(
                nodes,
                nodes,
                fabric.name(),
                fabric.generation(),
                new ComputedList<>(costs.nodes(), from -> row(costs, from)));
    }

    private static List<Integer> row(NodeCosts costs, int from) {
        short[] row = new short[costs.nodes()];
        costs.row(from, row);
        return new ComputedList<>(row.length, to -> Short.toUnsignedInt(row[to]));
    }
}
