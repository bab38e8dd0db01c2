/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.query;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.time.Instant;
import java.util.Base64;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

/** Signs ServiceAccount tokens with the control plane's own key: the API server gives out none that ends within ten minutes. */
final class SignedTokens {
    private static final ObjectMapper JSON = new ObjectMapper();
    private final PrivateKey key;

    SignedTokens(Path controlPlane) throws IOException {
        try (Reader text = Files.newBufferedReader(controlPlane.resolve("pki/service-accounts.key"));
                PEMParser parser = new PEMParser(text)) {
            key = new JcaPEMKeyConverter()
                    .getKeyPair((PEMKeyPair) parser.readObject())
                    .getPrivate();
        }
    }

    /** The same claims, valid from two hours ago until so many seconds from now. */
    String endingIn(String token, long seconds) throws IOException, GeneralSecurityException {
        String[] parts = token.split("\\.", -1);
        ObjectNode claims = (ObjectNode) JSON.readTree(Base64.getUrlDecoder().decode(parts[1]));
        long now = Instant.now().getEpochSecond();
        claims.put("iat", now - 7200).put("nbf", now - 7200).put("exp", now + seconds);
        String body = parts[0] + "." + base64(JSON.writeValueAsBytes(claims));
        Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initSign(key);
        signature.update(body.getBytes(StandardCharsets.US_ASCII));
        return body + "." + base64(signature.sign());
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
