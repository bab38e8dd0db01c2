/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.volcano;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** As environment variables {@code FABRIC_OPERATOR_VOLCANO_ENABLED} and so on. */
@ConfigMapping(prefix = "fabric-operator.volcano")
public interface VolcanoSettings {
    /** Whether HyperNodes are kept where Volcano is; without, those of the operator are removed. */
    @WithDefault("true")
    boolean enabled();
}
