/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.slurm;

import static dev.fabricoperator.operator.controller.integration.MadeModels.fabric;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.operator.controller.integration.FabricTrees;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SlurmTopologiesTest {
    @Test
    void whileAFabricCannotBeModelledNoOtherIsSaidToBeWritten() {
        FabricTrees.FabricTree fresh = new FabricTrees.FabricTree(
                fabric("fresh", 0, FabricSpecBuilder.builder().build(), true, "n1"), null, null, null);

        assertThat(SlurmTopologies.untouched(new FabricTrees(List.of(fresh), Set.of("torn", "bent"))))
                .hasEntrySatisfying("fresh", draft -> {
                    assertThat(draft.status()).isEqualTo(ConditionStatus.Unknown);
                    assertThat(draft.message())
                            .isEqualTo("ConfigMap fabric-operator-slurm stays as it is, since 2 Fabrics cannot be"
                                    + " modelled (bent, torn)");
                })
                .hasSize(1);
    }
}
