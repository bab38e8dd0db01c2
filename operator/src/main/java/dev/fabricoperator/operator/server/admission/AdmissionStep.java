/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import java.util.function.Function;

/** What a review comes to: a decision, or a question that must be answered before. */
sealed interface AdmissionStep permits AdmissionDecision, AdmissionStep.Question {
    /** It keeps nothing of the review, which is read anew when the answer is there: a review takes up to fifty times as much in memory as its JSON. */
    non-sealed interface Question extends AdmissionStep {
        /** Waits for the API server. */
        Function<AdmissionReview, AdmissionStep> ask();
    }
}
