/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.server;

import dev.fabricoperator.protocol.pmix.PmixStatus;
import org.jspecify.annotations.Nullable;

/**
 * Where the answer to one question of the server goes: exactly once, from any thread. A second answer is ignored.
 *
 * @param <T> what an answer holds besides its status; {@code Void} where nothing
 */
@FunctionalInterface
public interface Reply<T> {
    /**
     * @param status of {@link PmixStatus}
     * @param value {@code null} where the status is no success, or where there is nothing to say
     */
    void answer(int status, @Nullable T value);

    default void succeed(@Nullable T value) {
        answer(PmixStatus.PMIX_SUCCESS, value);
    }

    default void fail(int status) {
        answer(status, null);
    }
}
