/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query;

import dev.fabricoperator.operator.server.auth.ReviewSettings;
import dev.fabricoperator.operator.server.http.ListenerSettings;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;

/** Settings of the query API; as environment variables {@code FABRIC_OPERATOR_QUERY_PORT} and so on. */
@ConfigMapping(prefix = "fabric-operator.query")
public interface QuerySettings {
    /** Address that it listens on. */
    @WithDefault("0.0.0.0")
    String host();

    /** TCP port that it listens on. */
    @WithDefault("8443")
    int port();

    /** {@code tls.crt} and {@code tls.key} of the query API alone; without them it shows the certificate of all listeners. */
    @WithDefault("/etc/fabric-operator/query-tls")
    Path certificateDirectory();

    /** How long what the API server said of a token or a permission is believed. */
    @WithDefault("10s")
    Duration accessCache();

    /** How often certificate files and the front proxy's authority are looked at. */
    @WithDefault("30s")
    Duration reloadInterval();

    ReviewSettings reviews();

    Listen listener();

    Limits limits();

    /** The front proxy brings the requests of many users from few addresses. */
    interface Listen extends ListenerSettings {
        @Override
        @WithDefault("2048")
        int connections();

        @Override
        @WithDefault("2048")
        int requests();

        @Override
        @WithDefault("1536")
        int requestsPerAddress();
    }

    /** What one user, or many, can take at most. */
    interface Limits {
        /** Matrices up to this many vertices are sent whole. */
        @WithDefault("8192")
        int wholeMatrixVertices();

        /** Requests in work, streams apart; more get 429. */
        @WithDefault("256")
        int requests();

        /** Requests in work of one user. */
        @WithDefault("64")
        int requestsPerUser();

        /** Answers of more than a megabyte in work. */
        @WithDefault("4")
        int largeAnswers();

        /** Open streams. */
        @WithDefault("512")
        int watches();

        /** Open streams of one user. */
        @WithDefault("16")
        int watchesPerUser();

        /** A request that is not a stream ends after this time, whatever its client reads. */
        @WithDefault("60s")
        Duration request();
    }
}
