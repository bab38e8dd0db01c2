/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.List;

/**
 * What the kind, the groups and the tiers of a fabric do not tell, in sentences for whoever relies on them.
 *
 * <pre>
 * Errors: none.
 * Cost:   that of {@link LeafIslands}; of an irregular fabric, that of at most two classifications.
 * Source: docs/topology-kinds.md
 * </pre>
 */
public final class Unresolved {
    private static final int MAX_NAMED = 4;
    private static final int MOST_REASONS = 3;

    private Unresolved() {}

    /**
     * At most {@value #MAX_NAMED} and one more, the widest first; each names what to do. Of a fabric without a pattern, behind the first
     * at most {@value #MOST_REASONS} that say why.
     */
    public static List<String> of(Topology topology, Classification classification) {
        List<String> sentences = new ArrayList<>();
        List<LeafIslands.Island> islands = LeafIslands.of(topology, classification);
        boolean isIrregular = classification.kind() == FabricKind.Irregular;
        if (isIrregular) {
            FabricKind rest =
                    islands.isEmpty() ? FabricKind.Irregular : LeafIslands.kindWithout(topology, classification);
            sentences.add(noPattern(topology, islands, rest));
            if (rest == FabricKind.Irregular || rest == FabricKind.Flat) {
                reasons(topology, classification).stream().limit(MOST_REASONS).forEach(sentences::add);
            }
        }
        islands.stream()
                .limit(isIrregular ? MAX_NAMED - 1 : MAX_NAMED)
                .map(island -> isIrregular
                        ? behind(island) + ", and nothing else joins them to the others"
                        : behind(island)
                                + ": no group or tier says that they are nearer to its hosts than to others; costs do")
                .forEach(sentences::add);
        int more = islands.size() - (isIrregular ? MAX_NAMED - 1 : MAX_NAMED);
        if (more > 0) {
            sentences.add("so are hosts behind " + counted(more, "more leaf", "more leaves"));
        }
        if (!islands.isEmpty()) {
            String leaf = islands.getFirst().leaf();
            int last = sentences.size() - 1;
            sentences.set(
                    last,
                    sentences.get(last) + "; 'kubectl fabric links " + leaf
                            + "' shows what it is cabled to: where these switches have other cables, what was read lacks them");
        }
        return List.copyOf(sentences);
    }

    private static List<String> reasons(Topology topology, Classification classification) {
        boolean[] uncabled = new boolean[topology.ends()];
        for (int end = 0; end < uncabled.length; end++) {
            uncabled[end] = classification.useOfEnd()[end] != DeviceUse.Compute;
        }
        return Classifier.reasons(topology.without(uncabled, new boolean[topology.switches()])).stream()
                .map(NoMatch::sentence)
                .toList();
    }

    private static String noPattern(Topology topology, List<LeafIslands.Island> islands, FabricKind rest) {
        String words = counted(topology.switches(), "switch has", "switches have")
                + " no pattern that is known, so that groups are of single switches with hosts, or of those that hosts join; costs and paths are right";
        if (islands.isEmpty()) {
            return words + "; cables that what was read lacks may be why";
        }
        return rest == FabricKind.Irregular || rest == FabricKind.Flat
                ? words
                : words + "; without what is behind single leaves the rest is a " + rest;
    }

    private static String behind(LeafIslands.Island island) {
        return counted(island.hosts(), "host", "hosts") + " on "
                + counted(island.switches(), "switch", "switches") + (island.hosts() == 1 ? " is" : " are")
                + " behind leaf " + island.leaf();
    }

    private static String counted(int number, String one, String several) {
        return number + " " + (number == 1 ? one : several);
    }
}
