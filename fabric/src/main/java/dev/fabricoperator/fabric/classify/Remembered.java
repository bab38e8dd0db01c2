/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.memory.DeviceMemory;
import dev.fabricoperator.fabric.memory.Memory;
import dev.fabricoperator.fabric.memory.SwitchMemory;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Memory} by the indexes of a topology. Labels that no fabric can have given, such as negative ones, are not
 * remembered.
 *
 * @param addressOfSwitch empty where none of that many axes is remembered
 * @param groupOfSwitch -1 for none
 * @param addressOfEnd that of its switch; empty for unmanaged ends
 * @param planeOfEnd -1 for none
 * @param groupOfEnd -1 for none
 */
record Remembered(
        int[][] addressOfSwitch, int[] groupOfSwitch, int[][] addressOfEnd, int[] planeOfEnd, int[] groupOfEnd) {
    private static final int[] NONE = {};

    private static final int MAX_AXES = 64;

    /** New labels are the lowest free ones, so none is above the number of switches there were; more is damage. */
    private static final int MAX_LABEL = 1 << 16;

    /** The number of axes that most of a topology's switches have in a memory; 0 without any. */
    static int axes(Topology topology, Memory memory) {
        int[] votes = new int[MAX_AXES + 1];
        for (int s = 0; s < topology.switches(); s++) {
            SwitchMemory place = memory.switches().get(topology.switchId(s));
            votes[place == null ? 0 : Math.min(place.logical().size(), MAX_AXES)]++;
        }
        int most = 0;
        for (int axes = 1; axes < MAX_AXES; axes++) {
            most = votes[axes] > 0 && (most == 0 || votes[axes] > votes[most]) ? axes : most;
        }
        return most;
    }

    static Remembered of(Topology topology, Memory memory, int axes) {
        int switches = topology.switches();
        int ends = topology.ends();
        Remembered found =
                new Remembered(new int[switches][], new int[switches], new int[ends][], new int[ends], new int[ends]);
        for (int s = 0; s < switches; s++) {
            SwitchMemory place = memory.switches().get(topology.switchId(s));
            found.addressOfSwitch[s] = place == null ? NONE : address(place.logical(), axes, axes);
            found.groupOfSwitch[s] = place == null ? -1 : label(place.group());
        }
        Arrays.fill(found.addressOfEnd, NONE);
        Arrays.fill(found.planeOfEnd, -1);
        Arrays.fill(found.groupOfEnd, -1);
        for (int end = 0; end < topology.managedEnds(); end++) {
            DeviceMemory place = memory.devices().get(new PortPeer(topology.endId(end), topology.endPort(end)));
            if (place != null) {
                found.addressOfEnd[end] = address(place.logical(), axes + 1, axes);
                found.planeOfEnd[end] = plane(place.plane());
                found.groupOfEnd[end] = label(place.group());
            }
        }
        return found;
    }

    /** Whether every switch that has an address now, and had one, has the same. */
    boolean allStand(Classification now) {
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
    private static int plane(String id) {
        boolean number = !id.isEmpty() && id.length() <= 3 && id.chars().allMatch(c -> c >= '0' && c <= '9');
        return number ? Integer.parseInt(id) : -1;
    }
}
