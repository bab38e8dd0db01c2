/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import dev.fabricoperator.crds.FabricApi;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Keys of the labels and annotations that say where in a fabric a Node is. The admission policy of the controller has the same. */
public final class PlaceLabels {
    /** The Fabric whose tiers the others are. */
    public static final String FABRIC = FabricApi.LABEL_FABRIC;

    /** Annotation by which Slinky places a slurmd's pod in Slurm's topology; others may write it, too. */
    public static final String SLINKY_SPEC = "topology.slinky.slurm.net/spec";
    /** Annotation with what the operator has written there last. */
    public static final String SLINKY_WRITTEN = FabricApi.ANNOTATION_SLINKY_SPEC;

    public static final Set<String> ANNOTATIONS = Set.of(SLINKY_SPEC, SLINKY_WRITTEN);

    /** Label of a Node, followed by the number of a tier, 1 for the nearest: the part of the fabric at that tier that holds the node. */
    private static final String TIER = FabricApi.GROUP + "/tier-";

    private static final String IN_TIER = "/tier-";
    private static final String OF_FABRIC = "." + FabricApi.GROUP;
    /** Of what stands before the slash of a label's key. */
    private static final int LONGEST_PREFIX = 253;

    private static final String TOPOGRAPH_TIER = "fabric.topograph.run/tier-";
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,2}");

    private PlaceLabels() {}

    /** @param tier 1 is the nearest, as in {@link dev.fabricoperator.fabric.tier.TierTree} */
    public static String tier(int tier) {
        return TIER + tier;
    }

    /**
     * What stands before the slash of the keys that are a Fabric's own. A name that is too long for that is cut, with a hash behind it, as in a label's value.
     */
    public static String prefix(String fabric) {
        return ObjectNames.within(fabric, LONGEST_PREFIX - OF_FABRIC.length()) + OF_FABRIC;
    }

    /** Of the Fabric, whichever Fabric goes first for a Node. @param prefix of the Fabric */
    public static String tier(String prefix, int tier) {
        return prefix + IN_TIER + tier;
    }

    /** As topograph calls it, for those who read its labels. @param distance 0 is the nearest that there is */
    public static String topographTier(int distance) {
        return TOPOGRAPH_TIER + distance;
    }

    /** Whether nobody but the operator has any business with a label. */
    public static boolean isOurs(String key) {
        return key.equals(FABRIC) || isNumbered(key, TIER) || prefixOf(key) != null;
    }

    /** The prefix of a key that is a Fabric's own; {@code null} for any other key. */
    public static @Nullable String prefixOf(String key) {
        int slash = key.indexOf('/');
        String prefix = slash < 0 ? "" : key.substring(0, slash);
        return prefix.endsWith(OF_FABRIC) && isNumbered(key, prefix + IN_TIER) ? prefix : null;
    }

    /** Whether topograph writes it too, so that it is the operator's only with a value of the operator's. */
    public static boolean isTopographs(String key) {
        return isNumbered(key, TOPOGRAPH_TIER);
    }

    private static boolean isNumbered(String key, String prefix) {
        return key.startsWith(prefix)
                && NUMBER.matcher(key.substring(prefix.length())).matches();
    }
}
