/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.fabric.cabling.PortPeer;
import java.util.List;
import java.util.Set;

/**
 * Links and ports that go up and down.
 *
 * @param links damped, in the order in which they began
 * @param devices names of FabricDevices whose port changes its state too often
 * @param notDamped links beyond the bound, which count as they are
 */
public record Flaps(List<Link> links, List<String> devices, int notDamped) {
    static final Flaps NONE = new Flaps(List.of(), List.of(), 0);

    /** A cable by its ends, the lower id first; one of them may be a device. */
    public record Link(PortPeer one, PortPeer other) {
        static Link of(PortPeer a, PortPeer b) {
            int order = a.id().compareTo(b.id());
            return order < 0 || (order == 0 && a.port() <= b.port()) ? new Link(a, b) : new Link(b, a);
        }

        @Override
        public String toString() {
            return one.id() + " port " + one.port() + " to " + other.id() + " port " + other.port();
        }
    }

    /** Ends of damped links that are a port of one of these switches. */
    Set<PortPeer> ports(Set<String> switches) {
        java.util.Set<PortPeer> ports = new java.util.HashSet<>();
        for (Link link : links) {
            if (switches.contains(link.one().id())) {
                ports.add(link.one());
            }
            if (switches.contains(link.other().id())) {
                ports.add(link.other());
            }
        }
        return ports;
    }
}
