/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.List;

/** Tells what kind of fabric a topology is, from the wiring alone: names lie. */
public final class Classifier {
    private static final List<Recognizer> RECOGNIZERS =
            List.of(new RailRecognizer(), new TreeRecognizer(), new IrregularRecognizer());

    private Classifier() {}

    /** Cost: dominated by the hops between switches that hold devices; see docs/topology.md for the rules. */
    public static Classification classify(Topology topology) {
        EdgeHops hops = EdgeHops.of(topology);
        for (Recognizer recognizer : RECOGNIZERS) {
            Classification found = recognizer.recognize(topology, hops);
            if (found != null) {
                return found;
            }
        }
        throw new IllegalStateException("the last recognizer takes every wiring");
    }
}
