/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.peers;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Writes what ibnetdiscover would print of a fabric made here. */
final class DumpWriter {
    /** Pods of 18 leaves and 18 aggregation switches of 36 ports under 162 cores. */
    private static final int PODS = 14;

    private static final int HALF = 18;
    private static final int CORES = 162;
    private static final int HOSTS = 4341;

    /** One node; far ends by port - 1. Its LID makes its GUID, scattered as real ones are. */
    private static final class Node {
        final String letter;
        final String guid;
        final String name;
        final int lid;
        final List<End> ports = new ArrayList<>();

        Node(String letter, String name, int lid) {
            this.letter = letter;
            this.name = name;
            this.lid = lid;
            guid = String.format("%s%08x", letter.equals("S") ? "fc6a1c03" : "e8ebd303", lid * 0x9e3779b1);
        }
    }

    private record End(Node far, int port) {}

    private DumpWriter() {}

    /** Three levels, pruned: 666 switches, of which 252 leaves hold 17 or 18 of 4,341 hosts; records in random order. */
    static String largeTree() {
        List<Node> leaves = nodes("S", "leaf", 1, PODS * HALF);
        List<Node> aggregation = nodes("S", "agg", 1 + leaves.size(), PODS * HALF);
        List<Node> cores = nodes("S", "core", 1 + 2 * leaves.size(), CORES);
        List<Node> hosts = nodes("H", "n", 1001, HOSTS);
        for (int host = 0; host < HOSTS; host++) {
            join(hosts.get(host), leaves.get(host % leaves.size()));
        }
        for (int pod = 0; pod < PODS; pod++) {
            for (int a = 0; a < HALF; a++) {
                Node node = aggregation.get(pod * HALF + a);
                for (int leaf = 0; leaf < HALF; leaf++) {
                    join(leaves.get(pod * HALF + leaf), node);
                }
                for (int core = 0; core < CORES / HALF; core++) {
                    join(node, cores.get(a * (CORES / HALF) + core));
                }
            }
        }
        List<Node> all = new ArrayList<>(hosts);
        all.addAll(leaves);
        all.addAll(aggregation);
        all.addAll(cores);
        Collections.shuffle(all, new Random(18));
        return text(all);
    }

    private static List<Node> nodes(String letter, String name, int firstLid, int count) {
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            nodes.add(new Node(letter, name + (i + 1), firstLid + i));
        }
        return nodes;
    }

    private static void join(Node one, Node other) {
        one.ports.add(new End(other, other.ports.size() + 1));
        other.ports.add(new End(one, one.ports.size()));
    }

    private static String text(List<Node> nodes) {
        StringBuilder text = new StringBuilder("#\n# Topology file: made for the benchmark\n#\n");
        for (Node node : nodes) {
            boolean isSwitch = node.letter.equals("S");
            text.append("\nvendid=0x2c9\ndevid=").append(isSwitch ? "0xd2f0" : "0x101b");
            text.append("\nsysimgguid=0x").append(node.guid);
            text.append(isSwitch ? "\nswitchguid=0x" : "\ncaguid=0x").append(node.guid);
            if (isSwitch) {
                text.append('(').append(node.guid).append(")\nSwitch\t36 \"S-").append(node.guid);
                text.append("\"\t\t# \"")
                        .append(node.name)
                        .append("\" enhanced port 0 lid ")
                        .append(node.lid)
                        .append(" lmc 0\n");
            } else {
                text.append("\nCa\t1 \"H-")
                        .append(node.guid)
                        .append("\"\t\t# \"")
                        .append(node.name)
                        .append(" mlx5_0\"\n");
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
                        .append(end.far.name);
                text.append(toSwitch ? "" : " mlx5_0")
                        .append("\" lid ")
                        .append(end.far.lid)
                        .append(" 4xHDR\n");
            }
        }
        return text.toString();
    }
}
