/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.query.answer;

import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.cost.GroupCosts;
import dev.fabricoperator.fabric.cost.NodeCosts;
import dev.fabricoperator.fabric.model.Plane;
import dev.fabricoperator.operator.query.http.Answer;
import dev.fabricoperator.operator.query.http.Parameters;
import dev.fabricoperator.operator.query.http.Refusal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Costs between nodes, and from a device to a group. */
final class NearAnswers {
    private NearAnswers() {}

    /** @param pairs of devices of one plane: each of the first node with each of the second */
    record PlanePairs(String plane, List<NodeCosts.Pair> pairs) {}

    /**
     * @param cost of the best pair of one plane or two; 0 from a node to itself, 65535 where none reaches the other
     * @param best indices of its devices
     */
    record BetweenNodes(
            String from,
            String to,
            long generation,
            int cost,
            NodeCosts.@Nullable Pair best,
            List<PlanePairs> planes) {}

    /**
     * @param minimum over the devices of the group that can be reached, the device itself apart; 65535 without one
     * @param mean over the same devices; {@code null} without one
     * @param unreachable devices of the group that cannot be reached
     */
    record ToGroup(
            String from,
            int group,
            long generation,
            int minimum,
            @Nullable Double mean,
            long devices,
            long unreachable) {}

    static Answer betweenNodes(Inquiry inquiry) throws Refusal {
        Parameters asked = inquiry.parameters();
        int[] from = devicesOf(inquiry, "fromNode");
        int[] to = devicesOf(inquiry, "toNode");
        CostMatrix matrix = inquiry.served().cost();
        NodeCosts.Pair best = NodeCosts.best(matrix, from, to);
        List<PlanePairs> planes = new ArrayList<>();
        for (Plane plane : inquiry.served().query().planes()) {
            int[] fromOfPlane = onPlane(inquiry, plane.id(), from);
            int[] toOfPlane = onPlane(inquiry, plane.id(), to);
            short[] costs = new short[Math.multiplyExact(fromOfPlane.length, toOfPlane.length)];
            matrix.block(fromOfPlane, toOfPlane, costs);
            List<NodeCosts.Pair> pairs = new ArrayList<>(costs.length);
            for (int i = 0; i < costs.length; i++) {
                pairs.add(new NodeCosts.Pair(
                        fromOfPlane[i / toOfPlane.length],
                        toOfPlane[i % toOfPlane.length],
                        Short.toUnsignedInt(costs[i])));
            }
            if (!pairs.isEmpty()) {
                planes.add(new PlanePairs(inquiry.served().planeName(plane.id()), pairs));
            }
        }
        return inquiry.document(new BetweenNodes(
                asked.required("fromNode"),
                asked.required("toNode"),
                inquiry.served().generation(),
                best == null ? CostMatrix.UNREACHABLE : best.cost(),
                best,
                planes));
    }

    private static int[] onPlane(Inquiry inquiry, String plane, int[] slots) {
        return Arrays.stream(slots).filter(slot -> inquiry.isOn(plane, slot)).toArray();
    }

    private static int[] devicesOf(Inquiry inquiry, String field) throws Refusal {
        String node = inquiry.parameters().required(field);
        String plane = inquiry.plane();
        int[] slots = inquiry.served().directory().ofNode(node).stream()
                .mapToInt(Map.Entry::getKey)
                .filter(slot -> inquiry.isOn(plane, slot))
                .toArray();
        if (slots.length == 0) {
            throw Refusal.notFound(
                    field,
                    "no device of node '" + node + "' in fabric "
                            + inquiry.served().name());
        }
        return slots;
    }

    static Answer toGroup(Inquiry inquiry) throws Refusal {
        Parameters asked = inquiry.parameters();
        int from = inquiry.slot("from", asked.required("from"));
        long group = Parameters.number("group", asked.required("group"));
        GroupCosts costs = inquiry.served().query().groupCosts(inquiry.plane());
        if (group > Integer.MAX_VALUE || !costs.has((int) group)) {
            throw Refusal.notFound("group", "fabric " + inquiry.served().name() + " has no device in group " + group);
        }
        GroupCosts.Cost cost = costs.fromDevice(from, (int) group);
        return inquiry.document(new ToGroup(
                inquiry.device(from).shownId(),
                (int) group,
                inquiry.served().generation(),
                cost.minimum(),
                cost.reached() == 0 ? null : cost.mean(),
                cost.reached(),
                cost.unreachable()));
    }
}
