/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.Optional;

/** Settings of the job service; as environment variables {@code FABRIC_OPERATOR_JOBS_PORT} and so on. */
@ConfigMapping(prefix = "fabric-operator.jobs")
public interface JobSettings {
    @WithDefault("0.0.0.0")
    String host();

    @WithDefault("9444")
    int port();

    /** Under which other replicas, and pods, reach this one: its address in the EndpointSlice. Without it every job is served here. */
    Optional<String> address();

    /** The headless Service whose ready addresses share the jobs out among them. */
    @WithDefault("fabric-operator-jobs")
    String service();

    /** An answer that waits for something to happen waits no longer than this. */
    @WithDefault("20s")
    Duration hold();

    /** How long the API server's word on a token is believed, unless its pod goes before. */
    @WithDefault("5m")
    Duration tokenCache();

    /** The pods of a job of more than this number are not all sent its map: they hand it on. */
    @WithDefault("32")
    int handOnAbove();

    /** TokenReviews on their way at one time. */
    @WithDefault("64")
    int reviews();

    /** Open connections; more are closed at once. A job of 4,096 pods has as many. */
    @WithDefault("16384")
    int connections();

    /** A connection on which nothing happens ends after this time; longer than {@link #hold}. */
    @WithDefault("60s")
    Duration idle();

    /** What is known of a job of which nothing was heard for this long is forgotten. */
    @WithDefault("10m")
    Duration forget();
}
