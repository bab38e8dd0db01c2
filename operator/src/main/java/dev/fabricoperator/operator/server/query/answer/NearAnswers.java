/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.answer;

import dev.fabricoperator.crds.answer.GroupCostAnswer;
import dev.fabricoperator.crds.answer.NodesCostAnswer;
import dev.fabricoperator.operator.server.query.http.Parameters;
import dev.fabricoperator.operator.server.query.http.QueryResponse;
import dev.fabricoperator.operator.server.query.http.StatusException;
import java.util.Map;

/** Costs between two nodes, and from a device to a group. */
final class NearAnswers {
    private NearAnswers() {}

    static QueryResponse betweenNodes(Inquiry inquiry) throws StatusException {
        Parameters asked = inquiry.parameters();
        int[] from = devicesOf(inquiry, "fromNode");
        int[] to = devicesOf(inquiry, "toNode");
        return inquiry.document(
                NodesCostAnswer.of(inquiry.served(), asked.required("fromNode"), from, asked.required("toNode"), to));
    }

    private static int[] devicesOf(Inquiry inquiry, String field) throws StatusException {
        String node = inquiry.parameters().required(field);
        String plane = inquiry.plane();
        int[] slots = inquiry.served().directory().ofNode(node).stream()
                .mapToInt(Map.Entry::getKey)
                .filter(slot -> inquiry.isOn(plane, slot))
                .toArray();
        if (slots.length == 0) {
            throw StatusException.notFound(
                    field,
                    "no device of node '" + node + "' in fabric "
                            + inquiry.served().name());
        }
        return slots;
    }

    static QueryResponse toGroup(Inquiry inquiry) throws StatusException {
        Parameters asked = inquiry.parameters();
        int from = inquiry.slot("from", asked.required("from"));
        long group = Parameters.number("group", asked.required("group"));
        GroupCostAnswer answer = group > Integer.MAX_VALUE
                ? null
                : GroupCostAnswer.of(inquiry.served(), from, (int) group, inquiry.plane());
        if (answer == null) {
            throw StatusException.notFound(
                    "group", "fabric " + inquiry.served().name() + " has no device in group " + group);
        }
        return inquiry.document(answer);
    }
}
