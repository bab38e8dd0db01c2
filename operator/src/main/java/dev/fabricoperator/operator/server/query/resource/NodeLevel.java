/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import dev.fabricoperator.fabric.cost.NodeCosts;
import dev.fabricoperator.fabric.cost.NpyHeader;
import dev.fabricoperator.operator.server.query.QueryApi;
import dev.fabricoperator.operator.server.query.http.Format;
import dev.fabricoperator.operator.server.query.http.QueryResponse;
import dev.fabricoperator.operator.server.query.http.StatusException;
import dev.fabricoperator.view.answer.BlockAnswer;
import dev.fabricoperator.view.answer.NodeNames;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Costs between nodes, each with each: of the best pair of their devices. Rows and columns ascend by name, or are as asked for. */
final class NodeLevel {
    private static final int JSON_BYTES_OF_A_COST = 3;

    private NodeLevel() {}

    /** @param most nodes of one answer */
    static QueryResponse answer(ResourceRequest request, Format format, int most) throws StatusException {
        for (String ofDevices : List.of("rows", "cols")) {
            if (request.parameters().has(ofDevices)) {
                throw StatusException.badParam(ofDevices, "'" + ofDevices + "' is of devices; 'nodes' chooses nodes");
            }
        }
        NodeNames known = NodeNames.of(request.served(), request.plane());
        List<String> names = names(request.parameters().text("nodes"), known, most);
        int[][] slots = new int[names.size()][];
        for (int node = 0; node < slots.length; node++) {
            slots[node] = known.slots(names.get(node));
            if (slots[node].length == 0) {
                throw StatusException.notFound(
                        "nodes",
                        "no device of node '" + names.get(node) + "' in fabric "
                                + request.served().name());
            }
        }
        BlockAnswer block = BlockAnswer.ofNodes(
                request.served(), names, NodeCosts.of(request.served().model().cost(), slots));
        long costs = (long) slots.length * slots.length;
        String etag = request.etag() + "-node";
        Map<String, String> headers = new HashMap<>(request.headers());
        headers.put(QueryApi.HEADER_LEVEL, "node");
        return format == Format.json
                ? QueryResponse.Written.json(JSON_BYTES_OF_A_COST * costs, json -> json.writePOJO(block), etag, headers)
                : new QueryResponse.Written(
                        format.mediaType(), 2 * costs, out -> write(block.costs(), format, out), etag, headers);
    }

    private static List<String> names(@Nullable String asked, NodeNames known, int most) throws StatusException {
        List<String> names = asked == null ? known.all() : List.of(asked.split(",", -1));
        if (names.size() > most) {
            throw StatusException.tooLarge("nodes", "an answer has at most " + most + " nodes; name fewer");
        }
        return names;
    }

    private static void write(List<List<Integer>> costs, Format format, OutputStream out) throws IOException {
        if (format == Format.npy) {
            out.write(NpyHeader.of(costs.size(), costs.size()));
        }
        ByteBuffer bytes = ByteBuffer.allocate(2 * costs.size()).order(ByteOrder.LITTLE_ENDIAN);
        for (List<Integer> row : costs) {
            bytes.clear();
            row.forEach(cost -> bytes.putShort(cost.shortValue()));
            out.write(bytes.array());
        }
    }
}
