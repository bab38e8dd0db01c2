/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.protocol.job.JobApp;
import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlaceFileTest {
    @TempDir
    Path directory;

    private String written(JobMap map, int self) throws IOException {
        PlaceFile.write(directory, map, self);
        return Files.readString(directory.resolve("place.json"));
    }

    /** Three pods of two ranks, the last two on one host. */
    private static JobMap job(long generation, int ranks) {
        List<JobPod> pods = new ArrayList<>();
        for (int pod = 0; pod < 3; pod++) {
            JobDevice device = new JobDevice(
                    "fab://" + pod,
                    "mlx5_0",
                    8,
                    List.of(),
                    pod,
                    "0",
                    "a" + pod,
                    new int[] {pod, 1},
                    new int[0],
                    0,
                    0,
                    null);
            pods.add(new JobPod(
                    "job-" + pod,
                    pod == 0 ? "a\"b" : "host",
                    0,
                    pod * ranks,
                    ranks,
                    new byte[4],
                    1,
                    "",
                    List.of(device)));
        }
        JobFabric fabric = new JobFabric(
                "ib",
                null,
                "ib",
                0,
                generation,
                List.of(),
                List.of(),
                "0:job-0;7:job-1,job-2",
                3,
                new short[] {0, 40, (short) 65535, 40, 0, 20, (short) 65535, 20, 0},
                Map.of(),
                null,
                JobFabric.Levels.NONE,
                "FatTree");
        return new JobMap(
                "lab.job-0123abcd-1", 1, new byte[32], List.of(new JobApp(0, "app", 3 * ranks)), pods, fabric);
    }

    @Test
    void aRankFindsItsPlaceItsPeersAndWhatReachingThemCosts() throws IOException {
        assertThat(written(job(5, 1), 0)).isEqualTo("""
                        {"schemaVersion":1,"job":"lab.job-0123abcd-1","attempt":1,"size":3,"ranks":[0],"pod":"job-0","node":"a\\"b","fabrics":[\
                        {"name":"ib","kind":"FatTree","generation":5,"switch":"a0","group":0,"planes":["0"],"devices":[{"name":"mlx5_0","plane":"0","switch":"a0","coordinates":[0,1]}]}\
                        ],"peers":[
                        {"rank":0,"node":"a\\"b","switch":"a0","group":0,"cost":0},
                        {"rank":1,"node":"host","switch":"a1","group":7,"cost":40},
                        {"rank":2,"node":"host","switch":"a2","group":7,"cost":null}]}
                        """);
        assertThat(written(job(5, 2), 1))
                .contains("\"ranks\":[2,3]", "{\"rank\":5,\"node\":\"host\",\"switch\":\"a2\",\"group\":7,\"cost\":0}");
    }

    @Test
    void anotherGenerationTakesItsPlaceAndLeavesNothingBesideIt() throws IOException {
        written(job(5, 1), 0);
        assertThat(written(job(6, 1), 0)).contains("\"generation\":6");
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).containsExactly(directory.resolve("place.json"));
        }
    }

    @Test
    void ofAVeryLargeJobTheFileSaysThatPeersAreLeftOut() throws IOException {
        assertThat(written(job(5, 1365), 0)).contains("\"peers\":[");
        assertThat(written(job(5, 1366), 0))
                .contains("\"peersLeftOut\":\"the job has more than 4096 ranks\"")
                .doesNotContain("\"peers\":");
    }
}
