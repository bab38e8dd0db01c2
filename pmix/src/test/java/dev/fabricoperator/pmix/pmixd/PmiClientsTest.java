/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.protocol.job.JobApp;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PmiClientsTest {
    private static JobMap map(String nspace, List<Integer> ranksOfPods) {
        List<JobPod> pods = new ArrayList<>();
        int rank = 0;
        for (int ranks : ranksOfPods) {
            pods.add(new JobPod("pod-" + pods.size(), "node", 0, rank, ranks, new byte[4], 1, "0", List.of()));
            rank += ranks;
        }
        // The order of pods is not that of ranks where these follow the fabric.
        Collections.reverse(pods);
        return new JobMap(nspace, 0, new byte[32], List.of(new JobApp(0, "job", rank)), pods, null);
    }

    @ParameterizedTest
    @CsvSource({
        "1, '(vector,(0,1,1))'",
        "2 2, '(vector,(0,2,2))'",
        "2 2 1, '(vector,(0,2,2),(2,1,1))'",
        "0 4 4 0 2, '(vector,(0,2,4),(2,1,2))'",
    })
    void eachPodIsANodeOfTheProcessMapping(String ranks, String mapping) {
        List<Integer> counts =
                List.of(ranks.split(" ")).stream().map(Integer::valueOf).toList();
        JobMap map = map("lab.ring-0", counts);
        int size = counts.stream().mapToInt(Integer::intValue).sum();

        assertThat(PmiClients.lines(map, map.pods().getFirst()))
                .isEqualTo("pmi " + size + " 0 lab.ring-0\nkept PMI_process_mapping=" + mapping + "\n");
    }

    private static String lines(JobMap map) {
        return PmiClients.lines(map, map.pods().getFirst());
    }

    @ParameterizedTest
    @CsvSource({"1000, true", "40, false"})
    void whereNoClientTakesTheMappingNoTwoRanksShareMemory(int pods, boolean apart) {
        List<Integer> counts = new ArrayList<>();
        for (int pod = 0; pod < pods; pod++) {
            counts.add(pod % 2 + 1);
        }
        String lines = lines(map("n".repeat(300), counts));

        assertThat(lines).hasLineCount(2);
        assertThat(lines.contains("=(vector,(0," + (pods / 2 * 3) + ",1))")).isEqualTo(apart);
        assertThat(lines.lines().findFirst().orElseThrow().length()).isLessThan(300);
    }
}
