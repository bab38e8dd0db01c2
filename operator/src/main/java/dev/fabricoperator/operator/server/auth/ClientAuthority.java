/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** Which clients are trusted by their certificates: those that an authority has signed for one of some names. Immutable. */
public final class ClientAuthority {
    /** Signs nobody's certificate. */
    public static final ClientAuthority NONE = new ClientAuthority("", Set.of(), Set.of());

    private static final String CLIENT_AUTHENTICATION = "1.3.6.1.5.5.7.3.2";

    private static final String VERDICT = ClientAuthority.class.getName();
    /** Somebody who was not trusted may be so later, when a certificate's time has begun. */
    private static final Duration DISTRUST = Duration.ofMinutes(1);

    private final String pem;
    private final Set<TrustAnchor> authorities;
    private final Set<String> names;

    /** What was found of a TLS session's client, by which authority, and until when that counts. */
    private record Verdict(ClientAuthority by, boolean trusted, Instant until) {}

    private ClientAuthority(String pem, Set<TrustAnchor> authorities, Set<String> names) {
        this.pem = pem;
        this.authorities = authorities;
        this.names = names;
    }

    /**
     * The authority of these certificates; this one where nothing has changed, so that what was found of sessions goes on counting.
     *
     * @param nextNames common names of the clients that are trusted; without any, all that it has signed are
     * @throws IllegalArgumentException when the certificates cannot be understood
     */
    public ClientAuthority next(@Nullable String nextPem, Collection<String> nextNames) {
        if (nextPem == null || nextPem.isBlank()) {
            return NONE;
        }
        Set<String> allowed = Set.copyOf(nextNames);
        if (nextPem.equals(pem) && allowed.equals(names)) {
            return this;
        }
        try {
            Set<TrustAnchor> anchors = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(nextPem.getBytes(StandardCharsets.US_ASCII)))
                    .stream()
                    .map(certificate -> new TrustAnchor((X509Certificate) certificate, null))
                    .collect(Collectors.toSet());
            return new ClientAuthority(nextPem, anchors, allowed);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("cannot understand who signs the certificates of clients", e);
        }
    }

    /** Whether the client of a TLS session is trusted; its certificates are validated once for each session. */
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

    /** Whether a client that has shown these certificates, its own first, is trusted. */
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
}
