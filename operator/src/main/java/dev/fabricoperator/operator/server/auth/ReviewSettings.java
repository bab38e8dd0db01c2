/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** How much is asked of the API server about tokens and permissions at most. */
public interface ReviewSettings {
    /** TokenReviews, and apart from them SubjectAccessReviews, on their way at one time. */
    @WithDefault("64")
    int concurrency();

    /** TokenReviews on their way at one time for addresses from which many invalid tokens have come. */
    @WithDefault("2")
    int suspectConcurrency();

    /** An address is one of those after this many invalid tokens ... */
    @WithDefault("20")
    int invalidPerAddress();

    /** ... until this time after the last. Invalid tokens are remembered for as long. */
    @WithDefault("1m")
    Duration invalidMemory();
}
