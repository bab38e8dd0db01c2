/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/** For clients that may meet objects of a later release, which knows more families, kinds and reasons: what this one does not know is read as {@code null}. */
public final class TolerantSerialization {
    private TolerantSerialization() {}

    public static ObjectMapper tolerant(ObjectMapper mapper) {
        return mapper.enable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL);
    }

    public static KubernetesSerialization create() {
        return new KubernetesSerialization(tolerant(new ObjectMapper()), true);
    }
}
