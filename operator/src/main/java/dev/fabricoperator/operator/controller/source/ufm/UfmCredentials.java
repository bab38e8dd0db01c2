/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source.ufm;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.SourceType;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Secret;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * How an appliance is spoken to.
 *
 * @param authorization value of the header
 * @param api path of the interface: UFM takes access tokens under another one than passwords
 * @param trust authorities in PEM that may have signed its certificate, {@code null} for those of the JDK
 * @see "NVIDIA UFM Enterprise REST API, Access Tokens"
 */
public record UfmCredentials(String authorization, String api, byte @Nullable [] trust) {
    private static final String PASSWORD_API = "/ufmRest";
    private static final String TOKEN_API = "/ufmRestV3";
    private static final int HTTPS_PORT = 443;

    /**
     * Those of a Secret, if it is meant for the appliance. Whoever may write a Fabric names Secret and URL; whoever may
     * write the Secret says by label and annotation where its content may go.
     *
     * @param uri of the appliance
     * @throws UfmException if the Secret is for another host, for none, or incomplete
     */
    public static UfmCredentials of(Secret secret, URI uri) throws UfmException {
        ObjectMeta metadata = secret.getMetadata();
        String label = Objects.requireNonNullElse(metadata.getLabels(), Map.<String, String>of())
                .get(FabricApi.LABEL_CREDENTIALS);
        String hosts = Objects.requireNonNullElse(metadata.getAnnotations(), Map.<String, String>of())
                .getOrDefault(FabricApi.ANNOTATION_HOST, "");
        String host = uri.getHost() == null ? "" : uri.getHost().toLowerCase(Locale.ROOT);
        int port = uri.getPort();
        boolean usualPort = port < 0 || port == HTTPS_PORT;
        List<String> allowed = Stream.of(hosts.toLowerCase(Locale.ROOT).split(","))
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .toList();
        boolean meant = !host.isEmpty()
                && uri.getUserInfo() == null
                && "https".equals(uri.getScheme())
                && (allowed.contains(host + ":" + (usualPort ? HTTPS_PORT : port))
                        || (usualPort && allowed.contains(host)));
        if (!meant || !SourceType.ufm.name().equals(label)) {
            String name = metadata.getName();
            throw new UfmException(
                    UfmException.Kind.Refused,
                    uri + ": Secret " + name + " is not sent there. If that is the host that it is for: kubectl -n "
                            + metadata.getNamespace() + " label secret " + name + " " + FabricApi.LABEL_CREDENTIALS
                            + "="
                            + SourceType.ufm + " and annotate secret " + name + " " + FabricApi.ANNOTATION_HOST + "="
                            + host + (usualPort ? "" : ":" + port));
        }
        return of(Objects.requireNonNullElse(secret.getData(), Map.of()));
    }

    /**
     * From the data of a Secret, still in Base64: {@code token}, else {@code username} and {@code password}; {@code ca.crt}.
     *
     * @throws UfmException if neither is there
     */
    static UfmCredentials of(Map<String, String> secret) throws UfmException {
        String token = text(secret, "token");
        String username = text(secret, "username");
        String password = text(secret, "password");
        String ca = text(secret, "ca.crt");
        byte[] trust = ca == null ? null : ca.getBytes(StandardCharsets.UTF_8);
        if (token != null) {
            return new UfmCredentials("Basic " + token, TOKEN_API, trust);
        }
        if (username == null || password == null) {
            throw new UfmException(UfmException.Kind.Refused, "the Secret has neither token nor username and password");
        }
        byte[] pair = (username + ":" + password).getBytes(StandardCharsets.UTF_8);
        return new UfmCredentials("Basic " + Base64.getEncoder().encodeToString(pair), PASSWORD_API, trust);
    }

    /** @throws UfmException if {@code ca.crt} holds no certificate */
    SSLContext tls() throws UfmException {
        try {
            if (trust == null) {
                return SSLContext.getDefault();
            }
            KeyStore authorities = KeyStore.getInstance(KeyStore.getDefaultType());
            authorities.load(null, null);
            int number = 0;
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(trust))) {
                authorities.setCertificateEntry("ca-" + number++, certificate);
            }
            if (number == 0) {
                throw new UfmException(UfmException.Kind.Refused, "ca.crt of the Secret holds no certificate");
            }
            TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusted.init(authorities);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trusted.getTrustManagers(), null);
            return context;
        } catch (UfmException e) {
            throw e;
        } catch (GeneralSecurityException | IOException e) {
            throw new UfmException(
                    UfmException.Kind.Refused, "ca.crt of the Secret cannot be read: " + e.getMessage(), e);
        }
    }

    private static @Nullable String text(Map<String, String> secret, String key) throws UfmException {
        String value = secret.get(key);
        if (value == null) {
            return null;
        }
        try {
            String text = new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8).strip();
            // What a header may hold; anything else would be an exception of the HTTP client.
            if (!key.equals("ca.crt") && text.chars().anyMatch(c -> c < ' ' || c == 0x7f)) {
                throw new UfmException(UfmException.Kind.Refused, key + " of the Secret has several lines");
            }
            return text.isEmpty() ? null : text;
        } catch (IllegalArgumentException e) {
            throw new UfmException(UfmException.Kind.Refused, key + " of the Secret is not in Base64", e);
        }
    }

    /** Without secrets. */
    @Override
    public String toString() {
        return "UfmCredentials[" + api + "]";
    }
}
