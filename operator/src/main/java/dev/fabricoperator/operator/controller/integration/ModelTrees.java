/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import dev.fabricoperator.operator.model.ClusterModel;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The trees of the newest model, made once for all systems that are told of the same Fabrics. */
@Singleton
public final class ModelTrees {
    private final Map<Set<String>, FabricTrees> made = new HashMap<>();
    private @Nullable ClusterModel newest;

    /** @param system whose name a Fabric may have in its annotation to opt out */
    public synchronized FabricTrees of(ClusterModel model, String system) {
        if (newest != model) {
            made.clear();
            newest = model;
        }
        return made.computeIfAbsent(FabricTrees.asked(model, system), asked -> FabricTrees.of(model, asked));
    }
}
