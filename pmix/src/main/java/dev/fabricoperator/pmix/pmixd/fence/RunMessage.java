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
    public static final int CONNECTED = 0;
    public static final int UNCONNECTED = 1;

    private static final byte[] NONE = {};
    private static final int CODE_BITS = 8;

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
        /** A rank has failed, with a sentence: see {@link #failed}. */
        FAILED(Way.UP),
        /** No rank of the pod is left, and all that they wrote has been sent. The number is {@link #UNCONNECTED} where none has called PMIx_Init, else {@link #CONNECTED}. */
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

    /**
     * A rank of the pod has failed.
     *
     * @param code of the rank, 0 to 255
     * @param certainty how sure it is that the failure began with it, the more the surer
     * @param sentence about it
     */
    public static RunMessage failed(int pod, int code, int certainty, byte[] sentence) {
        return new RunMessage(Kind.FAILED, pod, certainty << CODE_BITS | code, sentence);
    }

    /** Of a rank that has failed. */
    public int code() {
        return number & (1 << CODE_BITS) - 1;
    }

    /** Of a rank that has failed: how sure it is that the failure began with it. */
    public int certainty() {
        return number >> CODE_BITS;
    }
}
