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
import org.jspecify.annotations.Nullable;

/**
 * The ways of packets between some devices of one fabric: from each switch that has some of them to each device at another switch. Where a packet goes depends on the switch that it is
 * at and on its destination, and on nothing else.
 */
public final class Ways {
    private final ServedFabric fabric;
    private final SortedMap<String, List<Integer>> slotsOfSwitch = new TreeMap<>();
    private final SortedSet<Integer> slots = new TreeSet<>();

    /** Of the search for a cheapest path, where that of following forwarding tables is 1. */
    public static final int EFFORT_OF_SEARCH = 400;

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

    /**
     * What it has taken to find a way: where forwarding tables do not tell it, a search through the fabric.
     *
     * @param path {@code null} for none
     */
    public static int effort(@Nullable Path path) {
        return path != null && path.basis() == Path.Basis.routes ? 1 : EFFORT_OF_SEARCH;
    }

    /** At most so many. Without forwarding tables each is a search through the fabric. */
    public long number() {
        return (long) slotsOfSwitch.size() * slots.size();
    }

    /** The effort of all of them, as far as it is known before. */
    public long effort() {
        return fabric.query().routes() == null ? number() * EFFORT_OF_SEARCH : number();
    }

    public void forEach(Visitor visitor) {
        forEach(Long.MAX_VALUE, visitor);
    }

    /**
     * As far as there is room.
     *
     * @return what is left of it, negative where some ways were left out
     */
    public long forEach(long mostEffort, Visitor visitor) {
        long room = mostEffort;
        for (List<Integer> from : slotsOfSwitch.values()) {
            for (int to : slots) {
                if (!from.contains(to)) {
                    Path path = fabric.query().path(from.getFirst(), to);
                    room -= effort(path);
                    if (room < 0) {
                        return room;
                    }
                    if (path != null) {
                        visitor.way(from, to, path);
                    }
                }
            }
        }
        return room;
    }
}
