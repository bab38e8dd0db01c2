/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.topology;

import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.graph.Graph;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Switches, device ends and the cables between them, immutable and densely indexed.
 *
 * <p>Switches are numbered ascending by id. Device ends are numbered with the managed ones first, ascending by slot,
 * then those that only cables name, ascending by id and port. Both ends of a cable are merged; parallel cables are
 * kept; a cable of a switch to itself is counted and leads nowhere. The same cabling gives the same topology, whatever
 * the order of records. Speeds are in bits per second, 0 where nobody knows.
 *
 * <p>As a {@link Graph} its nodes are the switches.
 *
 * <p>Cost: O(p log p) time and O(p) space for p ports.
 */
public final class Topology implements Graph {
    private final TopologyBuilder.Wiring wiring;

    private Topology(TopologyBuilder.Wiring wiring) {
        this.wiring = wiring;
    }

    /**
     * @param vertices managed devices, each in a slot of its own
     * @throws IllegalArgumentException if two vertices share a slot, or a slot is negative
     */
    public static Topology of(Collection<Switch> switches, Collection<Vertex> vertices) {
        return new Topology(new TopologyBuilder(switches, vertices, List.of()).build());
    }

    /** Devices that are cabled to each other, and no switch. */
    public static Topology backToBack(Collection<Vertex> vertices, Collection<DirectCable> cables) {
        return new Topology(new TopologyBuilder(List.of(), vertices, cables).build());
    }

    /**
     * The same switches, ends and hosts, by the same indexes, without some of the cables.
     *
     * @param uncabled by device end, those that are to have no cable
     * @param alone by switch, those that are to have no cable to another switch
     */
    public Topology without(boolean[] uncabled, boolean[] alone) {
        return new Topology(wiring.without(uncabled, alone));
    }

    public int switches() {
        return wiring.switchIds().length;
    }

    public String switchId(int at) {
        return wiring.switchIds()[at];
    }

    /** What people call a switch: its name, or its id where it has none that is its own. */
    public String switchName(int at) {
        String name = wiring.switchNames()[at];
        return name == null ? wiring.switchIds()[at] : name;
    }

    /** -1 for an id that is no switch. */
    public int switchIndex(String id) {
        Integer at = wiring.switchIndex().get(id);
        return at == null ? -1 : at;
    }

    /** Number of switches. */
    @Override
    public int size() {
        return switches();
    }

    @Override
    public int firstNeighbor(int at) {
        return wiring.neighborOffsets()[at];
    }

    /** The switch at entry {@code i} of the neighbours. */
    @Override
    public int neighbor(int i) {
        return wiring.neighbors()[i];
    }

    /** Speed of the fastest of the parallel cables to the neighbour at entry {@code i}. */
    public long neighborSpeed(int i) {
        return wiring.neighborSpeeds()[i];
    }

    /** Number of parallel cables to the neighbour at entry {@code i}. */
    public int neighborCables(int i) {
        return firstCable(i + 1) - firstCable(i);
    }

    /** Parallel cables to the neighbour at entry {@code i} are this to {@code firstCable(i + 1)} exclusive. */
    public int firstCable(int i) {
        return wiring.cableOffsets()[i];
    }

    /** The near port of a cable, seen from the switch in whose row it stands. */
    public int cablePort(int cable) {
        return wiring.cablePorts()[cable];
    }

    /** The far port of a cable; 0 where nobody knows. */
    public int cableFarPort(int cable) {
        return wiring.cableFarPorts()[cable];
    }

    /** Speed of a cable, the lower one where its ends disagree. */
    public long cableSpeed(int cable) {
        return wiring.cableSpeeds()[cable];
    }

    /** Cables between switches, also of a switch to itself, those to devices and between devices, each counted once. */
    public int links() {
        return wiring.links();
    }

    /** Whether its switches are {@link dev.fabricoperator.fabric.cabling.NvlinkClique}s, which nothing joins. */
    public boolean isOfCliques() {
        return wiring.areCliques();
    }

    /** Highest slot in use + 1. */
    public int slots() {
        return wiring.endOfSlot().length;
    }

    /** The device end in a slot; -1 for an empty one. */
    public int endOfSlot(int slot) {
        return wiring.endOfSlot()[slot];
    }

    public int ends() {
        return wiring.endIds().length;
    }

    /** Ends below this number are those of managed devices. */
    public int managedEnds() {
        return wiring.managedEnds();
    }

    /** Node GUID, else {@code host/osName}. */
    public String endId(int end) {
        return wiring.endIds()[end];
    }

    public int endPort(int end) {
        return wiring.endPorts()[end];
    }

    public @Nullable String endHost(int end) {
        return wiring.endHosts()[end];
    }

    /** What somebody said of a device. */
    public Vertex.Use endUse(int end) {
        return wiring.endUses()[end];
    }

    /** Known hosts that own a device end. */
    public int hosts() {
        return wiring.hosts().count();
    }

    /** Number of the host that owns a device end, from 0 in the order of the ends; -1 where nobody knows it. */
    public int endHostNumber(int end) {
        return wiring.hosts().ofEnd()[end];
    }

    public @Nullable String endOsName(int end) {
        return wiring.endOsNames()[end];
    }

    /** The switch that holds a device end; -1 without a cable. */
    public int endSwitch(int end) {
        return wiring.endSwitches()[end];
    }

    /** The port of the switch that holds a device end; -1 without a cable. */
    public int endSwitchPort(int end) {
        return wiring.endSwitchPorts()[end];
    }

    /** Speed of a device end's cable. */
    public long endSpeed(int end) {
        return wiring.endSpeeds()[end];
    }

    /** What cannot be as records say, at most 1000; in no order that means something. */
    public List<TopologyProblem> problems() {
        return wiring.problems();
    }
}
