/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

/** A request that gets an answer other than what it asks for. */
final class JobRefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient JobResponse answer;

    JobRefusedException(JobResponse answer) {
        super("HTTP " + answer.status(), null, false, false);
        this.answer = answer;
    }

    static JobRefusedException of(int status, String sentence) {
        return new JobRefusedException(JobResponse.text(status, sentence));
    }

    JobResponse answer() {
        return answer;
    }
}
