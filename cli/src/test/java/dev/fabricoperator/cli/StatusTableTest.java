/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.cli.cluster.ClusterStatus;
import dev.fabricoperator.crds.ConditionStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatusTableTest {
    private static final ClusterStatus STATUS = new ClusterStatus(
            null,
            "Served",
            List.of(new ClusterStatus.FabricSummary(
                    "infiniband-0",
                    ConditionStatus.True,
                    "RailOptimized",
                    "128x8x36",
                    31_744,
                    1_024,
                    3_968,
                    1_152,
                    65_536,
                    8,
                    12,
                    4711L,
                    List.of())),
            List.of());

    private static String table(boolean wide) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        StatusCommand.fabrics(STATUS, wide).writeTo(out, false, 0);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aLargeFabricFitsATerminalAndWideHasTheRest() throws IOException {
        assertThat(table(false).lines()).allMatch(line -> line.length() <= 100);
        assertThat(table(true)).contains("HOSTS", "3968", "GENERATION", "4711");
    }
}
