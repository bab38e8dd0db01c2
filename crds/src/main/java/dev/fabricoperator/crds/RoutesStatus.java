/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/** Where the forwarding tables of a subnet's switches are, from which follows which way packets really take. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RoutesStatus(
        @Pattern(DIGEST) @Size(max = 64) @JsonPropertyDescription("SHA-256 of the compressed tables") @Nullable
        String digest,

        @Pattern(ADDRESS)
        @Size(max = 64)
        @JsonPropertyDescription(
                "IP address and port at which the sweep serves them over HTTP, under /routes/ and the digest")
        @Nullable
        String address,

        @Size(max = 1024)
        @JsonPropertyDescription("Why there are none, or none that are newer; absent while nothing is wrong")
        @Nullable
        String message) {
    public static final String DIGEST = "^[0-9a-f]{64}$";
    public static final String ADDRESS =
            "^([0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[[0-9a-fA-F:.]{2,45}(%[0-9a-zA-Z]{1,8})?\\]):[0-9]{1,5}$";
}
