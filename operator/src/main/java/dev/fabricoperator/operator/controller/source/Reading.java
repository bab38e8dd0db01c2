/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.operator.model.SourceProblem;

/** What came of one look at a source. */
sealed interface Reading {
    SourceType type();

    /** How far a reading that lost much may be believed. */
    enum Evidence {
        /** A record stays what it is, however often it is read. */
        Record,
        /** Somebody who looks anew each time. */
        Polled,
        /** The agents themselves, by whom others are checked. */
        Agents,
        /** The nodes themselves: what was of one that is gone is not lost. */
        Nodes
    }

    /**
     * It could be read.
     *
     * @param file what it is called in messages
     * @param evidence what a reading that lost much proves
     */
    record Success(SourceType type, String file, Cabling cabling, Evidence evidence) implements Reading {}

    /** It could not; what was there before stays. */
    record Failure(SourceType type, SourceProblem problem) implements Reading {}
}
