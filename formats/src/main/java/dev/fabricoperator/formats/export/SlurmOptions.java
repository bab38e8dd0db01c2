/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.export;

import org.jspecify.annotations.Nullable;

/**
 * What of a fabric Slurm is told.
 *
 * @param name of the topology in {@code topology.yaml}, and of the switch above all others
 * @param plugin the plugin that is to read it
 * @param plane whose switches stand for all; {@code null} for the first. To Slurm a host is at one place
 * @param everySwitch all switches that are there, each below all that are above it; otherwise the switches that hold
 *     hosts, below one made-up switch for each subtree, which is what Slurm's own guide advises: it searches all pairs
 * @param names by which hosts are Slurm's nodes
 * @param version the oldest one that is to read it
 * @param switchNames whether switches have the names that people gave them, where these are one switch's each and Slurm can read them; otherwise their
 *     GUIDs, by which what is read back is the same switch, and which nobody changes
 */
public record SlurmOptions(
        String name,
        SlurmPlugin plugin,
        @Nullable String plane,
        boolean everySwitch,
        SlurmNodeNames names,
        SlurmVersion version,
        boolean switchNames) {
    public static final SlurmOptions DEFAULT = new SlurmOptions("fabric", SlurmPlugin.tree, null, false);

    /** For every version, with hosts' own names. */
    public SlurmOptions(String name, SlurmPlugin plugin, @Nullable String plane, boolean everySwitch) {
        this(name, plugin, plane, everySwitch, SlurmNodeNames.FULL, SlurmVersion.OLDEST);
    }

    /** With GUIDs of switches. */
    public SlurmOptions(
            String name,
            SlurmPlugin plugin,
            @Nullable String plane,
            boolean everySwitch,
            SlurmNodeNames names,
            SlurmVersion version) {
        this(name, plugin, plane, everySwitch, names, version, false);
    }
}
