/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.numbering.Numbering;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The {@link Numbering} of the generation before, by the indexes of a topology. Numbers that no model can have given, such
 * as negative ones, are left out.
 *
 * @param addressOfSwitch empty where there was none of that many axes
 * @param groupOfSwitch -1 for none
 * @param addressOfEnd that of its switch; empty for unmanaged ends
 * @param planeOfEnd -1 for none
 * @param groupOfEnd -1 for none
 */
record PreviousNumbers(
        int[][] addressOfSwitch, int[] groupOfSwitch, int[][] addressOfEnd, int[] planeOfEnd, int[] groupOfEnd) {
    private static final int[] NONE = {};

    private static final int MAX_AXES = 64;

    /** New labels are the lowest free ones, so none is above the number of switches there were; more is damage. */
    private static final int MAX_LABEL = 1 << 16;

    /** The number of axes that most of a topology's switches had; 0 without any. */
    static int axes(Topology topology, Numbering previous) {
        int[] counts = new int[MAX_AXES + 1];
        for (int s = 0; s < topology.switches(); s++) {
            Numbering.OfSwitch place = previous.switches().get(topology.switchId(s));
            counts[place == null ? 0 : Math.min(place.logical().size(), MAX_AXES)]++;
        }
        int most = 0;
        for (int axes = 1; axes < MAX_AXES; axes++) {
            most = counts[axes] > 0 && (most == 0 || counts[axes] > counts[most]) ? axes : most;
        }
        return most;
    }

    static PreviousNumbers of(Topology topology, Numbering previous, int axes) {
        int switches = topology.switches();
        int ends = topology.ends();
        PreviousNumbers found = new PreviousNumbers(
                new int[switches][], new int[switches], new int[ends][], new int[ends], new int[ends]);
        for (int s = 0; s < switches; s++) {
            Numbering.OfSwitch place = previous.switches().get(topology.switchId(s));
            found.addressOfSwitch[s] = place == null ? NONE : address(place.logical(), axes, axes);
            found.groupOfSwitch[s] = place == null ? -1 : label(place.group());
        }
        Arrays.fill(found.addressOfEnd, NONE);
        Arrays.fill(found.planeOfEnd, -1);
        Arrays.fill(found.groupOfEnd, -1);
        for (int end = 0; end < topology.managedEnds(); end++) {
            Numbering.OfDevice place = previous.devices().get(new PortPeer(topology.endId(end), topology.endPort(end)));
            if (place != null) {
                found.addressOfEnd[end] = address(place.logical(), axes + 1, axes);
                found.planeOfEnd[end] = plane(place.plane());
                found.groupOfEnd[end] = label(place.group());
            }
        }
        return found;
    }

    /** Whether every switch that has an address now, and had one, has the same. */
    boolean haveNotMoved(Classification now) {
        for (int s = 0; s < addressOfSwitch.length; s++) {
            int[] was = addressOfSwitch[s];
            for (int axis = 0; axis < was.length; axis++) {
                boolean same =
                        axis < now.axes().length && (now.axes()[axis][s] < 0 || now.axes()[axis][s] == was[axis]);
                if (!same) {
                    return false;
                }
            }
        }
        return true;
    }

    private static int[] address(List<Integer> logical, int length, int axes) {
        if (logical.size() != length) {
            return NONE;
        }
        int[] address = new int[axes];
        for (int axis = 0; axis < axes; axis++) {
            address[axis] = label(logical.get(axis));
            if (address[axis] < 0) {
                return NONE;
            }
        }
        return address;
    }

    private static int label(@Nullable Integer number) {
        return number == null || number < 0 || number > MAX_LABEL ? -1 : number;
    }

    /** A plane that a person named is none of ours. */
    static int plane(String id) {
        boolean number = !id.isEmpty() && id.length() <= 3 && id.chars().allMatch(c -> c >= '0' && c <= '9');
        return number ? Integer.parseInt(id) : -1;
    }
}
