/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

/**
 * Why a source could not be read.
 *
 * @param message names the file and line, or the missing part
 */
public record SourceProblem(Kind kind, String message) {
    /** What an administrator has to do about it. */
    public enum Kind {
        /** Nothing: an upload is on its way. */
        InProgress,
        /** Upload again: parts are missing. */
        Incomplete,
        /** Nothing: it is asked again. */
        Unreachable,
        /** Give other credentials. */
        Refused,
        /** Look whether the fabric has really lost so much, and say so. */
        Shrunk,
        /** Give another dump: this one cannot be understood. */
        Unreadable,
        /** Create what the Fabric names. */
        Missing
    }
}
