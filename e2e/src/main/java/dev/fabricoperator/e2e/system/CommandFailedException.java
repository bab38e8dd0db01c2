/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.system;

/** A command ended with another code than 0. */
public final class CommandFailedException extends RuntimeException {
    private final int code;

    CommandFailedException(int code, String command, String output) {
        super(command + " ended with " + code + ":\n" + output);
        this.code = code;
    }

    public int code() {
        return code;
    }
}
