/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.crds.CostMatrixStatus;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.IbnetdiscoverReader;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class FabricMapperTest {
    private static OfflineFabric fabric;

    @BeforeAll
    static void readDump() throws Exception {
        Path dump = Path.of(System.getProperty("fixtures"), "sim/ft2-128/ibnetdiscover.txt.gz");
        try (var text = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(dump)), StandardCharsets.UTF_8))) {
            fabric = OfflineFabrics.of(IbnetdiscoverReader.read(dump.toString(), text))
                    .getFirst();
        }
    }

    @Test
    void theStatusOfAFabricIsTheModels() {
        FabricStatus status =
                new FabricMapper("ib", fabric.model(), List.of()).fabric(7).build();
        assertThat(status.devices()).isEqualTo(128);
        assertThat(status.switches()).isEqualTo(12);
        assertThat(status.links()).isEqualTo(192);
        CostMatrixStatus cost = requireNonNull(status.costMatrix());
        assertThat(cost.vertices()).isEqualTo(128);
        assertThat(cost.generation()).isEqualTo(7);
        assertThat(cost.digest()).matches("[0-9a-f]{64}");
        assertThat(status.shapeString()).isEqualTo(fabric.model().defaultShape().string());
        assertThat(status.shape()).hasSize(requireNonNull(status.dims()));
    }

    @Test
    void planesCarryTheNamesThatAPersonGave() {
        FabricMapper mapper = new FabricMapper("ib", fabric.model(), List.of("front"));
        assertThat(mapper.fabric(1).build().planes().getFirst().id()).isEqualTo("front");
        assertThat(mapper.fabric(1).build().shapes()).allMatch(s -> s.plane().equals("front"));
        assertThat(mapper.device(0).build().plane()).isEqualTo("front");
    }

    @Test
    void everyDeviceAndSwitchHasAPlace() {
        FabricMapper mapper = new FabricMapper("ib", fabric.model(), List.of());
        for (int slot = 0; slot < 128; slot++) {
            assertThat(mapper.device(slot).build().coordinates()).hasSize(2);
        }
        for (Switch each : fabric.switches()) {
            assertThat(mapper.fabricSwitch(each.id())).isNotNull();
        }
        assertThat(mapper.fabricSwitch("nobody")).isNull();
        assertThatThrownBy(() -> mapper.device(128)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aSwitchSurvivesTheWayThroughTheApi() {
        for (Switch each : fabric.switches()) {
            assertThat(SwitchMapper.toSwitch(SwitchMapper.toSpec(each))).isEqualTo(each);
        }
    }
}
