/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

/**
 * An owner that makes no more pods, or not all that the job needs.
 *
 * @param well whether it is complete
 * @param words a sentence about it
 * @param late whether its time was over, so that how its pods ended says nothing
 */
public record JobEnd(boolean well, String words, boolean late) {
    public JobEnd(boolean well, String words) {
        this(well, words, false);
    }
}
