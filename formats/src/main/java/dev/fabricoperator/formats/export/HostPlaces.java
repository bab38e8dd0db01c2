/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.export;

import dev.fabricoperator.fabric.cabling.NodeId;
import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.classify.DeviceUse;
import dev.fabricoperator.fabric.classify.HostEnd;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One place for each host: the switch of its device on the plane, of several there the one that {@link HostEnd} says. A host whose device there is gone is where the
 * hosts are with which it shares a switch of another plane.
 *
 * @param switchOf by host; in the order of devices
 * @param groupOf by host, but those that serve all others, such as servers of storage
 * @param astray hosts with a cable that have no place on the plane
 * @param spread hosts with devices at several switches of the plane
 */
record HostPlaces(Map<String, Integer> switchOf, Map<String, Integer> groupOf, int astray, int spread) {

    static HostPlaces of(Topology topology, Classification classification, int plane, SlurmNames names) {
        Map<String, Integer> switchOf = new LinkedHashMap<>();
        Map<String, Integer> groupOf = new LinkedHashMap<>();
        Set<String> spread = new HashSet<>();
        Map<String, List<Integer>> endsOfHost = new LinkedHashMap<>();
        String[] hosts = new String[topology.ends()];
        for (int end = 0; end < hosts.length; end++) {
            int at = topology.endSwitch(end);
            hosts[end] = host(topology, end, names);
            boolean serves = classification.useOfEnd()[end] == DeviceUse.Service;
            if (at >= 0 && !serves && classification.groupOfEnd()[end] >= 0) {
                groupOf.putIfAbsent(hosts[end], classification.groupOfEnd()[end]);
            }
            boolean tells = at >= 0 && classification.tellsPlace(end);
            if (tells && classification.planeOfEnd()[end] == plane) {
                List<Integer> ends = endsOfHost.computeIfAbsent(hosts[end], h -> new ArrayList<>(1));
                if (!ends.isEmpty() && topology.endSwitch(ends.getFirst()) != at) {
                    spread.add(hosts[end]);
                }
                ends.add(end);
            }
        }
        HostEnd hostEnd = new HostEnd(topology, classification);
        endsOfHost.forEach((host, ends) -> switchOf.put(host, topology.endSwitch(hostEnd.of(ends))));
        Map<Integer, Integer> neighborsPlace = new HashMap<>();
        for (int end = 0; end < hosts.length; end++) {
            Integer place = switchOf.get(hosts[end]);
            if (place != null && topology.endSwitch(end) >= 0 && classification.tellsPlace(end)) {
                neighborsPlace.putIfAbsent(topology.endSwitch(end), place);
            }
        }
        Set<String> astray = new HashSet<>();
        for (int end = 0; end < hosts.length; end++) {
            int at = topology.endSwitch(end);
            if (at >= 0 && classification.tellsPlace(end) && !switchOf.containsKey(hosts[end])) {
                Integer place = neighborsPlace.get(at);
                if (place == null) {
                    astray.add(hosts[end]);
                } else {
                    switchOf.put(hosts[end], place);
                    astray.remove(hosts[end]);
                }
            }
        }
        return new HostPlaces(switchOf, groupOf, astray.size(), spread.size());
    }

    /** A device whose host nobody knows stands for itself, as InfiniBand's own tools have it. */
    private static String host(Topology topology, int end, SlurmNames names) {
        String host = topology.endHost(end);
        if (host != null) {
            return names.host(host);
        }
        String id = topology.endId(end);
        return names.host(NodeId.guid(id) == null ? id : "H-" + id);
    }
}
