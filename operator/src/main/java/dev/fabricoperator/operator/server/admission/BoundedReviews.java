/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import dev.fabricoperator.operator.server.http.BodiesInWork;
import java.io.IOException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Decides reviews, of which only so many bytes are in memory as objects at one time; none of them while something is asked for it. */
final class BoundedReviews {
    private final BodiesInWork reviews;

    /** @param answer for the API server */
    record Decided(AdmissionDecision decision, byte[] answer) {}

    private record Step(@Nullable Decided decided, AdmissionStep.@Nullable Question question) {}

    BoundedReviews(BodiesInWork reviews) {
        this.reviews = reviews;
    }

    /**
     * @return {@code null} where other reviews took too long
     * @throws IOException for a body that is no review
     */
    @Nullable
    Decided decide(byte[] body, Function<AdmissionReview, AdmissionStep> begin)
            throws IOException, InterruptedException {
        Function<AdmissionReview, AdmissionStep> next = begin;
        while (true) {
            Function<AdmissionReview, AdmissionStep> now = next;
            Step step = reviews.run(body, () -> step(AdmissionReview.read(body), now));
            if (step == null || step.question() == null) {
                return step == null ? null : step.decided();
            }
            next = step.question().ask();
        }
    }

    private static Step step(AdmissionReview review, Function<AdmissionReview, AdmissionStep> now) {
        return switch (now.apply(review)) {
            case AdmissionDecision decision -> new Step(new Decided(decision, review.answer(decision)), null);
            case AdmissionStep.Question question -> new Step(null, question);
        };
    }
}
