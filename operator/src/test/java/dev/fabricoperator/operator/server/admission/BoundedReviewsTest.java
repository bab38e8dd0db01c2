/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.operator.server.http.BodiesInWork;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BoundedReviewsTest {
    private static final byte[] REVIEW = """
            {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u", "object": {}}}
            """.getBytes(StandardCharsets.UTF_8);

    /** One at a time. */
    private final BoundedReviews reviews = new BoundedReviews(new BodiesInWork(REVIEW.length, Duration.ofMillis(50)));

    private BoundedReviews.@Nullable Decided another() {
        try {
            return reviews.decide(REVIEW, review -> AdmissionDecision.ALLOWED);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void otherReviewsAreDecidedWhileSomethingIsAskedForOne() throws Exception {
        BoundedReviews.Decided decided = reviews.decide(REVIEW, review -> (AdmissionStep.Question) () -> {
            assertThat(another()).isNotNull();
            return again -> {
                assertThat(another()).as("one is in memory").isNull();
                return new AdmissionDecision.Denied("no");
            };
        });

        assertThat(decided).isNotNull();
        assertThat(decided.decision()).isEqualTo(new AdmissionDecision.Denied("no"));
        assertThat(new String(decided.answer(), StandardCharsets.UTF_8)).contains("\"uid\":\"u\"", "\"no\"");
    }
}
