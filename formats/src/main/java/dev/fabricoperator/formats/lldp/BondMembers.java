/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.lldp;

import dev.fabricoperator.formats.lldp.LldpCabling.Adjacency;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Members of a bond that hear each other's neighbours, as with some drivers: which of them has which cable. Every member gets one of
 * those that it hears as far as there is one for each, in whatever order an answer has them; where several ways are left, the first
 * by name.
 *
 * <p>A matching of members and far ports by augmenting ways. Cost: O(m * n) for m members that hear n neighbours, for systems of at
 * most {@value #MAX_MEMBERS} interfaces; larger ones keep the order of their answers.
 */
final class BondMembers {
    private static final int MAX_MEMBERS = 64;

    /** By member what it hears, by far port. */
    private final Map<String, Map<String, Adjacency>> heard = new TreeMap<>();

    private final Map<String, Adjacency> ofFar = new HashMap<>();

    private BondMembers() {}

    /**
     * What is heard by several members of a bond or by one that hears several, and is not the cable of that member.
     *
     * @param heard what only one end says
     * @return their keys
     */
    static Set<String> notTheirs(List<Adjacency> heard) {
        Map<LldpSystem, BondMembers> bySystem = new LinkedHashMap<>();
        for (Adjacency adjacency : heard) {
            bySystem.computeIfAbsent(adjacency.near().system(), s -> new BondMembers())
                    .heard
                    .computeIfAbsent(adjacency.near().key(), n -> new TreeMap<>())
                    .putIfAbsent(adjacency.far().key(), adjacency);
        }
        Set<String> others = new HashSet<>();
        for (BondMembers members : bySystem.values()) {
            if (members.heard.size() <= MAX_MEMBERS && members.shareAPort()) {
                members.match();
                Set<Adjacency> own = new HashSet<>(members.ofFar.values());
                members.heard.values().stream()
                        .flatMap(each -> each.values().stream())
                        .filter(adjacency -> !own.contains(adjacency))
                        .forEach(adjacency -> others.add(adjacency.key()));
            }
        }
        return others;
    }

    private boolean shareAPort() {
        Set<String> ports = new HashSet<>();
        return heard.values().stream().flatMap(each -> each.keySet().stream()).anyMatch(port -> !ports.add(port));
    }

    private void match() {
        heard.keySet().stream()
                .sorted(Comparator.comparingInt((String member) ->
                                Objects.requireNonNull(heard.get(member)).size())
                        .thenComparing(Comparator.naturalOrder()))
                .forEach(member -> give(member, new HashSet<>()));
    }

    /** Gives a member a cable, and whoever has that one another, where that can be. */
    private boolean give(String member, Set<String> tried) {
        Map<String, Adjacency> mayHave = Objects.requireNonNull(heard.get(member));
        for (Map.Entry<String, Adjacency> each : mayHave.entrySet()) {
            if (ofFar.putIfAbsent(each.getKey(), each.getValue()) == null) {
                return true;
            }
        }
        for (Map.Entry<String, Adjacency> each : mayHave.entrySet()) {
            @Nullable Adjacency has = ofFar.get(each.getKey());
            if (has != null && tried.add(each.getKey()) && give(has.near().key(), tried)) {
                ofFar.put(each.getKey(), each.getValue());
                return true;
            }
        }
        return false;
    }
}
