/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A topology and what is known about it, with the words that findings share.
 *
 * @param usedPorts by switch, its ports that have a cable
 */
record ClassifiedTopology(
        Topology topology, Classification classification, GroupNames names, List<Set<Integer>> usedPorts) {
    /** Share of the peers from which on what they have in common is a pattern. */
    static final double PATTERN = 0.75;

    /** Characters of names within a sentence. */
    private static final int LONGEST_LIST = 200;

    static ClassifiedTopology of(Topology topology, Classification classification) {
        return new ClassifiedTopology(
                topology, classification, GroupNames.of(topology, classification), usedPorts(topology));
    }

    /** Once for all findings, of which there may be thousands: O(cables). */
    private static List<Set<Integer>> usedPorts(Topology topology) {
        List<Set<Integer>> used = new ArrayList<>();
        for (int at = 0; at < topology.switches(); at++) {
            Set<Integer> ports = new HashSet<>();
            int last = topology.firstCable(topology.firstNeighbor(at + 1));
            for (int cable = topology.firstCable(topology.firstNeighbor(at)); cable < last; cable++) {
                ports.add(topology.cablePort(cable));
            }
            used.add(ports);
        }
        for (int end = 0; end < topology.ends(); end++) {
            if (topology.endSwitch(end) >= 0) {
                used.get(topology.endSwitch(end)).add(topology.endSwitchPort(end));
            }
        }
        return used;
    }

    int level(int at) {
        return classification.levelOfSwitch()[at];
    }

    int group(int at) {
        return classification.groupOfSwitch()[at];
    }

    /** The first switch's side of each cable between two switches, and one side only. */
    boolean first(int at, int neighbor) {
        return at < neighbor;
    }

    Finding.Place place(int at, int port) {
        return new Finding.Place(topology.switchId(at), topology.switchName(at), port);
    }

    Finding.Place place(int at) {
        return place(at, 0);
    }

    /** What follows a count of switches: which ones these are, as a list that shows gaps; nothing where it would be long. */
    String which(List<Integer> switches) {
        String names =
                HostList.compress(switches.stream().map(topology::switchName).toList());
        return names.length() > LONGEST_LIST ? "" : ", " + names;
    }

    List<Finding.Place> places(List<Integer> switches) {
        return switches.stream().map(this::place).toList();
    }

    /**
     * Cables that two switches lack between them, with the ports that they would be at where the wiring tells.
     *
     * @param cables that are there
     */
    Finding missingLinks(int one, int other, int cables, long expected) {
        // From below, where a person who follows a cable from a host comes from.
        int at = level(one) <= level(other) ? one : other;
        int far = at == one ? other : one;
        int missing = (int) expected - cables;
        int[] near = freePorts(at, far, missing);
        int[] there = freePorts(far, at, missing);
        List<Finding.Place> places = new ArrayList<>();
        for (int i = 0; i < Math.max(1, Math.max(near.length, there.length)); i++) {
            places.add(place(at, i < near.length ? near[i] : 0));
            places.add(place(far, i < there.length ? there[i] : 0));
        }
        return new Finding(
                FindingType.MissingUplink,
                topology.switchId(at) + " to " + topology.switchId(far),
                words(at, near) + " to " + words(far, there) + ": " + cables + " of " + expected
                        + (expected == 1 ? " link" : " links"),
                places,
                List.of());
    }

    private String words(int at, int[] ports) {
        if (ports.length == 0) {
            return topology.switchName(at);
        }
        return topology.switchName(at)
                + (ports.length == 1 ? " port " : " ports ")
                + Arrays.stream(ports).mapToObj(String::valueOf).collect(Collectors.joining(","));
    }

    /**
     * Ports by which most switches of a switch's level are cabled to another one, and which are free at this switch: where the
     * missing cables belong. Ascending.
     *
     * @param most of them
     */
    private int[] freePorts(int at, int far, int most) {
        Map<Integer, Integer> uses = new TreeMap<>();
        int peers = 0;
        for (int n = topology.firstNeighbor(far); n < topology.firstNeighbor(far + 1); n++) {
            if (topology.neighbor(n) != at && level(topology.neighbor(n)) == level(at)) {
                peers++;
                for (int cable = topology.firstCable(n); cable < topology.firstCable(n + 1); cable++) {
                    uses.merge(topology.cableFarPort(cable), 1, Integer::sum);
                }
            }
        }
        double usual = PATTERN * peers;
        boolean enough = peers >= 2;
        return uses.entrySet().stream()
                .filter(use -> enough
                        && use.getKey() > 0
                        && use.getValue() >= usual
                        && !usedPorts.get(at).contains(use.getKey()))
                .mapToInt(Map.Entry::getKey)
                .limit(most)
                .toArray();
    }
}
