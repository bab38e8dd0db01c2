/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.kueue;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** As environment variables {@code FABRIC_OPERATOR_KUEUE_ENABLED} and so on. */
@ConfigMapping(prefix = "fabric-operator.kueue")
public interface KueueSettings {
    /** Whether a Topology is kept for each Fabric where Kueue is; without, those of the operator are removed. */
    @WithDefault("true")
    boolean enabled();
}
