/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.query.answer;

import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.model.Plane;
import dev.fabricoperator.operator.query.http.Answer;
import dev.fabricoperator.operator.query.http.Parameters;
import dev.fabricoperator.operator.query.http.Refusal;
import dev.fabricoperator.operator.query.served.ServedDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Costs between nodes, and from a device to a group. */
final class NearAnswers {
    private NearAnswers() {}

    /** @param pairs of devices of one plane: each of the first node with each of the second */
    record PlanePairs(String plane, List<Pair> pairs) {}

    /** @param from index of the device; {@code to} likewise */
    record Pair(int from, int to, int cost) {}

    /** @param cost of the best pair of one plane or two; 65535 where none reaches the other */
    record BetweenNodes(
            String from,
            String to,
            long generation,
            int cost,
            @Nullable Pair best,
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
            int devices,
            int unreachable) {}

    static Answer betweenNodes(Inquiry inquiry) throws Refusal {
        Parameters asked = inquiry.parameters();
        List<Integer> from = devicesOf(inquiry, "fromNode");
        List<Integer> to = devicesOf(inquiry, "toNode");
        CostMatrix matrix = inquiry.served().cost();
        Pair best = null;
        for (int a : from) {
            for (int b : to) {
                int cost = matrix.cost(a, b);
                if (a != b && cost < CostMatrix.UNREACHABLE && (best == null || cost < best.cost())) {
                    best = new Pair(a, b, cost);
                }
            }
        }
        List<PlanePairs> planes = new ArrayList<>();
        for (Plane plane : inquiry.served().query().planes()) {
            List<Pair> pairs = new ArrayList<>();
            for (int a : from) {
                for (int b : to) {
                    if (inquiry.isOn(plane.id(), a) && inquiry.isOn(plane.id(), b)) {
                        pairs.add(new Pair(a, b, matrix.cost(a, b)));
                    }
                }
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

    private static List<Integer> devicesOf(Inquiry inquiry, String field) throws Refusal {
        String node = inquiry.parameters().required(field);
        String plane = inquiry.plane();
        List<Integer> slots = inquiry.served().directory().ofNode(node).stream()
                .map(Map.Entry::getKey)
                .filter(slot -> inquiry.isOn(plane, slot))
                .toList();
        if (slots.isEmpty()) {
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
        String plane = inquiry.plane();
        CostMatrix matrix = inquiry.served().cost();
        int minimum = CostMatrix.UNREACHABLE;
        long sum = 0;
        int reached = 0;
        int unreachable = 0;
        boolean known = false;
        for (Map.Entry<Integer, ServedDevice> device :
                inquiry.served().directory().devices().entrySet()) {
            int to = device.getKey();
            var place = inquiry.served().model().device(to);
            if (place == null || place.group() == null || place.group() != group || !inquiry.isOn(plane, to)) {
                continue;
            }
            known = true;
            int cost = matrix.cost(from, to);
            if (to == from) {
                continue;
            }
            if (cost == CostMatrix.UNREACHABLE) {
                unreachable++;
            } else {
                reached++;
                sum += cost;
                minimum = Math.min(minimum, cost);
            }
        }
        if (!known) {
            throw Refusal.notFound("group", "fabric " + inquiry.served().name() + " has no device in group " + group);
        }
        return inquiry.document(new ToGroup(
                inquiry.device(from).shownId(),
                (int) group,
                inquiry.served().generation(),
                minimum,
                reached == 0 ? null : (double) sum / reached,
                reached,
                unreachable));
    }
}
