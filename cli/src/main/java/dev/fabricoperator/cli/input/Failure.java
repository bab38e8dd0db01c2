/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import org.jspecify.annotations.Nullable;

/** Why a command cannot go on, in words for the person who typed it, and the exit code that says so to scripts. */
public final class Failure extends Exception {
    private static final long serialVersionUID = 1L;

    public static final int FAILED = 1;
    public static final int WRONG_USAGE = 2;
    public static final int BAD_INPUT = 3;

    private final int exitCode;

    private Failure(int exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** The command was right and its input too, and still it did not work: a full disk, a refused request. */
    public static Failure failed(String message, @Nullable Throwable cause) {
        return new Failure(FAILED, message, cause);
    }

    public static Failure wrongUsage(String message) {
        return new Failure(WRONG_USAGE, message, null);
    }

    /** @param message begins with the file, and the line where there is one */
    public static Failure badInput(String message, @Nullable Throwable cause) {
        return new Failure(BAD_INPUT, message, cause);
    }

    /** The same, of which there is more to say. */
    public Failure with(String more) {
        return new Failure(exitCode, getMessage() + more, this);
    }

    public int exitCode() {
        return exitCode;
    }
}
