/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.SwitchPortBuilder;
import dev.fabricoperator.fabric.device.PortState;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Links that go up and down are held down: their cables stay where they are, and carry nothing. */
public final class Damping {
    private Damping() {}

    /**
     * The switches with the damped ports, and the ports at the far ends of their cables, down.
     *
     * @param damped switch id and port
     * @param switches by id; not changed
     */
    public static SortedMap<String, Switch> without(Set<PortPeer> damped, SortedMap<String, Switch> switches) {
        if (damped.isEmpty()) {
            return switches;
        }
        Set<PortPeer> down = new HashSet<>(damped);
        Set<String> touched = new TreeSet<>();
        for (PortPeer end : damped) {
            Switch near = switches.get(end.id());
            if (near != null) {
                touched.add(end.id());
                for (SwitchPort port : near.ports()) {
                    PortPeer peer = port.peer();
                    if (port.number() == end.port() && peer != null && switches.containsKey(peer.id())) {
                        down.add(peer);
                        touched.add(peer.id());
                    }
                }
            }
        }
        SortedMap<String, Switch> result = new TreeMap<>(switches);
        touched.forEach(id -> result.computeIfPresent(id, (i, present) -> down(present, down)));
        return result;
    }

    private static Switch down(Switch present, Set<PortPeer> down) {
        return SwitchBuilder.from(present)
                .withPorts(present.ports().stream()
                        .map(port -> down.contains(new PortPeer(present.id(), port.number()))
                                ? SwitchPortBuilder.from(port).withState(PortState.Down)
                                : port)
                        .toList());
    }
}
