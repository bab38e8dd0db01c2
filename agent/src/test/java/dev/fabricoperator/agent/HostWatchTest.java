/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.discovery.PathHostTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostWatchTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path root;

    @SuppressWarnings("NullAway.Init")
    private HostWatch watch;

    private void write(String path, String content) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, content);
    }

    @BeforeEach
    void layOut() throws IOException {
        write("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
        write("sys/class/net/ens1/operstate", "up\n");
        write("sys/devices/virtual/net/lo/operstate", "unknown\n");
        Files.createSymbolicLink(root.resolve("sys/class/net/lo"), Path.of("../../devices/virtual/net/lo"));
        watch = new HostWatch(PathHostTree.of(root));
        assertThat(watch.changed()).isTrue();
        assertThat(watch.changed()).isFalse();
    }

    @Test
    void aPortThatGoesDownIsAChange() throws IOException {
        write("sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN\n");
        assertThat(watch.changed()).isTrue();
        assertThat(watch.changed()).isFalse();
    }

    @Test
    void anInterfaceThatGoesDownIsAChange() throws IOException {
        write("sys/class/net/ens1/operstate", "down\n");
        assertThat(watch.changed()).isTrue();
    }

    @Test
    void aDeviceThatComesIsAChangeAndAPodsInterfaceIsNone() throws IOException {
        write("sys/devices/virtual/net/veth1/operstate", "up\n");
        Files.createSymbolicLink(root.resolve("sys/class/net/veth1"), Path.of("../../devices/virtual/net/veth1"));
        assertThat(watch.changed()).isFalse();
        write("sys/class/infiniband/mlx5_1/ports/1/state", "4: ACTIVE\n");
        assertThat(watch.changed()).isTrue();
    }
}
