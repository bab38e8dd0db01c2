/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import java.nio.file.Path;

/** A server of the control plane ended, or did not get ready; the message ends with the last lines of its log. */
public final class ServerFailedException extends RuntimeException {
    private final transient Path log;
    private final String logTail;

    ServerFailedException(String message, Path log, String logTail) {
        super(message + ", log " + log + "\n" + logTail);
        this.log = log;
        this.logTail = logTail;
    }

    /** The whole log; its directory is kept. */
    public Path log() {
        return log;
    }

    /** Whether another server took the port between the look and the use. */
    boolean isPortTaken() {
        return logTail.contains("address already in use");
    }
}
