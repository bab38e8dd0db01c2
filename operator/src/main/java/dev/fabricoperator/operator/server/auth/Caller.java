/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Somebody whom the API server knows. */
public record Caller(String name, @Nullable String uid, List<String> groups, Map<String, List<String>> extra) {
    private static final String AUTHENTICATED = "system:authenticated";
    private static final String UNAUTHENTICATED = "system:unauthenticated";
    private static final String SERVICE_ACCOUNT = "system:serviceaccount:";

    /** Whoever is known is in the group of those who are, also where the front proxy does not say so. */
    public Caller {
        if (!groups.contains(AUTHENTICATED) && !groups.contains(UNAUTHENTICATED)) {
            groups = new ArrayList<>(groups);
            groups.add(AUTHENTICATED);
        }
        groups = List.copyOf(groups);
        extra = Map.copyOf(extra);
    }

    /**
     * By what its use of something shared is counted. The service accounts of a namespace are one: whoever may create pods there has the tokens of all.
     */
    public String tenant() {
        return name.startsWith(SERVICE_ACCOUNT) ? name.substring(0, name.lastIndexOf(':')) : name;
    }
}
