/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.placement;

import dev.fabricoperator.fabric.job.PartOrder;
import dev.fabricoperator.operator.server.served.ServedDevice;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
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

    /** @return host names; in their own order where no fabric has the nodes. O(devices of the nodes + nodes squared). */
    public static List<String> of(KnownFabrics known, List<PlacedHost> hosts) {
        List<String> nodes = hosts.stream().map(PlacedHost::node).toList();
        NodeDevices published = new NodeDevices(known, new HashSet<>(nodes));
        List<List<ServedDevice>> devices = nodes.stream().map(published::of).toList();
        JobFrame frame = JobFrame.of(
                known, devices.stream().flatMap(List::stream).distinct().toList());
        Stream<PlacedHost> ordered = frame == null
                ? hosts.stream()
                : Arrays.stream(PartOrder.of(frame.costs(nodes, devices))).mapToObj(hosts::get);
        return ordered.map(PlacedHost::host).toList();
    }
}
