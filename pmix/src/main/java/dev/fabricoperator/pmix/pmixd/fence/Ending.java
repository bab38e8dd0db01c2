/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.fence;

/**
 * Why an attempt ends, before all of its ranks are done or as mpirun's run, told to every pod once.
 *
 * @param pod where it began
 * @param rank whose exit or abort it was, or -1
 * @param code what the launchers exit with
 * @param text a sentence for people
 */
public record Ending(Kind kind, int pod, int rank, int code, String text) {
    /** What follows from it. */
    public enum Kind {
        /** A rank failed or called abort: the job has failed, as under mpirun. */
        FAILED,
        /** A pod is gone: the others wait for a new attempt. */
        LOST,
        /** mpirun's run is over, well or not: its workers wait for the next one. */
        FINISHED,
        /** The ranks of a pod are done, and its owner may need no others: the ranks of the other pods run on, without what their servers do together. */
        PARTED
    }
}
