/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import dev.fabricoperator.fabric.cabling.PortPeer;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What administrators have taken out of use, from the drain annotations of FabricSwitch objects: {@code all}, or numbers
 * of ports with commas between them. Of several objects of one switch each counts.
 *
 * @param switches ids
 * @param ports switch id and port
 * @param mistakes by switch id, annotations that say neither; they drain nothing
 */
public record Drains(Set<String> switches, Set<PortPeer> ports, SortedMap<String, String> mistakes) {
    private static final String ALL = "all";
    private static final int HIGHEST_PORT = 65_535;
    /** 1024 ports of five digits each, and commas with a space. */
    private static final int MAXIMUM_LENGTH = 8192;

    private static final int SHOWN = 64;

    public static Drains of(Collection<? extends SwitchStatement> objects) {
        Set<String> switches = new HashSet<>();
        Set<PortPeer> ports = new HashSet<>();
        SortedMap<String, String> mistakes = new TreeMap<>();
        for (SwitchStatement object : objects) {
            String text = object.drain();
            if (text != null) {
                read(object.switchId(), text, switches, ports, mistakes);
            }
        }
        return new Drains(Set.copyOf(switches), Set.copyOf(ports), mistakes);
    }

    private static void read(
            String id, String text, Set<String> switches, Set<PortPeer> ports, SortedMap<String, String> mistakes) {
        if (text.strip().equals(ALL)) {
            switches.add(id);
            return;
        }
        Set<PortPeer> named = new TreeSet<>((a, b) -> Integer.compare(a.port(), b.port()));
        for (String number : text.length() > MAXIMUM_LENGTH ? new String[] {""} : text.split(",", -1)) {
            String digits = number.strip();
            int port = digits.matches("[0-9]{1,5}") ? Integer.parseInt(digits) : 0;
            if (port < 1 || port > HIGHEST_PORT) {
                mistakes.put(id, text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...");
                return;
            }
            named.add(new PortPeer(id, port));
        }
        ports.addAll(named);
    }
}
