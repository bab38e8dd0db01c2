/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.placement;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.crds.Distance;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CpuDistanceTest {
    private static final List<Distance> FOUR =
            List.of(new Distance(0, 10, 10), new Distance(1, 21, 21), new Distance(2, 32, 32), new Distance(3, 12, 17));

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0       | 10 | 10
            3       | 12 | 17
            1-2     | 21 | 32
            0,3     | 10 | 17
            0-1,3   | 10 | 21
            """)
    void theNearestAndTheFarthestOfTheNodesCount(String nodes, int minimum, int maximum) {
        assertThat(CpuDistance.of(FOUR, nodes)).isEqualTo(new CpuDistance(minimum, maximum));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-", "all", "2-1", "0-4000000000", "1024", "0,,1", "0-1-2"})
    void nodesThatAreNotKnownMayBeAnyOfTheHosts(String nodes) {
        assertThat(CpuDistance.of(FOUR, nodes)).isEqualTo(new CpuDistance(10, 32));
    }

    @Test
    void aListAsLongAsAPodMayTellIsRead() {
        assertThat(CpuDistance.of(FOUR, "0" + ",1".repeat(2047))).isEqualTo(new CpuDistance(10, 21));
    }

    @Test
    void aNodeOfWhichTheDeviceSaysNothingMakesItUnknown() {
        assertThat(CpuDistance.of(FOUR, "3-4")).isEqualTo(new CpuDistance(65535, 65535));
        assertThat(CpuDistance.of(List.of(), "0")).isEqualTo(new CpuDistance(65535, 65535));
        assertThat(CpuDistance.of(List.of(), "")).isEqualTo(new CpuDistance(65535, 65535));
    }

    /** {@code dist} of a truth is what the host's own {@code distance} files say. */
    @ParameterizedTest
    @ValueSource(strings = {"recorded/stampede-c412-603.truth.json", "derived/azure-hbv4.mlx5_ib0+mlx5_an0.truth.json"})
    void onRecordedHostsAPodOfOneNodeIsAsFarAsThatNode(String truth) throws IOException {
        JsonNode host = new ObjectMapper()
                .readTree(
                        Path.of(System.getProperty("fixtures"), "sysfs", truth).toFile());
        for (JsonNode device : host.path("rdma")) {
            List<Distance> distances = new ArrayList<>();
            for (JsonNode node : host.path("numa_nodes")) {
                int slit = host.at("/dist/" + device.path("numa").asText() + "/" + node.asInt())
                        .asInt();
                distances.add(new Distance(node.asInt(), slit, slit));
            }
            assertThat(distances).hasSizeGreaterThan(1);
            for (Distance one : distances) {
                assertThat(CpuDistance.of(distances, one.numaNode().toString()))
                        .isEqualTo(new CpuDistance(one.minimum(), one.maximum()));
            }
            int last = distances.getLast().numaNode();
            assertThat(CpuDistance.of(distances, "0-" + last))
                    .isEqualTo(CpuDistance.of(distances, ""))
                    .isNotEqualTo(CpuDistance.of(distances, device.path("numa").asText()));
        }
    }
}
