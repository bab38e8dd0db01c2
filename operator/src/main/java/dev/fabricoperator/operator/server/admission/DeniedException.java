/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

/** A pod that is not let in: a mistake of its author, in a sentence that says what to change. */
final class DeniedException extends Exception {
    private static final long serialVersionUID = 1;

    DeniedException(String sentence) {
        super(sentence, null, false, false);
    }
}
