/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.discovery.HostTree;
import dev.fabricoperator.fabric.discovery.PathHostTree;
import java.io.IOException;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiveAddressesTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private HostTree tree(String name, String bootId) throws IOException {
        Path file = directory.resolve(name).resolve("proc/sys/kernel/random/boot_id");
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, bootId + "\n");
        return PathHostTree.of(directory.resolve(name));
    }

    private void interfacesOfThisMachine(String name, int shift) throws IOException {
        for (NetworkInterface netdev : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            Path file = directory.resolve(name).resolve("sys/class/net/" + netdev.getName() + "/ifindex");
            Files.createDirectories(file.resolveSibling("."));
            Files.writeString(file, netdev.getIndex() + shift + "\n");
        }
    }

    @Test
    void aRecordedHostOrAnotherMachineHasNoAddressesOfThisOne() throws IOException {
        HostTree own = tree("own", "1");
        assertThat(LiveAddresses.of(PathHostTree.of(directory.resolve("recorded")), own))
                .isNull();
        assertThat(LiveAddresses.of(tree("other", "2"), own)).isNull();
    }

    @Test
    void anotherNetworkNamespaceOfThisMachineIsNotTaken() throws IOException {
        HostTree host = tree("host", "1");
        interfacesOfThisMachine("host", 100);
        assertThat(LiveAddresses.of(host, host)).isNull();
    }

    @Test
    void theSameMachineAndNamespaceGiveTheKernelsAddresses() throws IOException {
        HostTree host = tree("host", "1");
        interfacesOfThisMachine("host", 0);
        assertThat(LiveAddresses.of(host, host)).containsEntry("lo", List.of());
    }
}
