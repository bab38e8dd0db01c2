/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.topology.Topology;

/** A topology and what is known about it, with the words that findings share. */
record ClassifiedTopology(Topology topology, Classification classification) {
    /** Share of the peers from which on what they have in common is a pattern. */
    static final double PATTERN = 0.75;

    int level(int at) {
        return classification.levelOfSwitch()[at];
    }

    String port(int at, int number) {
        return topology.switchId(at) + " port " + number;
    }

    /** The first switch's side of each cable between two switches, and one side only. */
    boolean first(int at, int neighbor) {
        return at < neighbor;
    }
}
