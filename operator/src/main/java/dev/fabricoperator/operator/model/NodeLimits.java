/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.operator.cluster.DeviceFacts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * How much the devices of one node may cost all others: whoever has an agent's token can publish as many as it likes, each in a
 * subnet of its own, and a pass of the model is for everybody.
 *
 * <p>The API server can bound what one object says and not how many there are; so what is made of them leaves out what is beyond.
 */
public final class NodeLimits {
    /** Several times what a node has: 16 adapters with 62 virtual functions each are 1,008. */
    public static final int DEVICES = 1024;

    /** Fabrics that are made for devices of one node alone: one for each adapter of the largest nodes, and as many again. */
    static final int FABRICS_OF_NODE = 32;

    /** Fabrics that are made without a person: one for each leaf and rail of a large site, of which no source knows a cable. */
    static final int FABRICS = 2048;

    /** How many of these are there for devices of several nodes only, however many nodes make some of their own. */
    static final int SHARED_FABRICS = FABRICS / 4;

    private final Map<String, Integer> counts = new HashMap<>();
    private final Set<String> beyond = new HashSet<>();

    /** @param isMember whether a device counts already, such as one that is in a Fabric: it stays, whatever comes beside it */
    public NodeLimits(List<DeviceFacts> devices, Predicate<DeviceFacts> isMember) {
        for (DeviceFacts device : devices) {
            counts.merge(device.nodeName(), 1, Integer::sum);
        }
        Map<String, List<DeviceFacts>> ofLargeNodes = new HashMap<>();
        for (DeviceFacts device : devices) {
            if (count(device) > DEVICES) {
                ofLargeNodes
                        .computeIfAbsent(device.nodeName(), n -> new ArrayList<>())
                        .add(device);
            }
        }
        for (List<DeviceFacts> ofNode : ofLargeNodes.values()) {
            ofNode.sort(Comparator.comparing((DeviceFacts device) -> !isMember.test(device))
                    .thenComparing(DeviceFacts::createdAt)
                    .thenComparing(DeviceFacts::name));
            ofNode.stream().skip(DEVICES).map(DeviceFacts::name).forEach(beyond::add);
        }
    }

    /** Whether the node has enough devices that were there before this one. */
    public boolean isBeyond(DeviceFacts device) {
        return !beyond.isEmpty() && beyond.contains(device.name());
    }

    /** Devices of the device's node. */
    int count(DeviceFacts device) {
        return counts.getOrDefault(device.nodeName(), 0);
    }
}
