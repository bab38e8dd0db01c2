/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.node;

import static dev.fabricoperator.operator.controller.integration.MadeModels.fabric;
import static dev.fabricoperator.operator.controller.integration.MadeModels.facts;
import static dev.fabricoperator.operator.controller.integration.MadeModels.model;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricSpec;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.NodeLabelSource;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.crds.TopologySourceBuilder;
import dev.fabricoperator.operator.cluster.NodeFacts;
import dev.fabricoperator.operator.controller.integration.ModelTrees;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.FailedFabric;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Reason;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NodeLabelsTest {
    private static final FabricSpec PLAIN = FabricSpecBuilder.builder().build();
    private static final String FABRIC = "fabric-operator.dev/fabric";
    private static final String TIER_1 = "fabric-operator.dev/tier-1";
    private static final String TIER_2 = "fabric-operator.dev/tier-2";
    private static final String TOPOGRAPH_0 = "fabric.topograph.run/tier-0";
    private static final String TOPOGRAPH_1 = "fabric.topograph.run/tier-1";
    private static final String OWN_1 = "ib.fabric-operator.dev/tier-1";
    private static final String OWN_2 = "ib.fabric-operator.dev/tier-2";
    private static final Map<String, String> PLACE =
            Map.of(FABRIC, "ib", TIER_1, "ib-leaf-0", TIER_2, "ib", OWN_1, "ib-leaf-0", OWN_2, "ib");

    private static final NodeLabels LABELS = labels(model(fabric("ib", 0, PLAIN, true, "n1", "n2")), false);
    private static final NodeLabels WITH_TOPOGRAPH = labels(model(fabric("ib", 0, PLAIN, true, "n1", "n2")), true);

    private static NodeLabels labels(ClusterModel model, boolean topograph) {
        return NodeLabels.of(new ModelTrees().of(model, NodeLabels.SYSTEM), topograph);
    }

    @Test
    void aNodeIsToldItsFabricAndItsPlaceAtEachTier() {
        assertThat(LABELS.byNode()).isEqualTo(Map.of("n1", PLACE, "n2", PLACE));
        assertThat(LABELS.difference(node("n1", Map.of("zone", "a")))).isEqualTo(PLACE);
    }

    @Test
    void aNodeIsToldOfItsNetworkBeforeItsCliqueWhateverTheirPrioritiesAndIndexes() {
        FabricSpec cliques = FabricSpecBuilder.builder()
                .priority(5)
                .sources(List.of(TopologySourceBuilder.builder()
                        .type(SourceType.NodeLabels)
                        .nodeLabels(new NodeLabelSource(List.of("nvidia.com/gpu.clique"), 7200, null))
                        .build()))
                .build();
        NodeLabels labels = labels(
                model(fabric("nvlink", 0, cliques, true, "n1", "n2"), fabric("ib", 1, PLAIN, true, "n1")), false);
        assertThat(labels.byNode().get("n1")).containsEntry(FABRIC, "ib");
        assertThat(labels.byNode().get("n2")).containsEntry(FABRIC, "nvlink");
    }

    @Test
    void topographsFirstTierIsTheNearest() {
        assertThat(WITH_TOPOGRAPH.difference(node("n1", PLACE)))
                .isEqualTo(Map.of(TOPOGRAPH_0, "ib-leaf-0", TOPOGRAPH_1, "ib"));
    }

    @Test
    void onlyWhatDiffersIsWritten() {
        Map<String, String> labels = new HashMap<>(PLACE);
        assertThat(LABELS.difference(node("n1", labels))).isEmpty();
        labels.put(TIER_1, "elsewhere");
        assertThat(LABELS.difference(node("n1", labels))).isEqualTo(Map.of(TIER_1, "ib-leaf-0"));
    }

    @Test
    void whatANodeNoLongerHasGoes() {
        Map<String, @Nullable String> gone = new HashMap<>();
        gone.put(FABRIC, null);
        gone.put(TIER_1, null);
        Map<String, String> labels = Map.of(
                FABRIC, "ib", TIER_1, "ib-leaf-0", "fabric-operator.dev/tier-one", "a", "fabric-operator.dev/x", "b");
        assertThat(LABELS.difference(node("n3", labels))).isEqualTo(gone);
        assertThat(NodeLabels.NONE.difference(node("n1", labels))).isEqualTo(gone);
    }

    @Test
    void whatTopographHasWrittenIsItsOwn() {
        Map<String, String> labels = new HashMap<>(PLACE);
        labels.put(TOPOGRAPH_0, "rack-7");
        assertThat(WITH_TOPOGRAPH.difference(node("n1", labels))).isEqualTo(Map.of(TOPOGRAPH_1, "ib"));
        assertThat(WITH_TOPOGRAPH.meetsAnothers(node("n1", labels))).isTrue();
        assertThat(LABELS.difference(node("n1", labels))).isEmpty();
    }

    @Test
    void whatTheOperatorHasWrittenForTopographGoesWithTheSetting() {
        Map<String, String> labels = new HashMap<>(PLACE);
        labels.put(TOPOGRAPH_0, "ib-leaf-0");
        labels.put(TOPOGRAPH_1, "somebody's");
        NodeFacts node = node("n1", labels);
        Map<String, @Nullable String> gone = new HashMap<>();
        gone.put(TOPOGRAPH_0, null);
        assertThat(LABELS.difference(node)).isEqualTo(gone);
        assertThat(WITH_TOPOGRAPH.difference(node)).isEmpty();
    }

    @Test
    void whatTheOperatorHasWrittenForTopographFollowsAlsoWhereSomebodyHasChangedTheNodesOwnLabels() {
        Map<String, String> labels = new HashMap<>(PLACE);
        labels.put(TIER_1, "elsewhere");
        labels.put(TOPOGRAPH_0, "ib");
        labels.put(TOPOGRAPH_1, "ib-leaf-0");
        List.of(TIER_2, OWN_1, OWN_2, FABRIC).forEach(labels::remove);
        assertThat(WITH_TOPOGRAPH.difference(node("n1", labels)))
                .containsEntry(TOPOGRAPH_0, "ib-leaf-0")
                .containsEntry(TOPOGRAPH_1, "ib");
        assertThat(WITH_TOPOGRAPH.meetsAnothers(node("n1", labels))).isFalse();
    }

    @Test
    void aNodeOfSeveralFabricsHasTheTiersOfEachAndItsPlaceInTheFirst() {
        NodeLabels labels = labels(
                model(
                        fabric("ib", 1, PLAIN, true, "n1", "n2", "n3"),
                        fabric("rail.2", 0, PLAIN, true, "n2", "n3", "n4")),
                false);
        String of2 = "rail.2.fabric-operator.dev/tier-";
        assertThat(labels.byNode().get("n1")).isEqualTo(PLACE);
        assertThat(labels.byNode().get("n3"))
                .isEqualTo(Map.of(
                        FABRIC,
                        "rail.2",
                        TIER_1,
                        "rail.2-leaf-0",
                        TIER_2,
                        "rail.2",
                        OWN_1,
                        "ib-leaf-0",
                        OWN_2,
                        "ib",
                        of2 + 1,
                        "rail.2-leaf-0",
                        of2 + 2,
                        "rail.2"));
        assertThat(labels.fabricsOf("n3")).containsExactly("rail.2", "ib");
        assertThat(labels.fabricsOf("n4")).containsExactly("rail.2");
    }

    @Test
    void labelsOfAFabricThatIsGoneGoWithItAndThoseOfAnotherStay() {
        Map<String, String> labels = new HashMap<>(PLACE);
        labels.put("gone.fabric-operator.dev/tier-1", "gone-leaf-0");
        labels.put("gone.fabric-operator.dev/other", "a user's");
        labels.put("notours-fabric-operator.dev/tier-1", "a user's");
        Map<String, @Nullable String> gone = new HashMap<>();
        gone.put("gone.fabric-operator.dev/tier-1", null);
        assertThat(LABELS.difference(node("n1", labels))).isEqualTo(gone);
    }

    @Test
    void nodesKeepTheTiersOfAFabricThatCannotBeModelledAndFollowTheOthers() {
        TreeMap<String, FailedFabric> failed = new TreeMap<>();
        failed.put("b", new FailedFabric(facts("b", PLAIN, Set.of()), null, new IllegalStateException("defect")));
        NodeLabels labels = labels(model(failed), false);
        Map<String, String> present = new HashMap<>(PLACE);
        present.put("b.fabric-operator.dev/tier-1", "b-leaf-0");
        assertThat(labels.difference(node("n1", present))).hasSize(PLACE.size()).containsKeys(OWN_1, TIER_1);
    }

    @Test
    void aNameThatIsTooLongForAKeyIsCutWithAHashBehindIt() {
        String name = "x".repeat(250);
        NodeLabels labels = labels(model(fabric(name, 0, PLAIN, true, "n1", "n2")), false);
        assertThat(Objects.requireNonNull(labels.byNode().get("n1")).keySet())
                .filteredOn(key -> key.contains(".fabric-operator.dev/"))
                .hasSize(2)
                .allSatisfy(key -> assertThat(key.substring(0, key.indexOf('/')))
                        .hasSize(253)
                        .matches("x+-[0-9a-f]{8}[.]fabric-operator[.]dev"));
    }

    @Test
    void nodesOfTwoFabricsNeverShareAPlace() {
        NodeLabels labels = labels(
                model(fabric("ib", 0, PLAIN, true, "n1", "n2"), fabric("ib-leaf-0", 1, PLAIN, true, "n3", "n4")),
                false);
        assertThat(labels.byNode().get("n3"))
                .containsOnlyKeys("ib-leaf-0.fabric-operator.dev/tier-1", "ib-leaf-0.fabric-operator.dev/tier-2");
        assertThat(labels.trees()
                        .get(1)
                        .withoutTree(ConditionType.NodeLabelsCurrent, "")
                        .reason())
                .isEqualTo(Reason.NameTaken);
    }

    @Test
    void aLongNameIsCutToWhatALabelHolds() {
        String name = "a-fabric-with-a-name-that-is-as-long-as-a-name-of-a-fabric-may-be-and-longer";
        NodeLabels labels = labels(model(fabric(name, 0, PLAIN, true, "n1", "n2")), true);
        Map<String, String> place = Objects.requireNonNull(labels.byNode().get("n1"));
        assertThat(place.values())
                .allSatisfy(
                        value -> assertThat(value).hasSizeLessThanOrEqualTo(63).matches("[a-z0-9][a-z0-9.-]*[a-z0-9]"));
        assertThat(place.get(TIER_1)).isNotEqualTo(place.get(TIER_2));
    }

    @Test
    void aFabricThatOptsOutLabelsNothing() {
        assertThat(labels(model(fabric("ib", 0, PLAIN, Set.of("node-labels"), true, "n1", "n2")), true)
                        .byNode())
                .isEmpty();
    }

    @Test
    void nodesOfAFabricThatCannotBeModelledKeepWhatTheyHave() {
        TreeMap<String, FailedFabric> failed = new TreeMap<>();
        failed.put("b", new FailedFabric(facts("b", PLAIN, Set.of()), null, new IllegalStateException("defect")));
        NodeLabels labels = labels(model(failed), false);
        assertThat(labels.difference(node("n1", Map.of(FABRIC, "b", TIER_1, "b-leaf-0"))))
                .isEmpty();
        assertThat(labels.difference(node("n2", PLACE))).hasSize(PLACE.size());
    }

    private static NodeFacts node(String name, Map<String, String> labels) {
        return NodeFacts.of(new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .withLabels(labels)
                .endMetadata()
                .build());
    }
}
