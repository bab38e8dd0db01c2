/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.served;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.junit.jupiter.api.Test;

class DevicesByNodeTest {
    private final DevicesByNode byNode = new DevicesByNode();

    private static ServedDevice device(String name, String node, String version) {
        FabricDevice device = new FabricDevice();
        device.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .withResourceVersion(version)
                .build());
        device.setSpec(FabricDeviceSpecBuilder.builder()
                .nodeName(node)
                .hostname(node)
                .osName("mlx5_0")
                .port(1)
                .deviceId("id-" + name)
                .type(DeviceType.OpenFabrics)
                .family(Family.InfiniBand)
                .build());
        return ServedDevice.of(device);
    }

    @Test
    void devicesComeChangeMoveAndGo() {
        ServedDevice b = device("b", "n1", "1");
        ServedDevice a = device("a", "n1", "1");
        byNode.changed(null, b);
        byNode.changed(null, a);
        assertThat(byNode.of("n1")).as("by name").containsExactly(a, b);

        ServedDevice newer = device("b", "n1", "2");
        byNode.changed(b, newer);
        assertThat(byNode.of("n1")).containsExactly(a, newer);

        ServedDevice moved = device("b", "n2", "3");
        byNode.changed(newer, moved);
        assertThat(byNode.of("n1")).containsExactly(a);
        assertThat(byNode.of("n2")).containsExactly(moved);

        byNode.changed(a, null);
        byNode.changed(moved, null);
        assertThat(byNode.of("n1")).isEmpty();
        assertThat(byNode.of("n2")).isEmpty();
    }
}
