/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.hostgen;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Dumps as ibnetdiscover prints them, of fabrics that are made up and of any size; records in random order. */
public final class MadeDump {
    /** Of a switch; some have more. */
    private static final int PORTS = 36;

    /** The ports that look down. */
    private static final int HALF = PORTS / 2;

    private static final int HOSTS_OF_A_UNIT = 64;

    /** One node; far ends by port - 1. Its LID makes its GUID, scattered as real ones are. */
    private static final class Node {
        final String letter;
        final String guid;
        final String description;
        final int lid;
        final List<End> ports = new ArrayList<>();

        Node(String letter, String description, int lid) {
            this.letter = letter;
            this.description = description;
            this.lid = lid;
            guid = String.format("%s%08x", letter.equals("S") ? "fc6a1c03" : "e8ebd303", lid * 0x9e3779b1);
        }
    }

    private record End(Node far, int port) {}

    private final List<Node> all = new ArrayList<>();

    private MadeDump() {}

    /** Three levels, pruned: 666 switches, of which 252 leaves hold 17 or 18 of 4,341 hosts. */
    public static String largeTree() {
        return threeTier(4341, 1);
    }

    /**
     * Pods of 18 leaves and 18 switches over them, and 9 core switches to each of these. A leaf holds at most 18 devices, those of one
     * host at the same leaf; devices are called {@code n1 mlx5_0} and so on.
     */
    public static String threeTier(int hosts, int devicesOfAHost) {
        int pods = Math.ceilDiv(Math.ceilDiv(hosts * devicesOfAHost, HALF), HALF);
        MadeDump made = new MadeDump();
        List<Node> leaves = made.switches("leaf", pods * HALF);
        List<Node> middle = made.switches("agg", leaves.size());
        List<Node> cores = made.switches("core", HALF * HALF / 2);
        for (int device = 0; device < hosts * devicesOfAHost; device++) {
            Node host = made.device(device / devicesOfAHost, device % devicesOfAHost);
            join(host, leaves.get(device / devicesOfAHost % leaves.size()));
        }
        for (int pod = 0; pod < pods; pod++) {
            for (int a = 0; a < HALF; a++) {
                Node node = middle.get(pod * HALF + a);
                for (int leaf = 0; leaf < HALF; leaf++) {
                    join(leaves.get(pod * HALF + leaf), node);
                }
                for (int core = 0; core < cores.size() / HALF; core++) {
                    join(node, cores.get(a * (cores.size() / HALF) + core));
                }
            }
        }
        return made.text();
    }

    /** Units of 64 hosts, with a leaf for each rail of a unit; every leaf leads to each of 18 spines. */
    public static String railOptimized(int hosts, int rails) {
        int units = Math.ceilDiv(hosts, HOSTS_OF_A_UNIT);
        MadeDump made = new MadeDump();
        List<Node> leaves = made.switches("leaf", units * rails);
        List<Node> spines = made.switches("spine", HALF);
        for (int host = 0; host < hosts; host++) {
            for (int rail = 0; rail < rails; rail++) {
                join(made.device(host, rail), leaves.get(host / HOSTS_OF_A_UNIT * rails + rail));
            }
        }
        for (Node leaf : leaves) {
            spines.forEach(spine -> join(leaf, spine));
        }
        return made.text();
    }

    private List<Node> switches(String name, int count) {
        List<Node> nodes = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            nodes.add(add("S", name + i));
        }
        return nodes;
    }

    private Node device(int host, int number) {
        return add("H", "n" + (host + 1) + " mlx5_" + number);
    }

    private Node add(String letter, String description) {
        Node node = new Node(letter, description, all.size() + 1);
        all.add(node);
        return node;
    }

    private static void join(Node one, Node other) {
        one.ports.add(new End(other, other.ports.size() + 1));
        other.ports.add(new End(one, one.ports.size()));
    }

    private String text() {
        List<Node> nodes = new ArrayList<>(all);
        Collections.shuffle(nodes, new Random(18));
        StringBuilder text = new StringBuilder("#\n# Topology file: made for the benchmark\n#\n");
        for (Node node : nodes) {
            boolean isSwitch = node.letter.equals("S");
            text.append("\nvendid=0x2c9\ndevid=").append(isSwitch ? "0xd2f0" : "0x101b");
            text.append("\nsysimgguid=0x").append(node.guid);
            text.append(isSwitch ? "\nswitchguid=0x" : "\ncaguid=0x").append(node.guid);
            if (isSwitch) {
                text.append('(').append(node.guid).append(")\nSwitch\t");
                text.append(Math.max(PORTS, node.ports.size())).append(" \"S-").append(node.guid);
                text.append("\"\t\t# \"")
                        .append(node.description)
                        .append("\" enhanced port 0 lid ")
                        .append(node.lid)
                        .append(" lmc 0\n");
            } else {
                text.append("\nCa\t1 \"H-")
                        .append(node.guid)
                        .append("\"\t\t# \"")
                        .append(node.description)
                        .append("\"\n");
            }
            for (int i = 0; i < node.ports.size(); i++) {
                End end = node.ports.get(i);
                boolean toSwitch = end.far.letter.equals("S");
                text.append('[').append(i + 1).append(']').append(isSwitch ? "" : "(" + node.guid + ") ");
                text.append("\t\"")
                        .append(end.far.letter)
                        .append('-')
                        .append(end.far.guid)
                        .append("\"[")
                        .append(end.port);
                text.append(']')
                        .append(toSwitch ? "" : "(" + end.far.guid + ") ")
                        .append("\t\t# ");
                text.append(isSwitch ? "" : "lid " + node.lid + " lmc 0 ")
                        .append('"')
                        .append(end.far.description);
                text.append("\" lid ").append(end.far.lid).append(" 4xHDR\n");
            }
        }
        return text.toString();
    }
}
