/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.golden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.FabricState;
import dev.fabricoperator.view.mapping.AssembledFabric;
import dev.fabricoperator.view.mapping.FabricAssembly;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a reader makes of the objects, against what the operator decided when it wrote them. */
class AssemblyTest {
    static Stream<String> cases() throws IOException {
        return GoldenTest.cases();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aReaderOfTheObjectsHasTheOperatorsModel(String name) throws IOException {
        GoldenCluster cluster = GoldenCluster.load(Path.of("src/test/resources/golden", name));
        ClusterModel decided = cluster.settle();
        cluster.write(decided);
        FabricAssembly assembly = FabricAssembly.of(
                cluster.objects(Fabric.class),
                cluster.objects(FabricDevice.class),
                cluster.objects(FabricSwitch.class));
        for (Fabric object : cluster.objects(Fabric.class)) {
            FabricState state = decided.fabrics().get(object.getMetadata().getName());
            if (state == null) {
                continue;
            }
            AssembledFabric assembled = assembly.fabric(object);
            FabricModel model = assembled.model();
            assertThat(assembled.vertices()).isEqualTo(state.vertices());
            assertThat(assembled.switches()).isEqualTo(state.switches());
            assertThat(model.cost().digest())
                    .isEqualTo(Objects.requireNonNull(object.getStatus().costMatrix())
                            .digest());
            assertThat(model.kind()).isEqualTo(state.model().kind());
            assertThat(model.shapes()).isEqualTo(state.model().shapes());
            for (int slot : state.members().keySet()) {
                assertThat(model.device(slot)).isEqualTo(state.model().device(slot));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void anOperatorThatStartsAnewChangesNothing(String name) throws IOException {
        GoldenCluster cluster = GoldenCluster.load(Path.of("src/test/resources/golden", name));
        ClusterModel decided = cluster.settle();
        cluster.write(decided);
        ClusterModel again = cluster.settle();
        assertThat(again.missing().fabrics()).isEmpty();
        assertThat(statuses(again)).isEqualTo(statuses(decided));
    }

    private static Map<String, Object> statuses(ClusterModel model) {
        Map<String, Object> statuses = new TreeMap<>();
        model.devices().forEach((name, plan) -> statuses.put("device " + name, plan.status()));
        model.switches().forEach((name, plan) -> statuses.put("switch " + name, plan.status()));
        model.fabrics().forEach((name, state) -> statuses.put("generation of " + name, state.generation()));
        return statuses;
    }
}
