/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.served;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import java.time.Duration;

/** Settings of what a server knows of fabrics; as environment variables {@code FABRIC_OPERATOR_QUERY_QUIET} and so on. */
@ConfigMapping(prefix = "fabric-operator.query")
public interface ServedSettings {
    /** From a change of the objects to a refresh. */
    @WithDefault("50ms")
    Duration quiet();

    /** For one answer of a sweep that serves forwarding tables. */
    @WithDefault("1m")
    Duration routesLimit();

    /** Generations of which changes are kept. */
    @WithDefault("256")
    @WithName("limits.generations")
    int generations();
}
