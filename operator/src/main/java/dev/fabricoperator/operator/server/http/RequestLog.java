/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import java.time.Duration;

/** Hears of every request that has ended. */
@FunctionalInterface
public interface RequestLog {
    /** @param code of HTTP */
    void ended(int code, Duration took);
}
