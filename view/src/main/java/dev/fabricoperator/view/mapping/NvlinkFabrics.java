/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import dev.fabricoperator.crds.DeviceSelector;
import dev.fabricoperator.crds.FabricSpec;
import dev.fabricoperator.crds.NodeLabelSource;
import dev.fabricoperator.crds.TopologySource;
import dev.fabricoperator.fabric.cabling.NvlinkClique;
import dev.fabricoperator.fabric.device.Family;
import java.util.List;

/** Which Fabrics are of the accelerators that NVLink joins, as their specs say it, before anything is known of their cabling. */
public final class NvlinkFabrics {
    private NvlinkFabrics() {}

    /**
     * Whether accelerators may be in it: their family is named, or none is and nothing but labels of cliques tells of its cabling. Labels of
     * nodes alone select the whole host, for a network.
     */
    public static boolean mayHoldAccelerators(FabricSpec spec) {
        List<Family> families = families(spec);
        return families.contains(Family.NVLink)
                || families.isEmpty()
                        && areOnlyCliques(
                                spec.sources().stream().map(NvlinkFabrics::keys).toList());
    }

    /** Whether it is of nothing else, so that it goes behind every network between hosts. */
    public static boolean isOfAcceleratorsAlone(FabricSpec spec) {
        return isOfAcceleratorsAlone(
                families(spec).stream().map(Family::name).toList(),
                spec.sources().stream().map(NvlinkFabrics::keys).toList());
    }

    /**
     * The same of a spec that is not understood whole.
     *
     * @param families names of those that its selector names
     * @param keysOfSources for each source, keys of labels that it names
     */
    public static boolean isOfAcceleratorsAlone(List<String> families, List<List<String>> keysOfSources) {
        return families.equals(List.of(Family.NVLink.name())) || families.isEmpty() && areOnlyCliques(keysOfSources);
    }

    private static List<Family> families(FabricSpec spec) {
        DeviceSelector selector = spec.selector();
        return selector == null ? List.of() : selector.families();
    }

    private static boolean areOnlyCliques(List<List<String>> keysOfSources) {
        return !keysOfSources.isEmpty() && keysOfSources.stream().allMatch(NvlinkClique::isNamedBy);
    }

    /** Only sources of labels of nodes have any. */
    private static List<String> keys(TopologySource source) {
        NodeLabelSource labels = source.nodeLabels();
        return labels == null ? List.of() : labels.keys();
    }
}
