/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.output;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An object as the API server would return it. The types of {@code crds} that are such objects extend classes of a
 * Kubernetes client, which take longer to load than a dump takes to read.
 *
 * @param spec one of the spec records of {@code crds}
 * @param status one of the status records of {@code crds}
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Resource(
        String apiVersion,
        String kind,
        Metadata metadata,
        Object spec,
        @Nullable Object status) {

    /** The metadata that an object has without an API server. */
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    public record Metadata(String name, Map<String, String> labels) {}
}
