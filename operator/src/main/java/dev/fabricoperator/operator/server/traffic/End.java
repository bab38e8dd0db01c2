/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.operator.server.served.ServedFabric;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A port of a switch. */
record End(String switchId, int port) {
    /**
     * One as the map has it.
     *
     * @param name of the switch
     * @param peer what stands at the other end
     */
    record Known(@Nullable String name, @Nullable String peer) {}

    /** All of a fabric. O(ports). */
    static Map<End, Known> known(ServedFabric fabric) {
        Map<String, Switch> switches = new HashMap<>();
        fabric.parts().switches().forEach(each -> switches.put(each.id(), each));
        Map<End, Known> known = new HashMap<>();
        for (Switch each : switches.values()) {
            for (SwitchPort port : each.ports()) {
                known.put(
                        new End(each.id(), port.number()),
                        new Known(fabric.switchName(each.id()), peer(fabric, switches, port)));
            }
        }
        return known;
    }

    private static @Nullable String peer(ServedFabric fabric, Map<String, Switch> switches, SwitchPort port) {
        PortPeer peer = port.peer();
        if (peer == null) {
            return null;
        }
        String name;
        if (switches.containsKey(peer.id())) {
            name = Objects.requireNonNullElse(fabric.switchName(peer.id()), peer.id());
        } else if (port.peerHost() == null) {
            name = peer.id();
        } else {
            name = port.peerHost() + (port.peerOsName() == null ? "" : " " + port.peerOsName());
        }
        return name + " port " + peer.port();
    }
}
