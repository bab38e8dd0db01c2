/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.server;

/** The library refused a call. */
public final class PmixException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;

    /**
     * @param call the C function
     * @param status what it returned
     * @param reason the library's word for the status
     */
    public PmixException(String call, int status, String reason) {
        super(call + ": " + reason + " (" + status + ")");
        this.status = status;
    }

    public int status() {
        return status;
    }
}
