/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs;

import dev.fabricoperator.operator.server.auth.ReviewSettings;
import dev.fabricoperator.operator.server.http.ListenerSettings;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.Optional;

/** Settings of the job service; as environment variables {@code FABRIC_OPERATOR_JOBS_PORT} and so on. */
@ConfigMapping(prefix = "fabric-operator.jobs")
public interface JobSettings {
    /** Address that it listens on. */
    @WithDefault("0.0.0.0")
    String host();

    /** TCP port that it listens on. */
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

    ReviewSettings reviews();

    Limits listener();

    /** A large job's pods all come at once, each with a connection of its own; where addresses are translated, those of a node by one address. */
    interface Limits extends ListenerSettings {
        @Override
        @WithDefault("16384")
        int connections();

        @Override
        @WithDefault("2048")
        int connectionsPerAddress();

        @Override
        @WithDefault("1024")
        int handshakesPerAddress();

        @Override
        @WithDefault("60s")
        Duration handshake();

        @Override
        @WithDefault("60s")
        Duration idle();

        @Override
        @WithDefault("32768")
        int requests();

        @Override
        @WithDefault("4096")
        int requestsPerAddress();

        @Override
        @WithDefault("16")
        int streamsPerConnection();

        @Override
        @WithDefault("16384")
        int headerBytes();

        @Override
        @WithDefault("32")
        int bodiesMebibytes();
    }

    /** What is known of a job of which nothing was heard for this long is forgotten. */
    @WithDefault("10m")
    Duration forget();
}
