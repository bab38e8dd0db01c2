/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

/** A source that cannot be used as it stands. The message reads {@code file:line: what is wrong}. */
public final class BadInputException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String file;
    private final int line;
    private final String wrong;

    public BadInputException(String file, int line, String wrong) {
        super(file + ":" + line + ": " + wrong);
        this.file = file;
        this.line = line;
        this.wrong = wrong;
    }

    public String file() {
        return file;
    }

    /** From 1. */
    public int line() {
        return line;
    }

    /** The message without the place. */
    public String wrong() {
        return wrong;
    }
}
