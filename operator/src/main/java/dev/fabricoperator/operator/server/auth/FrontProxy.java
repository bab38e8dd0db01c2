/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.MultiMap;
import java.io.ByteArrayInputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * By whose word a request's user is taken from its headers: that of a client whose certificate the front proxy's authority has
 * signed. Immutable; made of the ConfigMap {@code kube-system/extension-apiserver-authentication}, which the API server keeps.
 *
 * @see "Kubernetes documentation, Configure the Aggregation Layer"
 */
public final class FrontProxy {
    /** Where there is no front proxy nobody's headers are believed. */
    public static final FrontProxy NONE =
            new FrontProxy(Map.of(), Set.of(), Set.of(), List.of(), List.of(), List.of(), List.of());

    private static final String CLIENT_AUTHENTICATION = "1.3.6.1.5.5.7.3.2";
    private static final int MAXIMUM_GROUPS = 512;
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final String VERDICT = FrontProxy.class.getName();
    /** Somebody who was not trusted may be so later, when a certificate's time has begun. */
    private static final Duration DISTRUST = Duration.ofMinutes(1);

    private final Map<String, String> data;
    private final Set<TrustAnchor> authorities;
    private final Set<String> names;
    private final List<String> userHeaders;
    private final List<String> uidHeaders;
    private final List<String> groupHeaders;
    private final List<String> extraPrefixes;

    /** What was found of a TLS session's client, by which front proxy, and until when that counts. */
    private record Verdict(FrontProxy by, boolean trusted, Instant until) {}

    private FrontProxy(
            Map<String, String> data,
            Set<TrustAnchor> authorities,
            Set<String> names,
            List<String> userHeaders,
            List<String> uidHeaders,
            List<String> groupHeaders,
            List<String> extraPrefixes) {
        this.data = data;
        this.authorities = authorities;
        this.names = names;
        this.userHeaders = userHeaders;
        this.uidHeaders = uidHeaders;
        this.groupHeaders = groupHeaders;
        this.extraPrefixes = extraPrefixes;
    }

    /**
     * @param data of the ConfigMap
     * @throws IllegalArgumentException when it cannot be understood
     */
    public static FrontProxy of(Map<String, String> data) {
        String authority = data.get("requestheader-client-ca-file");
        if (authority == null || authority.isBlank()) {
            return NONE;
        }
        try {
            Collection<? extends Certificate> certificates = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(authority.getBytes(StandardCharsets.US_ASCII)));
            Set<TrustAnchor> anchors = new HashSet<>();
            certificates.forEach(certificate -> anchors.add(new TrustAnchor((X509Certificate) certificate, null)));
            return new FrontProxy(
                    Map.copyOf(data),
                    anchors,
                    Set.copyOf(list(data, "requestheader-allowed-names")),
                    list(data, "requestheader-username-headers"),
                    list(data, "requestheader-uid-headers"),
                    list(data, "requestheader-group-headers"),
                    list(data, "requestheader-extra-headers-prefix"));
        } catch (GeneralSecurityException | JsonProcessingException e) {
            throw new IllegalArgumentException("cannot understand how the front proxy shows itself", e);
        }
    }

    /** As {@link #of}, but this where nothing has changed, so that what was found of sessions goes on counting. */
    public FrontProxy next(Map<String, String> now) {
        return now.equals(data) ? this : of(now);
    }

    /** Whether the client of a TLS session is the front proxy; its certificates are validated once for each session. */
    public boolean trusts(SSLSession session, Instant now) {
        if (session.getValue(VERDICT) instanceof Verdict known && known.by() == this && now.isBefore(known.until())) {
            return known.trusted();
        }
        boolean trusted = false;
        Instant until = now.plus(DISTRUST);
        try {
            List<X509Certificate> chain = Arrays.stream(session.getPeerCertificates())
                    .map(X509Certificate.class::cast)
                    .toList();
            trusted = trusts(chain, Date.from(now));
            if (trusted) {
                until = chain.stream()
                        .map(each -> each.getNotAfter().toInstant())
                        .min(Comparator.naturalOrder())
                        .orElse(until);
            }
        } catch (SSLPeerUnverifiedException e) {
            // It has shown none, and will show none in this session.
            trusted = false;
        }
        session.putValue(VERDICT, new Verdict(this, trusted, until));
        return trusted;
    }

    /** Whether a client that has shown these certificates, its own first, is the front proxy. */
    boolean trusts(List<X509Certificate> chain, Date now) {
        if (authorities.isEmpty() || chain.isEmpty()) {
            return false;
        }
        X509Certificate own = chain.getFirst();
        try {
            List<String> usages = own.getExtendedKeyUsage();
            if (usages != null && !usages.contains(CLIENT_AUTHENTICATION)) {
                return false;
            }
            PKIXParameters parameters = new PKIXParameters(authorities);
            parameters.setRevocationEnabled(false);
            parameters.setDate(now);
            CertPathValidator.getInstance("PKIX")
                    .validate(CertificateFactory.getInstance("X.509").generateCertPath(chain), parameters);
            return names.isEmpty() || names.contains(commonName(own));
        } catch (GeneralSecurityException e) {
            // Not signed by that authority, or not valid now: a client like any other.
            return false;
        }
    }

    /** The user whom the headers name; {@code null} where they name none. Only for a client that is trusted. */
    public @Nullable Caller caller(MultiMap headers) {
        String user = first(headers, userHeaders);
        if (user == null || user.isEmpty()) {
            return null;
        }
        List<String> groups = new ArrayList<>();
        for (String header : groupHeaders) {
            groups.addAll(headers.getAll(header));
        }
        if (groups.size() > MAXIMUM_GROUPS) {
            return null;
        }
        Map<String, List<String>> extra = new TreeMap<>();
        headers.forEach(header -> {
            for (String prefix : extraPrefixes) {
                if (header.getKey().regionMatches(true, 0, prefix, 0, prefix.length())) {
                    String key = URLDecoder.decode(
                            header.getKey().substring(prefix.length()).toLowerCase(Locale.ROOT),
                            StandardCharsets.UTF_8);
                    extra.computeIfAbsent(key, k -> new ArrayList<>()).add(header.getValue());
                }
            }
        });
        return new Caller(user, first(headers, uidHeaders), groups, new HashMap<>(extra));
    }

    private static @Nullable String first(MultiMap headers, List<String> names) {
        return names.stream()
                .map(headers::get)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private static String commonName(X509Certificate certificate) {
        try {
            for (Rdn part : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
                if (part.getType().equalsIgnoreCase("CN")) {
                    return String.valueOf(part.getValue());
                }
            }
        } catch (InvalidNameException e) {
            // A subject that is none has no name that could be allowed.
            return "";
        }
        return "";
    }

    private static List<String> list(Map<String, String> data, String key) throws JsonProcessingException {
        String text = data.get(key);
        return text == null ? List.of() : Arrays.asList(JSON.readValue(text, String[].class));
    }
}
