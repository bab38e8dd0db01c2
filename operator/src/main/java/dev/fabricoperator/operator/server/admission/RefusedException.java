/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

/** A mistake of a pod's author, in a sentence that says what to change; ends as {@link Verdict.Refused}. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final String sentence;

    RefusedException(String sentence) {
        super(sentence, null, false, false);
        this.sentence = sentence;
    }

    String sentence() {
        return sentence;
    }
}
