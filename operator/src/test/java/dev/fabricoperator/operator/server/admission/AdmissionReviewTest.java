/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class AdmissionReviewTest {
    @Test
    void aReviewOfMoreThanAnyPodIsNotRead() throws IOException {
        assertThat(AdmissionReview.read(review("{},".repeat(50_000))).object().path("x"))
                .hasSize(50_001);
        assertThatThrownBy(() -> AdmissionReview.read(review("{},".repeat(1_000_000))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Token count");
    }

    private static byte[] review(String elements) {
        String text = "{\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{\"uid\":\"u\",\"object\":{\"x\":["
                + elements + "0]}}}";
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
