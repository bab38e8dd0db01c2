/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import dev.fabricoperator.crds.ApiAnswers;
import org.jspecify.annotations.Nullable;

/**
 * The API server did not do what it was asked for, after all retries.
 *
 * <p>{@link #status()} is the HTTP status, or 0 where no whole answer came.
 */
final class ApiException extends Exception {

    private static final long serialVersionUID = 1L;

    private final int status;
    private final boolean absence;

    ApiException(int status, String message, @Nullable Throwable cause) {
        this(status, false, message, cause);
    }

    /** @param absence whether the answer says that there is no such object */
    ApiException(int status, boolean absence, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.status = status;
        this.absence = absence;
    }

    int status() {
        return status;
    }

    /** See {@link ApiAnswers#isAbsence}. */
    boolean isAbsence() {
        return absence;
    }

    /** Refused for good: asking again without a change of the object or of the rules gives the same. */
    boolean isRefusal() {
        return status >= 400 && status < 500 && status != 401 && status != 408 && status != 429;
    }
}
