/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;

/** How this project's programs write objects: by apply patches, and each takes the fields that it writes from whoever had them. */
public final class ServerSideApply {
    private ServerSideApply() {}

    /** @param fieldManager the one writer of the fields that are sent */
    public static PatchContext by(String fieldManager) {
        return new PatchContext.Builder()
                .withPatchType(PatchType.SERVER_SIDE_APPLY)
                .withFieldManager(fieldManager)
                .withForce(true)
                .build();
    }
}
