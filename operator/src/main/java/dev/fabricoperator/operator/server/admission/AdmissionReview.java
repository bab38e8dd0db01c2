/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Base64;

/**
 * One question of the API server and the answer to it, {@code admission.k8s.io/v1} AdmissionReview.
 *
 * @param uid of the question, which the answer repeats
 * @param namespace of the object
 * @param object that is asked about
 */
record AdmissionReview(String uid, String namespace, ObjectNode object) {
    /** A pod has some hundred; a tree of so many takes 20 MB, whatever they are. */
    private static final int MAXIMUM_TOKENS = 200_000;

    private static final ObjectMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxTokenCount(MAXIMUM_TOKENS)
                            .build())
                    .build())
            .build();
    private static final String API_VERSION = "admission.k8s.io/v1";
    private static final int FORBIDDEN = 403;

    /** @throws IOException for bytes that are no AdmissionReview v1 with an object, or one of more than {@value #MAXIMUM_TOKENS} tokens */
    static AdmissionReview read(byte[] body) throws IOException {
        JsonNode review = MAPPER.readTree(body);
        JsonNode request = review.path("request");
        if (!review.path("apiVersion").asText().equals(API_VERSION)
                || !request.path("uid").isTextual()
                || !(request.path("object") instanceof ObjectNode object)) {
            throw new IOException("no AdmissionReview of " + API_VERSION + " with an object");
        }
        return new AdmissionReview(
                request.path("uid").asText(), request.path("namespace").asText(), object);
    }

    byte[] answer(AdmissionDecision decision) {
        ObjectNode answer =
                MAPPER.createObjectNode().put("apiVersion", API_VERSION).put("kind", "AdmissionReview");
        ObjectNode response = answer.putObject("response").put("uid", uid);
        response.put("allowed", !(decision instanceof AdmissionDecision.Denied));
        if (!decision.warnings().isEmpty()) {
            ArrayNode warnings = response.putArray("warnings");
            decision.warnings().forEach(warnings::add);
        }
        if (decision instanceof AdmissionDecision.Denied denied) {
            response.putObject("status")
                    .put("code", FORBIDDEN)
                    .put("reason", "Forbidden")
                    .put("message", denied.sentence());
        }
        try {
            if (decision instanceof AdmissionDecision.Patched patched) {
                response.put("patchType", "JSONPatch")
                        .put(
                                "patch",
                                Base64.getEncoder().encodeToString(MAPPER.writeValueAsBytes(patched.operations())));
            }
            return MAPPER.writeValueAsBytes(answer);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree can always be written", e);
        }
    }
}
