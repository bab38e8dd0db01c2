/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.status;

import org.jspecify.annotations.Nullable;

/** Resource versions of one kind are numbers that grow, since Kubernetes 1.35 also by its contract. */
public final class ResourceVersions {
    private ResourceVersions() {}

    /** 0 for one that is absent or no number, so that whatever was seen counts as newer. */
    public static long number(@Nullable String resourceVersion) {
        try {
            return resourceVersion == null ? 0 : Long.parseLong(resourceVersion);
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
