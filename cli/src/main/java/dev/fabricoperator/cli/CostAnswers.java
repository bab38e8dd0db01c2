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
import dev.fabricoperator.crds.answer.BlockAnswer;
import dev.fabricoperator.crds.answer.GroupCostAnswer;
import dev.fabricoperator.crds.answer.NodesCostAnswer;
import dev.fabricoperator.fabric.cost.CostMatrix;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Costs of more than a pair of devices and less than all. */
final class CostAnswers {
    private final FabricSet found;
    private final DeviceFinder finder;
    private final @Nullable String fabricName;

    /** @param fabricName which fabric hosts are asked about; {@code null} for the first one that all of them are on */
    CostAnswers(FabricSet found, @Nullable String fabricName) {
        this.found = found;
        this.fabricName = fabricName;
        finder = new DeviceFinder(found.devices());
    }

    BlockAnswer block(List<String> rows, List<String> cols) throws Failure {
        List<FoundDevice> from = all(rows);
        List<FoundDevice> to = all(cols);
        List<List<Integer>> costs = new ArrayList<>();
        for (FoundDevice one : from) {
            costs.add(to.stream().map(other -> cost(one, other)).toList());
        }
        FoundFabric fabric = from.getFirst().fabric();
        return new BlockAnswer(
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

    /** Between two hosts of one fabric. */
    NodesCostAnswer nodes(String from, String to) throws Failure {
        List<List<FoundDevice>> hosts = hostsOf(List.of(from, to));
        FoundFabric fabric = fabricOf(hosts);
        return NodesCostAnswer.of(
                found.named(fabric), from, slots(fabric, hosts.getFirst()), to, slots(fabric, hosts.getLast()));
    }

    /** Best pairs of hosts of one fabric, each with each. */
    BlockAnswer hosts(List<String> names) throws Failure {
        List<List<FoundDevice>> hosts = hostsOf(names);
        FoundFabric fabric = fabricOf(hosts);
        int[][] slots = hosts.stream().map(host -> slots(fabric, host)).toArray(int[][]::new);
        return BlockAnswer.ofNodes(found.named(fabric), names, slots);
    }

    private List<List<FoundDevice>> hostsOf(List<String> names) throws Failure {
        List<List<FoundDevice>> hosts = new ArrayList<>();
        for (String name : names) {
            hosts.add(finder.findAll(name));
        }
        return hosts;
    }

    /** Costs compare within one fabric only. Hosts that share none are asked about in the first one's. */
    private FoundFabric fabricOf(List<List<FoundDevice>> hosts) throws Failure {
        if (fabricName != null) {
            return found.choose(fabricName);
        }
        for (FoundFabric fabric : found.fabrics()) {
            if (hosts.stream().allMatch(host -> slots(fabric, host).length > 0)) {
                return fabric;
            }
        }
        return hosts.getFirst().getFirst().fabric();
    }

    private static int[] slots(FoundFabric fabric, List<FoundDevice> devices) {
        return devices.stream()
                .filter(device -> device.fabric() == fabric)
                .mapToInt(FoundDevice::slot)
                .toArray();
    }

    GroupCostAnswer toGroup(FoundDevice from, int group) throws Failure {
        FoundFabric fabric = from.fabric();
        GroupCostAnswer answer = GroupCostAnswer.of(found.named(fabric), from.slot(), group, null);
        if (answer == null) {
            throw Failure.wrongUsage("fabric " + fabric.name() + " has no devices in group " + group
                    + "; 'kubectl fabric groups' lists the groups");
        }
        return answer;
    }
}
