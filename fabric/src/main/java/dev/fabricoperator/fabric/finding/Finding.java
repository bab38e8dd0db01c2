/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.cabling.NaturalOrder;
import java.util.Comparator;
import java.util.List;

/**
 * One thing to look at.
 *
 * @param object what it is about: a switch's id, {@code id port n} of a link, two switches as {@code id to id}, a device end, or
 *     hosts as a host list
 * @param message the whole sentence, with the names that people use and the numbers that were found and expected
 * @param places where to walk to: the switches, those of a link one behind the other
 * @param hosts that it concerns, ascending; of a missing switch those that lack a device because of it
 */
public record Finding(FindingType type, String object, String message, List<Place> places, List<String> hosts)
        implements Comparable<Finding> {
    private static final Comparator<Finding> ORDER = Comparator.comparing(Finding::type)
            .thenComparing(Finding::message, NaturalOrder.INSTANCE)
            .thenComparing(Finding::object);

    /**
     * A switch, or a port of one.
     *
     * @param name what people call it; its id where it has no name of its own
     * @param port 0 for the switch as a whole, and where nobody knows
     */
    public record Place(String id, String name, int port) {
        String words() {
            return port > 0 ? name + " port " + port : name;
        }
    }

    public Finding {
        places = List.copyOf(places);
        hosts = List.copyOf(hosts);
    }

    Finding(FindingType type, String object, String message, Place... places) {
        this(type, object, message, List.of(places), List.of());
    }

    /** One that no switch is to be walked to for. */
    public Finding(FindingType type, String object, String message) {
        this(type, object, message, List.of(), List.of());
    }

    @Override
    public int compareTo(Finding other) {
        return ORDER.compare(this, other);
    }
}
