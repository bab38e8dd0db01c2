/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.volcano;

import static dev.fabricoperator.operator.controller.integration.MadeModels.fabric;
import static dev.fabricoperator.operator.controller.integration.MadeModels.facts;
import static dev.fabricoperator.operator.controller.integration.MadeModels.model;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricSpec;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.Purpose;
import dev.fabricoperator.operator.controller.integration.ModelTrees;
import dev.fabricoperator.operator.controller.integration.WantedObjects;
import dev.fabricoperator.operator.controller.integration.WantedObjects.Wanted;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.FabricState;
import dev.fabricoperator.operator.model.FailedFabric;
import dev.fabricoperator.operator.model.condition.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class HyperNodesTest {
    private static final FabricSpec PLAIN = FabricSpecBuilder.builder().build();

    private static WantedObjects wanted(ClusterModel model) {
        return new HyperNodes(() -> true, new ModelTrees()).wanted(model);
    }

    @Test
    void aSwitchIsAHyperNodeWithNodesByName() {
        WantedObjects wanted = wanted(model(fabric("ib", 0, PLAIN, true, "n1", "n2")));
        assertThat(wanted.objects()).extracting(Wanted::name).containsExactly("ib-leaf-0", "ib");
        assertThat(wanted.objects().getFirst())
                .isEqualTo(new Wanted(
                        "ib-leaf-0",
                        "ib",
                        Map.of(
                                "tier",
                                1,
                                "tierName",
                                "leaf",
                                "members",
                                List.of(
                                        Map.of("type", "Node", "selector", Map.of("exactMatch", Map.of("name", "n1"))),
                                        Map.of(
                                                "type",
                                                "Node",
                                                "selector",
                                                Map.of("exactMatch", Map.of("name", "n2")))))));
        assertThat(Objects.requireNonNull(wanted.conditions().get("ib")).message())
                .isEqualTo("2 HyperNodes hold 2 nodes: 1 of tier 1 (leaf), 1 of tier 2 (ib)");
    }

    @Test
    void aFabricWhoseHyperNodesWouldHaveNamesOfAnothersHasNone() {
        WantedObjects wanted = wanted(
                model(fabric("ib", 0, PLAIN, true, "n1", "n2"), fabric("ib-leaf-0", 1, PLAIN, true, "n3", "n4")));
        assertThat(wanted.objects()).extracting(Wanted::name).containsExactly("ib-leaf-0", "ib");
        assertThat(wanted.objects()).extracting(Wanted::fabric).containsOnly("ib");
        assertThat(Objects.requireNonNull(wanted.conditions().get("ib")).status())
                .isEqualTo(ConditionStatus.True);
        assertThat(wanted.conditions().get("ib-leaf-0")).satisfies(draft -> {
            assertThat(draft.reason()).isEqualTo(Reason.NameTaken);
            assertThat(draft.message()).contains("ib-leaf-0 is the name of a part of Fabric ib");
        });
    }

    @Test
    void theTierOfAFabricThatIsCalledLikeATierHasAnotherName() {
        assertThat(wanted(model(fabric("leaf", 0, PLAIN, true, "n1", "n2"))).objects())
                .extracting(object -> object.spec().get("tierName"))
                .containsExactly("leaf", "fabric-leaf");
    }

    @Test
    void namesOfHyperNodesAreNotLongerThanVolcanoLetsMembersBe() {
        String fabric = "a".repeat(100);
        List<Wanted> objects =
                wanted(model(fabric(fabric, 0, PLAIN, true, "n1", "n2"))).objects();
        assertThat(objects)
                .extracting(Wanted::name)
                .hasSize(2)
                .allSatisfy(name -> assertThat(name).hasSizeLessThanOrEqualTo(63));
        assertThat(objects.getLast().spec().get("members"))
                .isEqualTo(List.of(Map.of(
                        "type",
                        "HyperNode",
                        "selector",
                        Map.of("exactMatch", Map.of("name", objects.getFirst().name())))));
    }

    @Test
    void aFabricThatIsNotToldOfKeepsNothingWhenItCannotBeModelled() {
        FabricSpec storage =
                FabricSpecBuilder.builder().purpose(Purpose.Storage).build();
        FabricState good = fabric("c", 0, PLAIN, true, "n1", "n2");
        TreeMap<String, FailedFabric> failed = new TreeMap<>();
        RuntimeException defect = new IllegalStateException("defect");
        failed.put("a", new FailedFabric(facts("a", storage, Set.of()), null, defect));
        failed.put("b", new FailedFabric(facts("b", PLAIN, Set.of("volcano")), null, defect));
        failed.put("c", new FailedFabric(facts("c", PLAIN, Set.of("volcano")), good, defect));
        assertThat(wanted(model(failed)).kept()).isEmpty();
        assertThat(wanted(model(failed)).objects()).isEmpty();
    }

    @Test
    void aNodeIsInTheTreeOfTheFirstOfItsFabrics() {
        ClusterModel model = model(
                fabric("ib", 1, PLAIN, true, "n0", "n1", "n2", "n3"),
                fabric("roce", 0, PLAIN, true, "n2", "n3", "n4", "n5"));
        assertThat(nodes(model)).isEqualTo(Map.of("roce-leaf-0", "n2 n3 n4 n5", "ib-leaf-0", "n0 n1"));
    }

    @Test
    void priorityGoesBeforeIndex() {
        FabricSpec first = FabricSpecBuilder.builder().priority(1).build();
        ClusterModel model = model(
                fabric("ib", 1, first, true, "n1", "n2", "n3"), fabric("roce", 0, PLAIN, true, "n2", "n3", "n4", "n5"));
        assertThat(nodes(model)).isEqualTo(Map.of("ib-leaf-0", "n1 n2 n3", "roce-leaf-0", "n4 n5"));
    }

    @Test
    void aFabricOfWhichNoSwitchIsKnownTakesNoNodeAndSaysSo() {
        ClusterModel model =
                model(fabric("a", 0, PLAIN, false, "n1", "n2"), fabric("b", 1, PLAIN, true, "n1", "n2", "n3"));
        assertThat(nodes(model)).isEqualTo(Map.of("b-leaf-0", "n1 n2 n3"));
        assertThat(wanted(model).conditions().get("a")).satisfies(draft -> {
            assertThat(draft.status()).isEqualTo(ConditionStatus.False);
            assertThat(draft.reason()).isEqualTo(Reason.NothingToTell);
        });
    }

    @Test
    void fabricsForOtherPurposesAndThoseThatOptOutTakeNoNode() {
        FabricSpec storage =
                FabricSpecBuilder.builder().purpose(Purpose.Storage).build();
        ClusterModel model = model(
                fabric("a", 0, storage, true, "n1", "n2"),
                fabric("b", 1, PLAIN, Set.of("volcano"), true, "n1", "n2"),
                fabric("c", 2, PLAIN, Set.of("other"), true, "n1", "n2"));
        assertThat(nodes(model)).isEqualTo(Map.of("c-leaf-0", "n1 n2"));
        assertThat(wanted(model).conditions()).containsOnlyKeys("c");
    }

    @Test
    void aFabricThatCannotBeModelledKeepsWhatItHas() {
        FabricState good = fabric("a", 0, PLAIN, true, "n1", "n2");
        TreeMap<String, FailedFabric> failed = new TreeMap<>();
        failed.put("a", new FailedFabric(good.facts(), good, new IllegalStateException("defect")));
        failed.put("b", new FailedFabric(facts("b", PLAIN, Set.of()), null, new IllegalStateException("defect")));
        WantedObjects wanted = wanted(model(failed));
        assertThat(wanted.objects()).extracting(Wanted::name).containsExactly("a-leaf-0", "a");
        assertThat(wanted.kept()).containsExactly("b");
    }

    /** The nodes of each HyperNode that has some. */
    private static Map<String, String> nodes(ClusterModel model) {
        Map<String, String> nodes = new TreeMap<>();
        for (Wanted object : wanted(model).objects()) {
            List<String> names = new ArrayList<>();
            for (Object member : (List<?>) Objects.requireNonNull(object.spec().get("members"))) {
                if (!"Node".equals(((Map<?, ?>) member).get("type"))) {
                    continue;
                }
                Map<?, ?> selector = (Map<?, ?>) Objects.requireNonNull(((Map<?, ?>) member).get("selector"));
                Map<?, ?> match = (Map<?, ?>) Objects.requireNonNull(selector.get("exactMatch"));
                names.add(String.valueOf(match.get("name")));
            }
            if (!names.isEmpty()) {
                nodes.put(object.name(), String.join(" ", names));
            }
        }
        return nodes;
    }
}
