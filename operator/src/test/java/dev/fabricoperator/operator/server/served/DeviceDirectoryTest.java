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
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class DeviceDirectoryTest {
    /** Tells how often all of it is walked through. */
    private static final class Walked extends TreeMap<Integer, ServedDevice> {
        private static final long serialVersionUID = 1;
        private int walks;

        @Override
        public Set<Map.Entry<Integer, ServedDevice>> entrySet() {
            walks++;
            return super.entrySet();
        }
    }

    private static ServedDevice device(String node, String hostname) {
        FabricDevice device = new FabricDevice();
        device.setMetadata(
                new ObjectMetaBuilder().withName(node + "-" + hostname).build());
        device.setSpec(FabricDeviceSpecBuilder.builder()
                .nodeName(node)
                .hostname(hostname)
                .osName("mlx5_0")
                .port(1)
                .deviceId("id-" + node + "-" + hostname)
                .type(DeviceType.OpenFabrics)
                .family(Family.InfiniBand)
                .build());
        return ServedDevice.of(device);
    }

    @Test
    void devicesOfANodeAreFoundByItsNameAndItsHostsWithoutAWalkOverAll() {
        Walked devices = new Walked();
        devices.put(0, device("n0", "n0"));
        devices.put(1, device("n1", "host1"));
        devices.put(2, device("n2", "n1"));
        devices.put(3, device("n0", "n0"));
        DeviceDirectory directory = new DeviceDirectory(devices);
        devices.walks = 0;

        assertThat(directory.ofNode("n0")).extracting(Map.Entry::getKey).containsExactly(0, 3);
        assertThat(directory.ofNode("host1")).extracting(Map.Entry::getKey).containsExactly(1);
        assertThat(directory.ofNode("n1")).extracting(Map.Entry::getKey).containsExactly(1, 2);
        assertThat(directory.ofNode("nobody")).isEmpty();
        assertThat(devices.walks).isZero();
    }
}
