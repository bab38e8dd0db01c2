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
 * Cost:   that of {@link LeafIslands}; of an irregular fabric with islands, once that of a classification.
 * Source: docs/topology-kinds.md
 * </pre>
 */
public final class Unresolved {
    private static final int MAX_NAMED = 4;

    private Unresolved() {}

    /** At most {@value #MAX_NAMED} and one more, the widest first; each names what to do. */
    public static List<String> of(Topology topology, Classification classification) {
        List<String> sentences = new ArrayList<>();
        List<LeafIslands.Island> islands = LeafIslands.of(topology, classification);
        boolean isIrregular = classification.kind() == FabricKind.Irregular;
        if (isIrregular) {
            sentences.add(noPattern(topology, classification, islands));
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

    private static String noPattern(
            Topology topology, Classification classification, List<LeafIslands.Island> islands) {
        String words = counted(topology.switches(), "switch has", "switches have")
                + " no pattern that is known, so that groups are of single switches with hosts, or of those that hosts join; costs and paths are right";
        if (islands.isEmpty()) {
            return words + "; cables that what was read lacks may be why";
        }
        FabricKind rest = LeafIslands.kindWithout(topology, classification);
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
