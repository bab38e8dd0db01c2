/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import org.jspecify.annotations.Nullable;

/** What is kept of an object. */
public interface Fact {
    String name();

    String uid();

    String resourceVersion();

    /** {@link #number} of this one's resource version. */
    default long version() {
        return number(resourceVersion());
    }

    /**
     * A resource version as a number: those of one kind grow, since Kubernetes 1.35 also by its contract.
     *
     * @return 0 for one that is absent or no number, so that whatever was seen counts as newer
     */
    static long number(@Nullable String resourceVersion) {
        try {
            return resourceVersion == null ? 0 : Long.parseLong(resourceVersion);
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
