/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import dev.fabricoperator.fabric.device.NumaDistance;
import dev.fabricoperator.fabric.discovery.AttributeReader.Garbled;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * NUMA nodes of a host, their CPUs and distances.
 *
 * <p>Node ids may be sparse (POWER9: 0, 8, 250 to 255) and nodes may have memory only. Column i of a distance row is
 * the i-th <em>online</em> node, ascending.
 *
 * @see "Linux Documentation/ABI/stable/sysfs-devices-node"
 */
final class NumaTopology {

    private static final String ROOT = "/sys/devices/system/node";
    private static final int LOCAL = 10;

    private final List<Integer> nodes;
    private final Map<Integer, int[]> rows;
    private final SortedMap<Integer, BitSet> cpus;

    private NumaTopology(List<Integer> nodes, Map<Integer, int[]> rows, SortedMap<Integer, BitSet> cpus) {
        this.nodes = nodes;
        this.rows = rows;
        this.cpus = cpus;
    }

    static NumaTopology read(AttributeReader reader) {
        List<Integer> present = new ArrayList<>();
        for (String name : reader.names(ROOT)) {
            if (name.matches("node[0-9]{1,5}")) {
                present.add(Integer.parseInt(name.substring(4)));
            }
        }
        present.sort(null);
        BitSet online = reader.parsed(ROOT + "/online", SysfsValues::numberList);
        List<Integer> nodes = online == null ? present : online.stream().boxed().toList();
        Map<Integer, int[]> rows = new TreeMap<>();
        SortedMap<Integer, BitSet> cpus = new TreeMap<>();
        for (int node : present) {
            String directory = ROOT + "/node" + node;
            int[] row = reader.parsed(directory + "/distance", line -> row(line, nodes.size()));
            if (row != null) {
                rows.put(node, row);
            }
            BitSet list = reader.parsed(directory + "/cpulist", SysfsValues::numberList);
            if (list != null) {
                cpus.put(node, list);
            }
        }
        return new NumaTopology(nodes, rows, cpus);
    }

    private static int[] row(String line, int columns) throws Garbled {
        String[] parts = line.split("\\s+");
        if (parts.length != columns) {
            throw new Garbled(parts.length + " distances for " + columns + " online NUMA nodes");
        }
        int[] row = new int[parts.length];
        for (int i = 0; i < parts.length; i++) {
            row[i] = SysfsValues.decimal(parts[i]);
            if (row[i] < 0 || row[i] > 0xffff) {
                throw new Garbled("not a distance: " + SysfsValues.quoted(parts[i]));
            }
        }
        return row;
    }

    int size() {
        return nodes.size();
    }

    /** Nodes that hold any of the CPUs. */
    List<Integer> nodesOf(BitSet ofCpus) {
        return cpus.entrySet().stream()
                .filter(e -> e.getValue().intersects(ofCpus))
                .map(Map.Entry::getKey)
                .toList();
    }

    /**
     * Why a device's list of local CPUs contradicts its NUMA node, or null. CPUs outside the node contradict it; a
     * node without CPUs and an empty list do not.
     */
    @Nullable
    String contradiction(int node, BitSet localCpus) {
        BitSet own = cpus.get(node);
        if (own == null || own.isEmpty() || localCpus.isEmpty()) {
            return null;
        }
        BitSet outside = (BitSet) localCpus.clone();
        outside.andNot(own);
        if (outside.isEmpty()) {
            return null;
        }
        return "names CPUs of NUMA nodes " + nodesOf(localCpus) + ", numa_node says " + node;
    }

    /**
     * Distances from a device to every node, ascending by node.
     *
     * @param localities nodes that the device may be on. Several make minimum and maximum differ; none means any node
     *     with CPUs
     * @return empty where the kernel does not tell distances and the host has several nodes
     */
    List<NumaDistance> distances(List<Integer> localities) {
        List<Integer> from = !localities.isEmpty() ? localities : cpus.isEmpty() ? nodes : List.copyOf(cpus.keySet());
        if (nodes.size() == 1 && rows.isEmpty()) {
            return List.of(new NumaDistance(nodes.getFirst(), LOCAL, LOCAL));
        }
        List<int[]> candidates = new ArrayList<>();
        for (int node : from) {
            int[] row = rows.get(node);
            if (row == null) {
                return List.of();
            }
            candidates.add(row);
        }
        List<NumaDistance> distances = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            int column = i;
            int minimum = candidates.stream().mapToInt(row -> row[column]).min().orElse(0);
            int maximum = candidates.stream().mapToInt(row -> row[column]).max().orElse(0);
            distances.add(new NumaDistance(nodes.get(i), minimum, maximum));
        }
        return distances;
    }
}
