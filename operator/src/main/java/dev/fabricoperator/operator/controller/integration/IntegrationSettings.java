/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Settings of all integrations; as environment variables {@code FABRIC_OPERATOR_INTEGRATIONS_INTERVAL} and so on. */
@ConfigMapping(prefix = "fabric-operator.integrations")
public interface IntegrationSettings {
    /** How often it is looked whether the API server knows the kinds of other systems. */
    @WithDefault("30s")
    Duration interval();
}
