/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

/** The API server could not be asked; nobody gets in, and the next request asks again. */
public final class AccessUnknownException extends Exception {
    private static final long serialVersionUID = 1;

    AccessUnknownException(String message, Throwable cause) {
        super(message, cause);
    }

    AccessUnknownException(String message) {
        super(message);
    }
}
