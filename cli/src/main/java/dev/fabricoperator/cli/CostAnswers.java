/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.input.DeviceFinder;
import dev.fabricoperator.cli.input.FabricSet;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.FoundDevice;
import dev.fabricoperator.cli.input.FoundFabric;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.model.DevicePlace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Costs of more than a pair of devices and less than all. */
final class CostAnswers {
    private final FabricSet found;
    private final DeviceFinder finder;

    CostAnswers(FabricSet found, DeviceFinder finder) {
        this.found = found;
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
        for (FoundDevice one : first) {
            for (FoundDevice other : second) {
                int cost = cost(one, other);
                best = Math.min(best, cost);
                String plane = plane(one);
                if (plane != null && plane.equals(plane(other))) {
                    CostCommand.PlaneCost known = planes.get(plane);
                    if (known == null || cost < known.cost()) {
                        planes.put(plane, new CostCommand.PlaneCost(plane, cost, one.objectName(), other.objectName()));
                    }
                }
            }
        }
        FoundFabric fabric = first.getFirst().fabric();
        return new CostCommand.NodesDocument(
                from, to, fabric.name(), fabric.generation(), best, List.copyOf(planes.values()));
    }

    private static @Nullable String plane(FoundDevice device) {
        DevicePlace place = device.fabric().model().device(device.slot());
        return place == null ? null : place.plane();
    }

    CostCommand.GroupDocument toGroup(FoundDevice from, int group) throws Failure {
        int minimum = CostMatrix.UNREACHABLE;
        long sum = 0;
        int reached = 0;
        int devices = 0;
        for (FoundDevice to : found.devicesOf(from.fabric())) {
            DevicePlace place = from.fabric().model().device(to.slot());
            if (place != null && place.group() != null && place.group() == group) {
                int cost = cost(from, to);
                minimum = Math.min(minimum, cost);
                devices++;
                if (cost != CostMatrix.UNREACHABLE) {
                    sum += cost;
                    reached++;
                }
            }
        }
        if (devices == 0) {
            throw Failure.wrongUsage("fabric " + from.fabric().name() + " has no devices in group " + group
                    + "; 'kubectl fabric groups' lists the groups");
        }
        double mean = reached == 0 ? CostMatrix.UNREACHABLE : Math.round(100.0 * sum / reached) / 100.0;
        return new CostCommand.GroupDocument(
                from.shownId(), group, from.fabric().name(), from.fabric().generation(), devices, minimum, mean);
    }
}
