/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.fabric.cabling.lft.ForwardingTableReader;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Kinds of what a file can say of a fabric; the names are those of the command line. */
public enum SourceKind {
    ibnetdiscover,
    slurm,
    cables,
    lldp,
    ufm,
    fabricswitches,
    /** Nodes of Kubernetes with labels that say where they are. */
    NodeLabels,
    /** Forwarding tables of switches, which go with a description of the cabling. */
    lfts;

    private static final Pattern OBJECTS = Pattern.compile("(?m)^[\\s{]*\"?(apiVersion|kind|items)\"?\\s*:");
    private static final Pattern SLURM =
            Pattern.compile("(?i)((SwitchName|BlockName|BlockSizes)\\s*=|Include\\s+\\S).*");
    private static final Pattern SLURM_YAML = Pattern.compile("(?m)^(- +| +|\\[ *\\{ *)\"?topology\"? *:");

    /** Of lldpd's JSON, also where a text in a recording holds it, and its keys and values; of its text in a recording. */
    private static final Pattern NEIGHBORS = Pattern.compile(
            "\\\\?\"(lldp|local-chassis)\\\\?\"\\s*:\\s*[{\\[]|(?m)^lldp\\.[^=\\s]+=|\"cmd\"\\s*:\\s*\"[^\"]*lldp");

    private static final Pattern JSON = Pattern.compile("^[\\uFEFF\\s]*[\\[{]");

    /** Names that UFM's systems, ports and links have, and other JSON has not. */
    private static final Pattern UFM =
            Pattern.compile("\"(source_guid|destination_guid|system_guid|systemID|peer_node_guid|source_port_dname)\"");

    /** A cable in a topology file of ibutils. */
    private static final Pattern TOPOLOGY_FILE =
            Pattern.compile("(?m)^[ \\t]*\\S+[ \\t]+-(\\S*-)?>[ \\t]+\\S+[ \\t]+\\S+[ \\t]+\\S+[ \\t]*$");

    /** A node, whose metadata stand behind its kind; an owner's name does in other objects. */
    private static final Pattern NODES = Pattern.compile("\"kind\"\\s*:\\s*\"(NodeList\"|Node\"\\s*,\\s*\"metadata\")");

    /** As the command line has it. */
    @Override
    public String toString() {
        return this == NodeLabels ? "node-labels" : name();
    }

    /** What a file is whose kind nobody named, by how it begins; what is like nothing else is {@link #ibnetdiscover}. */
    static SourceKind of(String beginning) {
        if (ForwardingTableReader.BEGINNING.matcher(beginning).find()) {
            return lfts;
        }
        if (JSON.matcher(beginning).find() && UFM.matcher(beginning).find()) {
            return ufm;
        }
        if (NEIGHBORS.matcher(beginning).find()) {
            return lldp;
        }
        if (JSON.matcher(beginning).find() && NODES.matcher(beginning).find()) {
            return NodeLabels;
        }
        if (OBJECTS.matcher(beginning).find()) {
            return fabricswitches;
        }
        String first = beginning
                .lines()
                .map(line -> line.replace("\uFEFF", "").strip())
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .findFirst()
                .orElse("");
        if (SLURM.matcher(first).matches() || SLURM_YAML.matcher(beginning).find()) {
            return slurm;
        }
        return isHeaderOfCables(first) || TOPOLOGY_FILE.matcher(beginning).find() ? cables : ibnetdiscover;
    }

    private static boolean isHeaderOfCables(String line) {
        List<String> columns = Arrays.stream(line.toLowerCase(Locale.ROOT).split(",", -1))
                .map(column -> column.replace("\"", "").strip())
                .toList();
        return columns.contains("from") && columns.contains("to");
    }
}
