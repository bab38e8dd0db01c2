/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.fence;

/** Called exactly once, on the loop. */
public interface Answer {
    /**
     * @param status pmix_status_t, 0 for success
     * @param data empty unless the status is 0
     */
    void answer(int status, byte[] data);
}
