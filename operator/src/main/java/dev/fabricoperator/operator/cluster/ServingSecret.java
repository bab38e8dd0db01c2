/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import io.fabric8.kubernetes.api.model.Secret;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a Secret holds, as text. */
public final class ServingSecret {
    public static final String CERTIFICATE = "tls.crt";
    public static final String KEY = "tls.key";
    public static final String AUTHORITY = "ca.crt";

    private ServingSecret() {}

    public static @Nullable KeyPairPem pair(@Nullable Secret secret) {
        String certificate = text(secret, CERTIFICATE);
        String key = text(secret, KEY);
        return certificate == null || key == null ? null : new KeyPairPem(certificate, key);
    }

    public static @Nullable String text(@Nullable Secret secret, String key) {
        Map<String, String> data = secret == null ? null : secret.getData();
        String encoded = data == null ? null : data.get(key);
        if (encoded == null || encoded.isEmpty()) {
            return null;
        }
        return new String(Base64.getDecoder().decode(encoded), StandardCharsets.US_ASCII);
    }

    public static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }
}
