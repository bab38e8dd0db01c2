/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.question;

/** Why a question has no answer, in words for the person who asked. */
public final class UnansweredException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Of which kind the reason is. */
    public enum Why {
        /** What was asked for means nothing, or several things. */
        WRONG,
        /** What was asked for is not there. */
        MISSING,
        /** The answer, or the way to it, is longer than who was asked takes on. */
        TOO_LARGE
    }

    private final Why why;
    private final String field;

    public UnansweredException(Why why, String field, String message) {
        super(message, null, false, false);
        this.why = why;
        this.field = field;
    }

    public Why why() {
        return why;
    }

    /** Parameter of the question that is the reason. */
    public String field() {
        return field;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
