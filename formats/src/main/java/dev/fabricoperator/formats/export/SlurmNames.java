/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.export;

import dev.fabricoperator.fabric.cabling.NodeId;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32;

/**
 * Names that Slurm can read: letters, digits, full stop, underscore and hyphen, at most {@value #MAX_LENGTH} of them, and
 * each of one thing only, with at most {@value #MAX_DIGITS} digits at the end. What is not so gets underscores and its checksum.
 *
 * @see "topology.conf(5), SwitchName: cannot be longer than 64 characters"
 */
final class SlurmNames {
    private static final int MAX_LENGTH = 64;

    /** Slurm reads the digits at the end of a name as a number of 64 bits: of 20 it makes another one. */
    private static final int MAX_DIGITS = 18;

    private final Map<String, String> hosts = new HashMap<>();
    private final Map<String, String> switches = new HashMap<>();
    private final Set<String> takenByHosts = new HashSet<>();
    private final Set<String> takenBySwitches = new HashSet<>();
    private final SlurmNodeNames form;
    private int changed;
    private int withDomain;
    private int unnamed;

    SlurmNames(SlurmNodeNames form) {
        this.form = form;
    }

    /**
     * Calls switches as people do, before anything else has a name: those whose name no other has and Slurm can read.
     *
     * @param nameOf names by ids
     */
    void callSwitches(Map<String, String> nameOf) {
        Map<String, Integer> uses = new HashMap<>();
        nameOf.values().forEach(name -> uses.merge(name, 1, Integer::sum));
        nameOf.forEach((id, name) -> {
            if (uses.getOrDefault(name, 0) == 1
                    && !name.equals(id)
                    && valid(name).equals(name)) {
                switches.put(id, name);
                takenBySwitches.add(name);
            }
        });
        unnamed = nameOf.size() - switches.size();
    }

    /** How many switches keep their ids although names were asked for. */
    int unnamed() {
        return unnamed;
    }

    /** How many hosts are called with their domains. */
    int withDomain() {
        return withDomain;
    }

    /** How many hosts have another name here than they have themselves. */
    int changed() {
        return changed;
    }

    /** What those are called that were asked for, by their own names. */
    Map<String, String> hosts() {
        return Map.copyOf(hosts);
    }

    String host(String name) {
        String known = hosts.get(name);
        if (known == null) {
            String wish = form.of(name);
            // Two hosts of one short name keep their domains.
            wish = takenByHosts.contains(wish) ? name : wish;
            known = free(wish, takenByHosts);
            changed += known.equals(wish) ? 0 : 1;
            withDomain += known.indexOf('.') > 0 ? 1 : 0;
            hosts.put(name, known);
        }
        return known;
    }

    /** Reading it yields the id again: GUIDs have the {@code S-} of InfiniBand's tools, MACs hyphens. */
    String ofSwitch(String id) {
        return switches.computeIfAbsent(
                id,
                unnamed -> free(
                        NodeId.guid(id) != null ? "S-" + id : NodeId.mac(id) != null ? id.replace(':', '-') : id,
                        takenBySwitches));
    }

    /** A name for what is no switch of its own; other than those of all switches that were named before. */
    String madeUp(String wish) {
        return free(wish, takenBySwitches);
    }

    /** One that is not taken yet, and is from now on. */
    private static String free(String wish, Set<String> taken) {
        String name = valid(wish);
        while (!taken.add(name)) {
            name = valid(name + "_");
        }
        return name;
    }

    private static String valid(String name) {
        StringBuilder valid = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean fine = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
            valid.append(fine || c == '.' || c == '_' || c == '-' ? c : '_');
        }
        int digits = 0;
        while (digits < name.length() && Character.isDigit(name.charAt(name.length() - 1 - digits))) {
            digits++;
        }
        if (valid.compareTo(new StringBuilder(name)) == 0 && name.length() <= MAX_LENGTH && digits <= MAX_DIGITS) {
            return name;
        }
        CRC32 sum = new CRC32();
        sum.update(name.getBytes(StandardCharsets.UTF_8));
        valid.setLength(Math.min(valid.length(), MAX_LENGTH - 9));
        return valid + String.format("-%08x", sum.getValue());
    }
}
