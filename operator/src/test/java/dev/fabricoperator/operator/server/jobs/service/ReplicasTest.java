/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.operator.cluster.ReadyEndpoints;
import dev.fabricoperator.operator.launch.JobKey;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ReplicasTest {
    private static final SortedSet<String> THREE =
            new TreeSet<>(List.of("10.0.0.1:9444", "10.0.0.2:9444", "10.0.0.3:9444"));

    @Test
    void jobsAreSharedOutAndAReplicaThatGoesMovesItsOwnOnly() {
        SortedSet<String> two = new TreeSet<>(THREE);
        two.remove("10.0.0.2:9444");
        int moved = 0;
        for (int job = 0; job < 3000; job++) {
            String before = Replicas.owner("job-" + job, THREE);
            String after = Replicas.owner("job-" + job, two);
            if (before.equals("10.0.0.2:9444")) {
                moved++;
            } else {
                assertThat(after).isEqualTo(before);
            }
        }
        assertThat(moved).isBetween(850, 1150);
    }

    @Test
    void aReplicaIsKnownByItsAddressWhateverThePort() {
        assertThat(Replicas.isOf("10.0.0.2", List.copyOf(THREE))).isTrue();
        assertThat(Replicas.isOf("10.0.0.20", List.copyOf(THREE))).isFalse();
        assertThat(Replicas.isOf("10.0.0", List.copyOf(THREE))).isFalse();
        assertThat(Replicas.isOf("fd00::3", List.of("[fd00::3]:9444"))).isTrue();
    }

    @Test
    void addressesAreThoseOfReadyEndpointsWithTheirPort() {
        EndpointSlice slice = new EndpointSliceBuilder()
                .addNewPort()
                .withName("jobs")
                .withPort(9444)
                .endPort()
                .addNewEndpoint()
                .withAddresses("10.0.0.1")
                .withNewConditions()
                .withReady(true)
                .endConditions()
                .endEndpoint()
                .addNewEndpoint()
                .withAddresses("10.0.0.2")
                .withNewConditions()
                .withReady(false)
                .endConditions()
                .endEndpoint()
                .addNewEndpoint()
                .withAddresses("fd00::3")
                .endEndpoint()
                .build();

        assertThat(ReadyEndpoints.of(List.of(slice))).containsExactly("10.0.0.1:9444", "[fd00::3]:9444");
    }

    @Test
    void aReplicaWithoutAnAddressServesEveryJob() {
        assertThat(new Replicas(null).otherFor(new JobKey("space", "any"))).isNull();
    }
}
