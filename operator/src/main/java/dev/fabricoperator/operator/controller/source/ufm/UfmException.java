/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source.ufm;

import java.io.IOException;

/** An appliance did not give what was asked for; the message is for an administrator. */
public final class UfmException extends IOException {
    private static final long serialVersionUID = 1L;

    /** What to do about it. */
    public enum Kind {
        /** Wait: the appliance is away, or busy. */
        Unreachable,
        /** Give other credentials. */
        Refused,
        /** Look at the appliance, or at what else answers there. */
        Unreadable
    }

    private final Kind kind;

    public UfmException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public UfmException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
