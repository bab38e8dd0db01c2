/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import java.io.IOException;

/** A message that is not what its codec writes: torn, of another version, or made to harm. */
public final class JobCodecException extends IOException {
    private static final long serialVersionUID = 1L;

    public JobCodecException(String message) {
        super(message);
    }
}
