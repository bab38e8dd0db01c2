/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.operator.model.Flaps.Link;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Links that one of two switch maps has and the other has not. Cost: one comparison for each switch, and the ports of
 * those that changed; what did not change is mostly the same object.
 *
 * @param gained of switches that are in both maps, and of new ones
 * @param lost of switches that are in both maps, and of those that went
 * @param changedSwitches ids in both maps whose ports differ
 */
record CableDiff(Set<Link> gained, Set<Link> lost, Set<String> changedSwitches) {
    static CableDiff between(Map<String, Switch> before, Map<String, Switch> after) {
        Set<Link> then = new HashSet<>();
        Set<Link> now = new HashSet<>();
        Set<String> changed = new HashSet<>();
        before.forEach((id, old) -> {
            Switch present = after.get(id);
            if (present == null) {
                then.addAll(links(old));
            } else if (present != old && !present.ports().equals(old.ports())) {
                changed.add(id);
                then.addAll(links(old));
                now.addAll(links(present));
            }
        });
        after.forEach((id, present) -> {
            if (!before.containsKey(id)) {
                now.addAll(links(present));
            }
        });
        Set<Link> lost = new HashSet<>(then);
        lost.removeIf(link -> now.contains(link) || isSaid(link, after) && !hasGone(link, before, after));
        Set<Link> gained = new HashSet<>(now);
        gained.removeIf(link -> then.contains(link) || isSaid(link, before) && !hasGone(link, after, before));
        return new CableDiff(gained, lost, changed);
    }

    private static Set<Link> links(Switch fabricSwitch) {
        Set<Link> links = new HashSet<>();
        for (SwitchPort port : fabricSwitch.ports()) {
            PortPeer peer = port.peer();
            if (peer != null && port.state() != PortState.Down) {
                links.add(Link.of(new PortPeer(fabricSwitch.id(), port.number()), peer));
            }
        }
        return links;
    }

    /** Whether one of its switches is described no more: what the other one says of the cable leads nowhere. */
    private static boolean hasGone(Link link, Map<String, Switch> before, Map<String, Switch> after) {
        return hasGone(link.one(), before, after) || hasGone(link.other(), before, after);
    }

    private static boolean hasGone(PortPeer end, Map<String, Switch> before, Map<String, Switch> after) {
        return before.containsKey(end.id()) && !after.containsKey(end.id());
    }

    /** Whether a switch at either end still has the link. */
    private static boolean isSaid(Link link, Map<String, Switch> switches) {
        return isSaid(link.one(), link.other(), switches) || isSaid(link.other(), link.one(), switches);
    }

    private static boolean isSaid(PortPeer at, PortPeer peer, Map<String, Switch> switches) {
        Switch fabricSwitch = switches.get(at.id());
        return fabricSwitch != null
                && fabricSwitch.ports().stream()
                        .anyMatch(port -> port.number() == at.port()
                                && peer.equals(port.peer())
                                && port.state() != PortState.Down);
    }
}
