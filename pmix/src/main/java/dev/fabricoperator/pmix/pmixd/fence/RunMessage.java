/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.fence;

/**
 * What the launcher's pod, pod 0, and the pods of workers say to each other about a run.
 *
 * @param pod that it is for, or that it comes from
 * @param number what it means depends on the kind
 * @param text bytes that are handed on as they came, and must not be changed
 */
public record RunMessage(Kind kind, int pod, int number, byte[] text) {
    private static final byte[] NONE = {};

    /** Where a message goes. */
    enum Way {
        /** To pod 0, from any other. */
        UP,
        /** From pod 0 to every other. */
        DOWN,
        /** From pod 0 to one. */
        TO_POD
    }

    /** What is said. */
    public enum Kind {
        /** Command, directory and variables, as lines for the launcher. */
        START(Way.DOWN),
        /** The ranks are to be ended. */
        STOP(Way.DOWN),
        /** For every rank, the number is that of the signal. */
        SIGNAL(Way.DOWN),
        /** Standard input of rank 0: a line for the launcher. */
        INPUT(Way.TO_POD),
        /** The number is that of bytes of this pod's output that are written. */
        OUTPUT_TAKEN(Way.TO_POD),
        /** Every rank of the pod runs. */
        STARTED(Way.UP),
        /** What the rank of that number has written: the number of its stream, a blank, text that is escaped. */
        OUTPUT(Way.UP),
        /** The number is that of bytes of input that are read. */
        INPUT_TAKEN(Way.UP),
        /** A rank has failed: its code in the lowest 8 bits, above them how sure it is that the failure began with it, the more the surer; and a sentence. */
        FAILED(Way.UP),
        /** No rank of the pod is left, and all that they wrote has been sent. */
        DONE(Way.UP);

        private final Way way;

        Kind(Way way) {
            this.way = way;
        }

        Way way() {
            return way;
        }
    }

    public RunMessage(Kind kind, int pod, int number) {
        this(kind, pod, number, NONE);
    }
}
