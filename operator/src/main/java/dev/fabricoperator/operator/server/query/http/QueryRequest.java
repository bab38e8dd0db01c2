/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.http;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One request, as far as the fabric is concerned.
 *
 * @param path decoded, such as {@code /apis/query.fabric-operator.dev/v1alpha1/fabrics/infiniband-0/cost}
 * @param segments the path between its slashes
 */
public record QueryRequest(
        String path,
        List<String> segments,
        Parameters parameters,
        @Nullable String accept) {

    public Format format(Set<Format> offered) throws StatusException {
        return Format.chosen(parameters.text("format"), accept, offered);
    }
}
