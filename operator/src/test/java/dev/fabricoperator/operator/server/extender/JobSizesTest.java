/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.extender;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import org.junit.jupiter.api.Test;

class JobSizesTest {
    @Test
    void aJobHasAsManyPodsAsRunAtOneTime() throws JsonProcessingException {
        assertThat(size("{\"parallelism\": 8, \"completions\": 4}")).isEqualTo(4);
        assertThat(size("{\"parallelism\": 4, \"completions\": 2000000000}")).isEqualTo(4);
    }

    @Test
    void anMpiJobHasItsWorkers() throws JsonProcessingException {
        assertThat(size("{\"mpiReplicaSpecs\": {\"Worker\": {\"replicas\": 3}}}"))
                .isEqualTo(3);
    }

    @Test
    void aStatefulSetHasItsReplicas() throws JsonProcessingException {
        assertThat(size("{\"replicas\": 8}")).isEqualTo(8);
    }

    private static int size(String spec) throws JsonProcessingException {
        return JobSizes.size(Priorities.JSON.readTree("{\"spec\": " + spec + "}"));
    }
}
