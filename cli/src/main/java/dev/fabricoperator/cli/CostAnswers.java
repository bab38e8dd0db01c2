/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.input.DeviceFinder;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.FoundDevice;
import dev.fabricoperator.cli.input.FoundFabric;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.cost.GroupCosts;
import dev.fabricoperator.fabric.cost.NodeCosts;
import dev.fabricoperator.fabric.model.DevicePlace;
import dev.fabricoperator.fabric.model.Plane;
import dev.fabricoperator.fabric.query.FabricQuery;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Costs of more than a pair of devices and less than all. */
final class CostAnswers {
    private final DeviceFinder finder;

    CostAnswers(DeviceFinder finder) {
        this.finder = finder;
    }

    CostCommand.BlockDocument block(List<String> rows, List<String> cols) throws Failure {
        List<FoundDevice> from = all(rows);
        List<FoundDevice> to = all(cols);
        List<List<Integer>> costs = new ArrayList<>();
        for (FoundDevice one : from) {
            costs.add(to.stream().map(other -> cost(one, other)).toList());
        }
        FoundFabric fabric = from.getFirst().fabric();
        return new CostCommand.BlockDocument(
                from.stream().map(FoundDevice::shownId).toList(),
                to.stream().map(FoundDevice::shownId).toList(),
                fabric.name(),
                fabric.generation(),
                costs);
    }

    private List<FoundDevice> all(List<String> ids) throws Failure {
        List<FoundDevice> devices = new ArrayList<>();
        for (String id : ids) {
            devices.add(finder.find(id));
        }
        return devices;
    }

    /** No cable leads from one fabric to another. */
    private static int cost(FoundDevice from, FoundDevice to) {
        return from.fabric() == to.fabric()
                ? from.fabric().model().cost().cost(from.slot(), to.slot())
                : CostMatrix.UNREACHABLE;
    }

    /** Between hosts: the best pair of devices, and the best one of each plane that both are on. */
    CostCommand.NodesDocument nodes(String from, String to) throws Failure {
        List<FoundDevice> first = finder.findAll(from);
        List<FoundDevice> second = finder.findAll(to);
        int best = CostMatrix.UNREACHABLE;
        Map<String, CostCommand.PlaneCost> planes = new TreeMap<>();
        for (FoundFabric fabric : fabricsOf(first)) {
            best = Math.min(best, cost(fabric, first, second));
            for (Plane plane : fabric.model().planes()) {
                List<FoundDevice> ones = ofPlane(fabric, plane.id(), first);
                List<FoundDevice> others = ofPlane(fabric, plane.id(), second);
                if (!ones.isEmpty() && !others.isEmpty()) {
                    CostCommand.PlaneCost cost = ofPlane(fabric, plane.id(), ones, others);
                    planes.merge(plane.id(), cost, (a, b) -> a.cost() <= b.cost() ? a : b);
                }
            }
        }
        FoundFabric fabric = first.getFirst().fabric();
        return new CostCommand.NodesDocument(
                from, to, fabric.name(), fabric.generation(), best, List.copyOf(planes.values()));
    }

    private static CostCommand.PlaneCost ofPlane(
            FoundFabric fabric, String plane, List<FoundDevice> ones, List<FoundDevice> others) {
        NodeCosts.Pair best = NodeCosts.best(fabric.model().cost(), slots(fabric, ones), slots(fabric, others));
        return new CostCommand.PlaneCost(
                plane,
                best == null ? CostMatrix.UNREACHABLE : best.cost(),
                (best == null ? ones.getFirst() : at(best.from(), ones)).objectName(),
                (best == null ? others.getFirst() : at(best.to(), others)).objectName());
    }

    private static FoundDevice at(int slot, List<FoundDevice> devices) {
        return devices.stream()
                .filter(device -> device.slot() == slot)
                .findFirst()
                .orElseThrow();
    }

    /** Best pairs of hosts, each with each. */
    CostCommand.BlockDocument hosts(List<String> names) throws Failure {
        List<List<FoundDevice>> hosts = new ArrayList<>();
        for (String name : names) {
            hosts.add(finder.findAll(name));
        }
        int[][] costs = new int[names.size()][names.size()];
        for (int[] row : costs) {
            Arrays.fill(row, CostMatrix.UNREACHABLE);
        }
        for (FoundFabric fabric : fabricsOf(hosts.stream().flatMap(List::stream).toList())) {
            addHosts(fabric, hosts, costs);
        }
        FoundFabric first = hosts.getFirst().getFirst().fabric();
        return new CostCommand.BlockDocument(
                names,
                names,
                first.name(),
                first.generation(),
                Arrays.stream(costs)
                        .map(row -> Arrays.stream(row).boxed().toList())
                        .toList());
    }

    private static void addHosts(FoundFabric fabric, List<List<FoundDevice>> hosts, int[][] costs) {
        int[][] slots = hosts.stream().map(host -> slots(fabric, host)).toArray(int[][]::new);
        NodeCosts nodes = NodeCosts.of(fabric.model().cost(), slots);
        short[] row = new short[slots.length];
        for (int from = 0; from < slots.length; from++) {
            nodes.row(from, row);
            for (int to = 0; to < row.length; to++) {
                costs[from][to] = Math.min(costs[from][to], Short.toUnsignedInt(row[to]));
            }
        }
    }

    private static Collection<FoundFabric> fabricsOf(List<FoundDevice> devices) {
        Map<String, FoundFabric> fabrics = new TreeMap<>();
        devices.forEach(device -> fabrics.put(device.fabric().name(), device.fabric()));
        return fabrics.values();
    }

    private static int cost(FoundFabric fabric, List<FoundDevice> from, List<FoundDevice> to) {
        NodeCosts.Pair best = NodeCosts.best(fabric.model().cost(), slots(fabric, from), slots(fabric, to));
        return best == null ? CostMatrix.UNREACHABLE : best.cost();
    }

    private static int[] slots(FoundFabric fabric, List<FoundDevice> devices) {
        return devices.stream()
                .filter(device -> device.fabric() == fabric)
                .mapToInt(FoundDevice::slot)
                .toArray();
    }

    private static List<FoundDevice> ofPlane(FoundFabric fabric, String plane, List<FoundDevice> devices) {
        return devices.stream()
                .filter(device -> device.fabric() == fabric && plane.equals(plane(device)))
                .toList();
    }

    private static @Nullable String plane(FoundDevice device) {
        DevicePlace place = device.fabric().model().device(device.slot());
        return place == null ? null : place.plane();
    }

    CostCommand.GroupDocument toGroup(FoundDevice from, int group) throws Failure {
        FoundFabric fabric = from.fabric();
        GroupCosts costs = new FabricQuery(fabric.model()).groupCosts(null);
        if (!costs.has(group)) {
            throw Failure.wrongUsage("fabric " + fabric.name() + " has no devices in group " + group
                    + "; 'kubectl fabric groups' lists the groups");
        }
        GroupCosts.Cost cost = costs.fromDevice(from.slot(), group);
        double mean = Math.round(100.0 * cost.mean()) / 100.0;
        return new CostCommand.GroupDocument(
                from.shownId(),
                group,
                fabric.name(),
                fabric.generation(),
                cost.reached() + cost.unreachable(),
                cost.minimum(),
                mean);
    }
}
