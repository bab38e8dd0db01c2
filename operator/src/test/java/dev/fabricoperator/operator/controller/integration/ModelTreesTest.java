/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import static dev.fabricoperator.operator.controller.integration.MadeModels.fabric;
import static dev.fabricoperator.operator.controller.integration.MadeModels.model;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricSpec;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.operator.model.ClusterModel;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ModelTreesTest {
    private static final FabricSpec PLAIN = FabricSpecBuilder.builder().build();

    @Test
    void theTreesOfAModelAreMadeOnceForAllSystemsThatAreToldOfTheSameFabrics() {
        ClusterModel model =
                model(fabric("a", 0, PLAIN, Set.of("volcano"), true, "n1"), fabric("b", 1, PLAIN, true, "n2", "n3"));
        ModelTrees trees = new ModelTrees();
        FabricTrees all = trees.of(model, "node-labels");
        assertThat(trees.of(model, "kueue")).isSameAs(all);
        assertThat(trees.of(model, "volcano").trees()).hasSize(1);
        assertThat(trees.of(model(), "kueue").trees()).isEmpty();
        assertThat(trees.of(model, "node-labels")).isNotSameAs(all);
    }
}
