/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.placement;

import dev.fabricoperator.fabric.job.PartCosts;
import dev.fabricoperator.fabric.job.PartOrder;
import dev.fabricoperator.fabric.job.RankGroups;
import dev.fabricoperator.operator.server.served.ServedDevice;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The order in which the fabric has the hosts of a job that is started by ssh: the same as that of ranks in a direct launch. */
public final class HostOrder {
    private HostOrder() {}

    /**
     * A pod, whose devices are taken to be all of its node: nobody has said which ones it can open.
     *
     * @param host name that the pod gives itself
     */
    public record PlacedHost(String host, String node) {}

    /**
     * Each node is one part, however many pods are said to be on it.
     *
     * @param fabrics that the job names, the one to go by first; empty for none
     * @param podsOfAGroup pods that follow one another and are to be in one part of the fabric, 1 for none. They are where each node has as many pods as the next, and groups are of
     *     whole nodes
     * @return host names; in their own order where no fabric has the nodes, and behind all others those of nodes without devices. O(hosts + devices of
     *     the nodes squared).
     */
    public static List<String> of(KnownFabrics known, List<PlacedHost> hosts, List<String> fabrics, int podsOfAGroup) {
        Map<String, List<PlacedHost>> ofNode = hosts.stream()
                .collect(Collectors.groupingBy(PlacedHost::node, LinkedHashMap::new, Collectors.toList()));
        NodeDevices published = new NodeDevices(known, ofNode.keySet());
        List<String> nodes = ofNode.keySet().stream()
                .filter(node -> !published.of(node).isEmpty())
                .toList();
        List<List<ServedDevice>> devices = nodes.stream().map(published::of).toList();
        List<JobFrame> frames = JobFrame.all(
                known, devices.stream().flatMap(List::stream).distinct().toList(), fabrics);
        if (frames.isEmpty()) {
            return hosts.stream().map(PlacedHost::host).toList();
        }
        PartCosts costs = frames.getFirst().costs(nodes, devices, known.nvlink());
        int[] podsOfNode = nodes.stream()
                .mapToInt(node -> ofNode.getOrDefault(node, List.of()).size())
                .distinct()
                .toArray();
        int nodesOfAGroup =
                podsOfNode.length == 1 && podsOfAGroup % podsOfNode[0] == 0 ? podsOfAGroup / podsOfNode[0] : 1;
        Stream<PlacedHost> ordered = Arrays.stream(RankGroups.of(costs, PartOrder.of(costs), nodesOfAGroup))
                .mapToObj(nodes::get)
                .flatMap(node -> ofNode.getOrDefault(node, List.of()).stream());
        Stream<PlacedHost> others =
                hosts.stream().filter(host -> published.of(host.node()).isEmpty());
        return Stream.concat(ordered, others).map(PlacedHost::host).toList();
    }
}
