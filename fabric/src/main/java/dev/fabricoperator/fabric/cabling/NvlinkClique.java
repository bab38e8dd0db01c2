/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What makes a switch stand for an NVLink clique: the hosts whose accelerators NVLink joins. Nothing leads from one clique to another, and
 * all cliques of a cluster are one fabric.
 *
 * <p>Cliques go by {@code <domain>.<number>}, where a domain is what NVLink's cables join.
 *
 * @see <a href="https://github.com/NVIDIA/k8s-device-plugin/tree/main/docs/gpu-feature-discovery">NVIDIA, GPU Feature Discovery, nvidia.com/gpu.clique</a>
 */
public final class NvlinkClique {
    /** {@link Switch#model()} of a clique. */
    public static final String MODEL = "NVLink clique";

    /** What stands for all accelerators of a host at the end of a cable, {@code host/nvlink}: labels do not name them. */
    public static final String ACCELERATORS = "nvlink";

    /**
     * Labels of nodes that say in which clique, or domain, a node's accelerators are.
     *
     * @see <a href="https://docs.nvidia.com/topograph/v1.0.0/reference/node-labels-and-annotations">topograph, node labels</a>
     */
    public static final Set<String> LABELS = Set.of(
            "nvidia.com/gpu.clique", "network.topology.nvidia.com/accelerator", "accelerator.topograph.run/domain");

    /** Only a number is a clique's: names of domains, which topograph's labels say, may have dots too. */
    private static final Pattern NUMBER = Pattern.compile("(?<=.)[.][0-9]+$");

    private NvlinkClique() {}

    public static boolean is(Switch node) {
        return MODEL.equals(node.model());
    }

    /**
     * Whether labels of these keys name cliques, and no tree above them.
     *
     * @param keys of a node's labels, from the top to the leaf
     */
    public static boolean isNamedBy(List<String> keys) {
        return keys.size() == 1 && LABELS.contains(keys.getFirst());
    }

    /** Whether these are cliques, and nothing else is among them. */
    public static boolean areAll(Collection<Switch> switches) {
        return !switches.isEmpty() && switches.stream().allMatch(NvlinkClique::is);
    }

    /** The domain that a clique's name says; the name where it says none. */
    public static String domain(String name) {
        return NUMBER.matcher(name).replaceFirst("");
    }
}
