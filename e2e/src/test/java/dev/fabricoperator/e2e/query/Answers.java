/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.query;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/** What answers say, and the Status that stands for one. */
final class Answers {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Answers() {}

    static void assertSame(JsonNode answer, @Nullable Object expected) throws JsonProcessingException {
        assertThat(expected).isNotNull();
        // Through text: a tree of values keeps the width of numbers, an answer has none.
        JsonNode tree = JSON.readTree(JSON.writeValueAsString(expected));
        tree.properties()
                .forEach(field -> assertThat(answer.path(field.getKey()))
                        .as(field.getKey())
                        .isEqualTo(field.getValue()));
    }

    static JsonNode assertRefused(HttpResponse<byte[]> response, int code, String reason) {
        JsonNode status = QueryClient.parse(response);
        assertThat(response.statusCode()).as(status.toString()).isEqualTo(code);
        assertThat(status.path("kind").asText()).isEqualTo("Status");
        assertThat(status.path("code").asInt()).isEqualTo(code);
        assertThat(status.path("reason").asText()).isEqualTo(reason);
        return status;
    }

    static void assertCause(HttpResponse<byte[]> response, int code, String cause, String field) {
        JsonNode status = QueryClient.parse(response);
        assertThat(response.statusCode()).as(status.toString()).isEqualTo(code);
        JsonNode first = status.path("details").path("causes").path(0);
        assertThat(first.path("reason").asText()).isEqualTo(cause);
        assertThat(first.path("field").asText()).isEqualTo(field);
    }
}
