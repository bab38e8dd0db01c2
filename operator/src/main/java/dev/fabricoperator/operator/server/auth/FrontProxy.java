/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.MultiMap;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * By whose word a request's user is taken from its headers: that of a client whose certificate the front proxy's authority has
 * signed. Immutable; made of {@link AuthenticationConfigMap}.
 *
 * @see "Kubernetes documentation, Configure the Aggregation Layer"
 */
public final class FrontProxy {
    /** Where there is no front proxy nobody's headers are believed. */
    public static final FrontProxy NONE =
            new FrontProxy(ClientAuthority.NONE, List.of(), List.of(), List.of(), List.of());

    private static final int MAXIMUM_GROUPS = 512;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ClientAuthority authority;
    private final List<String> userHeaders;
    private final List<String> uidHeaders;
    private final List<String> groupHeaders;
    private final List<String> extraPrefixes;

    private FrontProxy(
            ClientAuthority authority,
            List<String> userHeaders,
            List<String> uidHeaders,
            List<String> groupHeaders,
            List<String> extraPrefixes) {
        this.authority = authority;
        this.userHeaders = userHeaders;
        this.uidHeaders = uidHeaders;
        this.groupHeaders = groupHeaders;
        this.extraPrefixes = extraPrefixes;
    }

    /**
     * The front proxy that the ConfigMap names now. What this one has found of sessions goes on counting where the authority is the same.
     *
     * @throws IllegalArgumentException when the data cannot be understood
     */
    public FrontProxy next(Map<String, String> data) {
        String pem = data.get("requestheader-client-ca-file");
        if (pem == null) {
            return NONE;
        }
        try {
            return new FrontProxy(
                    authority.next(pem, list(data, "requestheader-allowed-names")),
                    list(data, "requestheader-username-headers"),
                    list(data, "requestheader-uid-headers"),
                    list(data, "requestheader-group-headers"),
                    list(data, "requestheader-extra-headers-prefix"));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("cannot understand how the front proxy shows itself", e);
        }
    }

    /** Whether the client of a TLS session is the front proxy. */
    public boolean trusts(SSLSession session, Instant now) {
        return authority.trusts(session, now);
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

    private static List<String> list(Map<String, String> data, String key) throws JsonProcessingException {
        String text = data.get(key);
        return text == null ? List.of() : Arrays.asList(JSON.readValue(text, String[].class));
    }
}
