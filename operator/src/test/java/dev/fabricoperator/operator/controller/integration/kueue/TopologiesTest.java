/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.kueue;

import static dev.fabricoperator.operator.controller.integration.MadeModels.fabric;
import static dev.fabricoperator.operator.controller.integration.MadeModels.facts;
import static dev.fabricoperator.operator.controller.integration.MadeModels.model;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricSpec;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.operator.controller.integration.ModelTrees;
import dev.fabricoperator.operator.controller.integration.WantedObjects;
import dev.fabricoperator.operator.controller.integration.WantedObjects.Wanted;
import dev.fabricoperator.operator.controller.integration.node.NodeLabelSettings;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.FailedFabric;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TopologiesTest {
    private static final FabricSpec PLAIN = FabricSpecBuilder.builder().build();

    private static Topologies topologies(NodeLabelSettings.Wanted labels) {
        return new Topologies(
                () -> true,
                new NodeLabelSettings() {
                    @Override
                    public Wanted enabled() {
                        return labels;
                    }

                    @Override
                    public boolean topograph() {
                        return false;
                    }
                },
                new ModelTrees());
    }

    private static WantedObjects wanted(ClusterModel model) {
        return topologies(NodeLabelSettings.Wanted.AUTO).wanted(model);
    }

    @Test
    void levelsAreTheLabelsFromTheWholeToTheHost() {
        WantedObjects wanted = wanted(model(fabric("ib", 0, PLAIN, true, "n1", "n2")));
        assertThat(wanted.objects())
                .containsExactly(new Wanted(
                        "ib",
                        "ib",
                        Map.of(
                                "levels",
                                List.of(
                                        Map.of("nodeLabel", "fabric-operator.dev/tier-2"),
                                        Map.of("nodeLabel", "fabric-operator.dev/tier-1"),
                                        Map.of("nodeLabel", "kubernetes.io/hostname")))));
        assertThat(Objects.requireNonNull(wanted.conditions().get("ib")).message())
                .isEqualTo("Topology ib has the levels fabric-operator.dev/tier-2, fabric-operator.dev/tier-1,"
                        + " kubernetes.io/hostname");
    }

    @Test
    void withoutLabelsThereIsNoTopology() {
        assertThat(topologies(NodeLabelSettings.Wanted.FALSE).isEnabled()).isFalse();
        assertThat(wanted(model(fabric("ib", 0, PLAIN, Set.of("node-labels"), true, "n1", "n2")))
                        .objects())
                .isEmpty();
    }

    @Test
    void aFabricThatOptsOutStillHasItsNodes() {
        WantedObjects wanted = wanted(model(
                fabric("a", 0, PLAIN, Set.of("kueue"), true, "n1", "n2"), fabric("b", 1, PLAIN, true, "n1", "n2")));
        // The labels of both nodes are those of the other Fabric.
        assertThat(wanted.objects()).isEmpty();
        assertThat(wanted.conditions()).containsOnlyKeys("b");
    }

    @Test
    void aFabricOfWhichNoSwitchIsKnownSaysSoAndKeepsTheTopologyThatItHad() {
        WantedObjects wanted = wanted(model(fabric("a", 0, PLAIN, false, "n1", "n2")));
        assertThat(wanted.objects()).isEmpty();
        assertThat(wanted.kept()).containsExactly("a");
        assertThat(Objects.requireNonNull(wanted.conditions().get("a")).status())
                .isEqualTo(ConditionStatus.False);
    }

    @Test
    void aFabricThatCannotBeModelledKeepsItsTopology() {
        TreeMap<String, FailedFabric> failed = new TreeMap<>();
        failed.put("b", new FailedFabric(facts("b", PLAIN, Set.of()), null, new IllegalStateException("defect")));
        assertThat(wanted(model(failed)).kept()).containsExactly("b");
    }
}
