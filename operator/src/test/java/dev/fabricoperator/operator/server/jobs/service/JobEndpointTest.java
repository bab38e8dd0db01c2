/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.operator.launch.PodFact;
import dev.fabricoperator.pmix.job.PodReport;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JobEndpointTest {
    private static boolean isAt(String reported, String... known) {
        PodBuilder pod = new PodBuilder()
                .withNewMetadata()
                .withName("ring-0-abcde")
                .withNamespace("space")
                .endMetadata()
                .withNewStatus()
                .endStatus();
        for (String address : known) {
            pod.editStatus().addNewPodIP(address).endStatus();
        }
        byte[] address = InetAddress.ofLiteral(reported).getAddress();
        PodReport report = new PodReport(new byte[16], -1, address, 7471, 1, "", "", List.of());
        return JobEndpoint.isAt(PodFact.of(pod.build()), report);
    }

    @Test
    void aPodIsWhereItsStatusSaysAndAnywhereBeforeThat() {
        assertThat(isAt("10.244.11.5")).isTrue();
        assertThat(isAt("10.244.11.5", "10.244.11.5")).isTrue();
        assertThat(isAt("fd00::7", "10.244.11.5", "fd00:0::7")).isTrue();
        assertThat(isAt("10.244.11.5", "fd00::7", "10.244.11.5")).isTrue();
        assertThat(isAt("10.244.11.6", "10.244.11.5")).isFalse();
        assertThat(isAt("10.244.11.6", "10.244.11.5", "fd00::7")).isFalse();
    }

    @Test
    void podsThatAreSentAwayTogetherDoNotComeBackTogether() {
        List<String> pauses = IntStream.range(0, 200)
                .mapToObj(i -> JobResponse.later("busy"))
                .map(answer -> Objects.requireNonNull(answer.header()).value())
                .distinct()
                .sorted()
                .toList();

        assertThat(pauses).containsExactly("1", "2", "3", "4");
    }
}
