/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.slurm;

import static dev.fabricoperator.operator.controller.integration.MadeModels.fabric;
import static dev.fabricoperator.operator.controller.integration.MadeModels.model;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricSpec;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.formats.export.SlurmNodeNames;
import dev.fabricoperator.formats.export.SlurmPlugin;
import dev.fabricoperator.operator.cluster.NodeFacts;
import dev.fabricoperator.operator.controller.integration.ModelTrees;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SlinkySpecsTest {
    private static final FabricSpec PLAIN = FabricSpecBuilder.builder().build();
    private static final String SPEC = "topology.slinky.slurm.net/spec";
    private static final String WRITTEN = "fabric-operator.dev/slinky-spec";
    private static final String IN_BOTH = "ib:S-000000000000a000,opa:S-000000000000a001";

    private static final SlinkySpecs SPECS = specs(SlurmPlugin.tree);

    private static SlinkySpecs specs(SlurmPlugin plugin) {
        return SlinkySpecs.of(
                new ModelTrees()
                        .of(
                                model(
                                        fabric("ib", 0, PLAIN, true, "n1", "n2"),
                                        fabric("opa", 1, PLAIN, true, "n2", "n3"),
                                        fabric("flat", 2, PLAIN, false, "n2", "n4")),
                                SlurmTopologies.SYSTEM),
                plugin,
                SlurmNodeNames.Form.NODE);
    }

    private static NodeFacts node(String name, Map<String, String> annotations) {
        return NodeFacts.of(new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .withAnnotations(annotations)
                .endMetadata()
                .build());
    }

    @Test
    void aNodeNamesItsSwitchInEachTopologyThatHasOne() {
        assertThat(SPECS.spec("n1")).isEqualTo("ib:S-000000000000a000");
        assertThat(SPECS.spec("n2")).isEqualTo(IN_BOTH);
        assertThat(SPECS.spec("n4")).isNull();
        assertThat(SPECS.fabricsOf("n2")).containsExactly("ib", "opa");
    }

    @Test
    void ofBlocksItNamesItsBlock() {
        assertThat(specs(SlurmPlugin.block).spec("n1")).isEqualTo("ib:group-0");
    }

    @Test
    void onlyWhatDiffersIsWrittenAndTheValueIsKnownAgain() {
        assertThat(SPECS.difference(node("n2", Map.of("other", "a"))))
                .isEqualTo(Map.of(SPEC, IN_BOTH, WRITTEN, IN_BOTH));
        assertThat(SPECS.difference(node("n2", Map.of(SPEC, IN_BOTH, WRITTEN, IN_BOTH))))
                .isEmpty();
        assertThat(SPECS.difference(node("n2", Map.of(SPEC, "ib:before", WRITTEN, "ib:before"))))
                .isEqualTo(Map.of(SPEC, IN_BOTH, WRITTEN, IN_BOTH));
    }

    @Test
    void whatAnotherHasWrittenStaysAndIsClaimedNoMore() {
        Map<String, @Nullable String> noClaim = new HashMap<>();
        noClaim.put(WRITTEN, null);
        NodeFacts theirs = node("n2", Map.of(SPEC, "topo-switch:s1", WRITTEN, IN_BOTH));
        assertThat(SPECS.difference(theirs)).isEqualTo(noClaim);
        assertThat(SPECS.meetsAnothers(theirs)).isTrue();
        assertThat(SlinkySpecs.NONE.difference(node("n2", Map.of(SPEC, IN_BOTH))))
                .isEmpty();
    }

    @Test
    void whatTheOperatorHasWrittenGoesWithTheNodesPlaceAndTheSwitch() {
        Map<String, @Nullable String> gone = new HashMap<>();
        gone.put(SPEC, null);
        gone.put(WRITTEN, null);
        Map<String, String> there = Map.of(SPEC, "ib:before", WRITTEN, "ib:before");
        assertThat(SPECS.difference(node("n9", there))).isEqualTo(gone);
        assertThat(SlinkySpecs.NONE.difference(node("n1", there))).isEqualTo(gone);
    }
}
