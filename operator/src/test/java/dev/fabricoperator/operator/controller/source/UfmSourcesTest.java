/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.ObjectRef;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.crds.TopologySource;
import dev.fabricoperator.crds.TopologySourceBuilder;
import dev.fabricoperator.operator.OperatorSettings;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.model.SourceProblem;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class UfmSourcesTest {
    @Test
    void aDefectThatAnApplianceHitsIsToldAsAProblemOfTheSource() throws InterruptedException {
        TopologySource source = TopologySourceBuilder.builder()
                .type(SourceType.ufm)
                .url("https://ufm.example")
                .secretRef(new ObjectRef("ufm"))
                .build();
        Settings settings = OperatorSettings.usual();
        try (KubernetesClient client = new KubernetesClientBuilder().build()) {
            UfmSources sources = new UfmSources(
                    new SourceContents(client, settings) {
                        @Override
                        Secret secret(String namespace, String name) {
                            throw new IllegalStateException("a defect");
                        }
                    },
                    SteadyClock.system(),
                    settings);
            Semaphore answered = new Semaphore(0);
            sources.listen(answered::release);
            assertThat(sources.poll("lab", source, List.of())).isNull();
            assertThat(answered.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
            Reading reading = Objects.requireNonNull(sources.poll("lab", source, List.of()))
                    .reading();
            assertThat(reading).isInstanceOfSatisfying(Reading.Failure.class, failure -> {
                assertThat(failure.problem().kind()).isEqualTo(SourceProblem.Kind.Unreadable);
                assertThat(failure.problem().message()).contains("https://ufm.example", "a defect");
            });
        }
    }
}
