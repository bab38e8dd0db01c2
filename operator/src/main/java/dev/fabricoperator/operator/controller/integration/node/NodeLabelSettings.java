/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.node;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** As environment variables {@code FABRIC_OPERATOR_NODE_LABELS_ENABLED} and so on. */
@ConfigMapping(prefix = "fabric-operator.node-labels")
public interface NodeLabelSettings {
    /** Whether Nodes get the labels: {@code true}, {@code false}, which removes those of the operator, or {@code auto}: where the API server knows Kueue's Topology. */
    @WithDefault("auto")
    Wanted enabled();

    /** Whether they also get the labels that topograph writes, where it has written none. */
    @WithDefault("false")
    boolean topograph();

    /** When labels are wanted. */
    enum Wanted {
        /** Where the API server knows Kueue's Topology. */
        AUTO,
        TRUE,
        FALSE
    }
}
