/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.http;

import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The parameters of a request, each at most once. */
public final class Parameters {
    private static final int MAXIMUM = 64;

    /** What clients of Kubernetes send along and what means nothing here. */
    private static final Set<String> IGNORED =
            Set.of("timeout", "pretty", "allowWatchBookmarks", "resourceVersionMatch", "sendInitialEvents");

    private final Map<String, List<String>> values;

    private Parameters(Map<String, List<String>> values) {
        this.values = values;
    }

    static Parameters of(String uri) throws StatusException {
        try {
            return new Parameters(
                    new QueryStringDecoder(uri, java.nio.charset.StandardCharsets.UTF_8, true, MAXIMUM).parameters());
        } catch (IllegalArgumentException e) {
            throw StatusException.badParam("query", "the query is not URL-encoded: " + e.getMessage());
        }
    }

    /** Refuses what is not known: a pin that is misspelt would be none. */
    public void requireKnown(Set<String> known) throws StatusException {
        for (Map.Entry<String, List<String>> entry : values.entrySet()) {
            String name = entry.getKey();
            if (!known.contains(name) && !IGNORED.contains(name)) {
                throw StatusException.badParam(
                        name,
                        "no parameter '" + name + "' here; there is "
                                + String.join(", ", known.stream().sorted().toList()));
            }
            if (entry.getValue().size() > 1) {
                throw StatusException.badParam(name, "'" + name + "' is given more than once");
            }
        }
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }

    /** {@code null} where it is absent. */
    public @Nullable String text(String name) {
        List<String> given = values.get(name);
        return given == null ? null : given.getFirst();
    }

    public String required(String name) throws StatusException {
        String text = text(name);
        if (text == null || text.isEmpty()) {
            throw StatusException.badParam(name, "'" + name + "' is missing");
        }
        return text;
    }

    /** An integer from 0; {@code null} where it is absent. */
    public @Nullable Long number(String name) throws StatusException {
        String text = text(name);
        return text == null ? null : Long.valueOf(number(name, text));
    }

    /** @param name for the message */
    public static long number(String name, String text) throws StatusException {
        if (text.isEmpty() || text.length() > 18 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw StatusException.badParam(name, "'" + name + "' is an integer from 0, not '" + text + "'");
        }
        return Long.parseLong(text);
    }

    /** Whether it is {@code true}; {@code 1} counts, as for Kubernetes. */
    public boolean isTrue(String name) {
        String text = text(name);
        return "true".equals(text) || "1".equals(text);
    }
}
