/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.time.Instant;
import java.util.Base64;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a token says of itself. Nothing of it is proven, but a token that says itself that it is of no use here need not be shown to the API server.
 *
 * @param namespace of the service account, {@code null} where it names none
 * @see "RFC 6750, section 2.1; RFC 7519, sections 4.1.3 and 4.1.4"
 */
record TokenForm(@Nullable String namespace) {
    /** ServiceAccount tokens have some 1,200 characters. */
    static final int MAXIMUM_LENGTH = 16 * 1024;

    /** Clocks of two machines differ, and the API server lets a minute pass. */
    private static final long LEEWAY_SECONDS = 120;

    private static final Pattern BEARER = Pattern.compile("[A-Za-z0-9._~+/-]+=*+");
    private static final ObjectMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(
                            StreamReadConstraints.builder().maxNestingDepth(16).build())
                    .build())
            .build();

    /**
     * @param audience that it must be made for, so that it must be a JSON Web Token; {@code null} where tokens of any kind count, and only a JSON Web
     *     Token that has expired is none
     * @return {@code null} for a token that cannot be valid
     */
    static @Nullable TokenForm of(String token, @Nullable String audience, Instant now) {
        if (token.length() > MAXIMUM_LENGTH || !BEARER.matcher(token).matches()) {
            return null;
        }
        JsonNode claims = claims(token);
        if (claims == null) {
            return audience == null ? new TokenForm(null) : null;
        }
        JsonNode expires = claims.path("exp");
        boolean expired = expires.isNumber() && expires.asDouble() + LEEWAY_SECONDS < now.getEpochSecond();
        boolean plausible =
                !expired && (audience == null || (expires.isNumber() && names(claims.path("aud"), audience)));
        return plausible
                ? new TokenForm(claims.path("kubernetes.io").path("namespace").textValue())
                : null;
    }

    private static boolean names(JsonNode audiences, String audience) {
        if (audiences.isTextual()) {
            return audiences.asText().equals(audience);
        }
        for (JsonNode each : audiences) {
            if (each.isTextual() && each.asText().equals(audience)) {
                return true;
            }
        }
        return false;
    }

    /** The claims of a JSON Web Token; {@code null} for what is none. */
    private static @Nullable JsonNode claims(String token) {
        String[] parts = token.split("\\.", -1);
        if (parts.length != 3) {
            return null;
        }
        try {
            Base64.Decoder decoder = Base64.getUrlDecoder();
            boolean signed = JSON.readTree(decoder.decode(parts[0])).path("alg").isTextual();
            JsonNode claims = JSON.readTree(decoder.decode(parts[1]));
            return signed && claims.isObject() ? claims : null;
        } catch (IllegalArgumentException | IOException e) {
            // Something else between dots.
            return null;
        }
    }
}
