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

    /** TokenReviews on their way at one time for suspect addresses, from which many invalid tokens have come. */
    @WithDefault("2")
    int suspectConcurrency();

    /** Invalid tokens after which an address is suspect. */
    @WithDefault("20")
    int invalidPerAddress();

    /** It is suspect until this time after the last of them. Invalid tokens are remembered for as long. */
    @WithDefault("1m")
    Duration invalidMemory();
}
