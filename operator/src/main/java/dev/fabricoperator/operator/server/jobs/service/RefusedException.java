/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

/** A request that gets an answer other than what it asks for. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Answer answer;

    RefusedException(Answer answer) {
        super("HTTP " + answer.status(), null, false, false);
        this.answer = answer;
    }

    static RefusedException of(int status, String sentence) {
        return new RefusedException(Answer.text(status, sentence));
    }

    Answer answer() {
        return answer;
    }
}
