/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.testdata;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Wirings in the topology format of ibutils: a line per switch, then one per port, indented. */
public final class TopoFile {
    private static final Pattern SWITCH = Pattern.compile("\\S+\\s+(\\S+)\\s*");
    private static final Pattern PORT =
            Pattern.compile("\\s+P(\\d+)\\s+(?:-\\S+\\s+)*->\\s+(\\S+)\\s+(\\S+)\\s+P(\\d+)\\s*");

    private TopoFile() {}

    public static Wiring read(long seed, String name) {
        Wiring wiring = new Wiring(seed);
        Map<String, Integer> nodes = new HashMap<>();
        Set<String> laid = new HashSet<>();
        String at = "";
        String text = new String(Dump.bytes("models/ibmgtsim/" + name), StandardCharsets.UTF_8);
        for (String line : text.lines().toList()) {
            Matcher port = PORT.matcher(line);
            Matcher node = SWITCH.matcher(line);
            if (port.matches() && port.group(2).startsWith("MTS")) {
                String here = at + " " + port.group(1);
                String there = port.group(3) + " " + port.group(4);
                if (laid.add(here) && laid.add(there)) {
                    wiring.cable(number(wiring, nodes, at), number(wiring, nodes, port.group(3)), 1);
                }
            } else if (port.matches()) {
                wiring.device(number(wiring, nodes, at), port.group(3), "mlx4_0");
            } else if (node.matches()) {
                at = node.group(1);
                number(wiring, nodes, at);
            }
        }
        return wiring;
    }

    private static int number(Wiring wiring, Map<String, Integer> nodes, String name) {
        return nodes.computeIfAbsent(name, n -> wiring.node());
    }
}
