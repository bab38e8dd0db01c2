/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import dev.fabricoperator.operator.server.query.http.Parameters;
import dev.fabricoperator.operator.server.query.http.QueryResponse;
import dev.fabricoperator.operator.server.query.http.StatusException;
import dev.fabricoperator.view.answer.GroupCostAnswer;
import dev.fabricoperator.view.answer.NodesCostAnswer;
import java.util.Map;

/** Costs between two nodes, and from a device to a group. */
final class ProximityResources {
    private ProximityResources() {}

    static QueryResponse betweenNodes(ResourceRequest request) throws StatusException {
        Parameters asked = request.parameters();
        int[] from = devicesOf(request, "fromNode");
        int[] to = devicesOf(request, "toNode");
        return request.document(
                NodesCostAnswer.of(request.served(), asked.required("fromNode"), from, asked.required("toNode"), to));
    }

    private static int[] devicesOf(ResourceRequest request, String field) throws StatusException {
        String node = request.parameters().required(field);
        String plane = request.plane();
        int[] slots = request.served().directory().ofNode(node).stream()
                .mapToInt(Map.Entry::getKey)
                .filter(slot -> request.isOn(plane, slot))
                .toArray();
        if (slots.length == 0) {
            throw StatusException.notFound(
                    field,
                    "no device of node '" + node + "' in fabric "
                            + request.served().name());
        }
        return slots;
    }

    static QueryResponse toGroup(ResourceRequest request) throws StatusException {
        Parameters asked = request.parameters();
        int from = request.slot("from", asked.required("from"));
        long group = Parameters.number("group", asked.required("group"));
        GroupCostAnswer answer = group > Integer.MAX_VALUE
                ? null
                : GroupCostAnswer.of(request.served(), from, (int) group, request.plane());
        if (answer == null) {
            throw StatusException.notFound(
                    "group", "fabric " + request.served().name() + " has no device in group " + group);
        }
        return request.document(answer);
    }
}
