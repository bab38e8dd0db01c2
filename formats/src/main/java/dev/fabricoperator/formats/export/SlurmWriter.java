/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.export;

import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.model.FabricModel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Writes a fabric for Slurm: as {@code topology.conf} or {@code topology.yaml}, for the plugin {@code topology/tree} or
 * {@code topology/block}. Host lists are compressed. Equal models give equal texts.
 *
 * <p>Slurm knows trees of switches, at whose leaves is each host once, and blocks of hosts. What a fabric has beyond that
 * stands in comments at the top. The tree has one leaf for each switch of the chosen plane that holds hosts; above it a
 * switch for each subtree, by the leading numbers of the coordinates (pods of a fat tree, groups of a dragonfly, slices
 * of a torus), and one above all of a connected part. Blocks are the fabric's groups, the planned size that of the
 * smallest that has at least half the usual size.
 *
 * <p>Cost: O(n log n) time and O(n) memory for n switches, cables and devices.
 *
 * @see "topology.conf(5), topology.yaml(5); Slurm's Topology Guide: one switch above the leaves, rather than each of them"
 */
public final class SlurmWriter {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z][A-Za-z0-9._,\\[\\]-]*");
    private static final Set<String> WORDS_OF_YAML =
            Set.of("true", "false", "null", "yes", "no", "on", "off", "y", "n");

    private SlurmWriter() {}

    /** Whether Slurm is told of no switch and no block: then slurmctld ends on a {@code topology.conf}, which has no word for that. */
    public static boolean isFlat(NamedTopology topology) {
        return layout(topology.model(), topology.options()).rows().isEmpty();
    }

    /** {@code topology.conf} with {@link SlurmOptions#DEFAULT}. */
    public static String conf(FabricModel model) {
        return written(out -> conf(model, SlurmOptions.DEFAULT, out));
    }

    /** {@code topology.yaml} with {@link SlurmOptions#DEFAULT}. */
    public static String yaml(FabricModel model) {
        return written(out -> yaml(model, SlurmOptions.DEFAULT, out));
    }

    /** @throws IllegalArgumentException for a plane that the fabric does not have */
    public static void conf(FabricModel model, SlurmOptions options, Appendable out) throws IOException {
        SlurmLayout layout = layout(model, options);
        String plugin = layout.rows().isEmpty() ? "flat" : options.plugin().name();
        out.append("# TopologyPlugin=topology/").append(plugin).append('\n');
        remarks(layout, out);
        boolean blocks = options.plugin() == SlurmPlugin.block;
        for (SlurmLayout.Row row : layout.rows()) {
            out.append(blocks ? "BlockName=" : "SwitchName=").append(row.name());
            list(out, " Switches=", row.switches());
            list(out, " Nodes=", row.nodes());
            out.append('\n');
        }
        if (blocks && !layout.rows().isEmpty()) {
            out.append("BlockSizes=").append(String.valueOf(layout.blockSize())).append('\n');
        }
    }

    /** @throws IllegalArgumentException for a plane that the fabric does not have */
    public static void yaml(FabricModel model, SlurmOptions options, Appendable out) throws IOException {
        yaml(List.of(new NamedTopology(model, options)), out);
    }

    /**
     * One of the topologies of a {@code topology.yaml}.
     *
     * @param options whose name it has there
     */
    public record NamedTopology(FabricModel model, SlurmOptions options) {
        /** Without a walk over the fabric. */
        @Override
        public int hashCode() {
            return options.hashCode();
        }
    }

    /** {@code topology.conf}, which has one topology. */
    public static String conf(NamedTopology topology) {
        return written(out -> conf(topology.model(), topology.options(), out));
    }

    /** {@code topology.yaml} of several, the first of which is the cluster's default. */
    public static String yaml(List<NamedTopology> topologies) {
        return written(out -> yaml(topologies, out));
    }

    /**
     * Where each host is: the switch that holds it, or its block, as {@link #yaml(List)} calls it.
     *
     * @return by the host's own name; empty for a topology that is flat
     */
    public static Map<String, String> units(NamedTopology topology) {
        SlurmLayout layout = layout(topology.model(), topology.options());
        Map<String, String> unitOfNode = new HashMap<>();
        layout.rows().forEach(row -> row.nodes().forEach(node -> unitOfNode.put(node, row.name())));
        Map<String, String> units = new HashMap<>(layout.hosts());
        units.replaceAll((host, node) -> unitOfNode.getOrDefault(node, ""));
        units.values().removeIf(String::isEmpty);
        return units;
    }

    private static void yaml(List<NamedTopology> topologies, Appendable out) throws IOException {
        boolean isFirst = true;
        for (NamedTopology topology : topologies) {
            SlurmLayout layout = layout(topology.model(), topology.options());
            if (isFirst) {
                out.append("# Slurm 25.05 and later\n");
            }
            remarks(layout, out);
            out.append(isFirst ? "---\n" : "").append("- topology: ");
            out.append(quoted(topology.options().name()));
            out.append("\n  cluster_default: ").append(String.valueOf(isFirst)).append('\n');
            yaml(layout, topology.options().plugin() == SlurmPlugin.block, out);
            isFirst = false;
        }
    }

    private static void yaml(SlurmLayout layout, boolean blocks, Appendable out) throws IOException {
        if (layout.rows().isEmpty()) {
            out.append("  flat: true\n");
            return;
        }
        if (blocks) {
            out.append("  block:\n    block_sizes:\n      - ").append(String.valueOf(layout.blockSize()));
            out.append("\n    blocks:\n");
        } else {
            out.append("  tree:\n    switches:\n");
        }
        for (SlurmLayout.Row row : layout.rows()) {
            out.append(blocks ? "      - block: " : "      - switch: ").append(quoted(row.name()));
            yamlList(out, "children: ", row.switches());
            yamlList(out, "nodes: ", row.nodes());
            out.append('\n');
        }
    }

    private static SlurmLayout layout(FabricModel model, SlurmOptions options) {
        if (options.plane() != null && model.planes().stream().noneMatch(p -> p.id().equals(options.plane()))) {
            throw new IllegalArgumentException("no plane " + options.plane());
        }
        return SlurmLayout.of(model, options);
    }

    private static void remarks(SlurmLayout layout, Appendable out) throws IOException {
        for (String remark : layout.remarks()) {
            out.append("# ").append(remark).append('\n');
        }
    }

    private static void list(Appendable out, String key, List<String> names) throws IOException {
        if (!names.isEmpty()) {
            out.append(key).append(HostList.compress(names));
        }
    }

    private static void yamlList(Appendable out, String key, List<String> names) throws IOException {
        if (!names.isEmpty()) {
            out.append("\n        ").append(key).append(quoted(HostList.compress(names)));
        }
    }

    /** What YAML would take for something else than text, in quotes; nothing here has to be escaped in them. */
    private static String quoted(String text) {
        boolean plain = PLAIN.matcher(text).matches() && !WORDS_OF_YAML.contains(text.toLowerCase(Locale.ROOT));
        return plain ? text : '"' + text + '"';
    }

    private interface Body {
        void write(Appendable out) throws IOException;
    }

    private static String written(Body body) {
        StringBuilder out = new StringBuilder();
        try {
            body.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException("a text in memory cannot be written to", e);
        }
        return out.toString();
    }
}
