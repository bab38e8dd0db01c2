/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.memory.Memory;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.List;

/** Tells what kind of fabric a topology is, from the wiring alone: names lie. */
public final class Classifier {
    /** Trees first: where hosts tell leaves from spines, small grids would fit as well. */
    private static final List<Recognizer> RECOGNIZERS = List.of(
            new DragonflyPlusRecognizer(),
            new RailRecognizer(),
            new TreeRecognizer(),
            new GridRecognizer(),
            new DragonflyRecognizer(),
            new IrregularRecognizer());

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

    /** As {@link #classify(Topology)}, where what was there before keeps its labels; they restart with another kind. */
    public static Classification classify(Topology topology, Memory memory) {
        Classification fresh = classify(topology);
        return memory.kind().equals(fresh.kind().name()) ? aligned(topology, fresh, memory) : fresh;
    }

    private static Classification aligned(Topology topology, Classification fresh, Memory memory) {
        Remembered before = Remembered.of(topology, memory, fresh.axes().length);
        return switch (fresh.kind()) {
            case Flat -> fresh;
            case RailOptimized -> Alignment.rails(topology, fresh, before);
            case FatTree, Irregular, Dragonfly, DragonflyPlus -> Alignment.hierarchical(topology, fresh, before);
            case Torus, Mesh, HyperX -> GridAlignment.of(topology, fresh, before);
        };
    }
}
