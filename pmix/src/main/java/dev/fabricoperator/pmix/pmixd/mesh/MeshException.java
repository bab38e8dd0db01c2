/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.mesh;

import java.io.Serial;

/** What a peer said cannot be accepted; the message completes "pod x ...". */
public final class MeshException extends Exception {
    @Serial
    private static final long serialVersionUID = 1;

    public MeshException(String message) {
        super(message);
    }
}
