/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.launch;

/** A job that did not get to its end; the message says how far it came. */
final class LaunchFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LaunchFailedException(String message) {
        super(message);
    }
}
