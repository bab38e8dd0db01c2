/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuPackagesTest {
    @TempDir
    Path sys;

    private void siblings(int cpu, String list) throws IOException {
        Path topology = Files.createDirectories(sys.resolve("devices/system/cpu/cpu" + cpu + "/topology"));
        Files.writeString(topology.resolve("core_siblings_list"), list + "\n");
    }

    @Test
    void cpusAreOfOnePackageWhereTheFirstHasAllOthersAsNeighbours() throws IOException {
        siblings(0, "0-3,8-11");
        siblings(2, "0-3,8-11");
        assertThat(CpuPackages.isOne(sys, "0-1,9")).isTrue();
        assertThat(CpuPackages.isOne(sys, "2")).isTrue();
        assertThat(CpuPackages.isOne(sys, "0-4")).isFalse();
    }

    @Test
    void whatIsNotKnownIsNotOnePackage() throws IOException {
        siblings(0, "0-x");
        assertThat(CpuPackages.isOne(sys, "")).isFalse();
        assertThat(CpuPackages.isOne(sys, "0")).isFalse();
        assertThat(CpuPackages.isOne(sys, "5")).isFalse();
        assertThat(CpuPackages.isOne(sys, "0-99999999")).isFalse();
    }
}
