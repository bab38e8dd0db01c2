/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.served;

import dev.fabricoperator.fabric.model.DevicePosition;
import dev.fabricoperator.fabric.query.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The ways of packets between some devices of one fabric: from each switch that has some of them to each device at another switch. Where a packet goes depends on the switch that it is
 * at and on its destination, and on nothing else.
 */
public final class Ways {
    private final ServedFabric fabric;
    private final SortedMap<String, List<Integer>> slotsOfSwitch = new TreeMap<>();
    private final SortedSet<Integer> slots = new TreeSet<>();

    /** Takes one way after the other. */
    @FunctionalInterface
    public interface Visitor {
        /**
         * @param from slots of the devices at the switch where it begins
         * @param to slot of the device where it ends
         */
        void way(List<Integer> from, int to, Path path);
    }

    /** @param slots of devices; those without a switch are left out */
    public Ways(ServedFabric fabric, Collection<Integer> slots) {
        this.fabric = fabric;
        for (int slot : slots) {
            DevicePosition place = fabric.model().device(slot);
            if (place != null && place.switchId() != null && this.slots.add(slot)) {
                slotsOfSwitch
                        .computeIfAbsent(place.switchId(), each -> new ArrayList<>())
                        .add(slot);
            }
        }
    }

    /** At most so many. Without forwarding tables each is a search through the fabric. */
    public long number() {
        return (long) slotsOfSwitch.size() * slots.size();
    }

    public void forEach(Visitor visitor) {
        slotsOfSwitch.forEach((at, from) -> {
            for (int to : slots) {
                Path path = from.contains(to) ? null : fabric.query().path(from.getFirst(), to);
                if (path != null) {
                    visitor.way(from, to, path);
                }
            }
        });
    }
}
