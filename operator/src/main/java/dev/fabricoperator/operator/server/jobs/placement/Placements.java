/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.placement;

import dev.fabricoperator.crds.JobChannel;
import dev.fabricoperator.crds.JobPlacementStatus;
import dev.fabricoperator.crds.JobPlacementStatusBuilder;
import dev.fabricoperator.fabric.job.BestPlacement;
import dev.fabricoperator.fabric.job.PartCosts;
import dev.fabricoperator.fabric.job.PlacementCost;
import dev.fabricoperator.operator.server.jobs.status.Placement;
import dev.fabricoperator.operator.server.served.ServedFabric;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the placement of a job costs, and what the best would. */
final class Placements {
    private Placements() {}

    /**
     * @param pods in the order of their ranks
     * @param channels of the job, with their levels
     * @param nvlink the fabric of the nodes' accelerators, which is in their costs; {@code null} for none
     */
    static Placement of(ServedFabric fabric, PartCosts pods, @Nullable ServedFabric nvlink, List<JobChannel> channels) {
        return new Placement(fabric.name(), cost(fabric, pods, nvlink), channels);
    }

    private static @Nullable JobPlacementStatus cost(
            ServedFabric fabric, PartCosts pods, @Nullable ServedFabric nvlink) {
        PartCosts nodes = pods.only(pods.firstOfEachHost());
        PlacementCost here = PlacementCost.of(nodes);
        if (here.pairs() == 0) {
            return null;
        }
        PlacementCost best = BestPlacement.find(hosts(fabric, nvlink), nodes.parts());
        // The search is short, and what is there already may be better than what it finds.
        PlacementCost least = best.unreachable() > 0 || here.mean() <= best.mean() ? here : best;
        int[] order = new int[pods.parts()];
        Arrays.setAll(order, i -> i);
        return JobPlacementStatusBuilder.builder()
                .summary(number(here.mean()) + " (best " + number(least.mean()) + ")")
                .meanCost(rounded(here.mean()))
                .worstCost(here.worst())
                .bestMeanCost(rounded(least.mean()))
                .bestWorstCost(least.worst())
                .neighborCost(rounded(PlacementCost.betweenNeighbors(pods, order)))
                .build();
    }

    /** Every host that has a device in the fabric. */
    private static PartCosts hosts(ServedFabric fabric, @Nullable ServedFabric nvlink) {
        Map<String, List<Integer>> slotsOfHost = new LinkedHashMap<>();
        fabric.directory().devices().forEach((slot, device) -> {
            var place = fabric.model().device(slot);
            if (place != null && place.switchId() != null) {
                slotsOfHost
                        .computeIfAbsent(device.nodeName(), host -> new ArrayList<>())
                        .add(slot);
            }
        });
        int[] hosts = new int[slotsOfHost.size()];
        Arrays.setAll(hosts, i -> i);
        PartCosts ofNetwork = new PartCosts(
                fabric.cost(),
                hosts,
                slotsOfHost.values().stream()
                        .map(slots -> slots.stream().mapToInt(Integer::intValue).toArray())
                        .toList());
        return JobFrame.orByNvlink(ofNetwork, fabric, List.copyOf(slotsOfHost.keySet()), nvlink);
    }

    private static double rounded(double cost) {
        return Math.round(cost * 100) / 100.0;
    }

    private static String number(double cost) {
        return String.format(Locale.ROOT, cost < 100 ? "%.1f" : "%.0f", cost);
    }
}
