/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.crds.TopologySourceBuilder;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.operator.OperatorSettings;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.model.SourceProblem;
import dev.fabricoperator.operator.model.SourceState;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two sources, of which the first cannot be written. */
class TopologySourcesTest {
    private final FactStores stores = new FactStores(Clock.systemUTC());
    private final KubernetesClient client = new KubernetesClientBuilder().build();

    TopologySourcesTest() {
        Fabric fabric = new Fabric();
        fabric.setMetadata(new ObjectMetaBuilder()
                .withName("compute")
                .withUid("compute")
                .withResourceVersion("1")
                .build());
        fabric.setSpec(FabricSpecBuilder.builder()
                .sources(List.of(
                        TopologySourceBuilder.builder().type(SourceType.lldp).build(),
                        TopologySourceBuilder.builder()
                                .type(SourceType.slurm)
                                .url("file:///zz/no-such-file")
                                .build()))
                .build());
        stores.fabrics().put("compute", fabric);
    }

    @AfterEach
    void close() {
        client.close();
    }

    private TopologySources answeredWith(int code) {
        Settings settings = OperatorSettings.usual();
        SourceContents contents = new SourceContents(client, settings);
        return new TopologySources(
                stores,
                new StoredSources(contents, settings),
                new UfmSources(contents, Clock.systemUTC(), settings),
                new LossWatch(),
                new SwitchPublisher(client, stores, settings) {
                    @Override
                    boolean publish(String source, String origin, List<Switch> switches) {
                        throw new KubernetesClientException("spec.id: no such id", code, null);
                    }
                },
                Clock.systemUTC());
    }

    private static SourceProblem problem(TopologySources sources, String name) {
        return sources.states().stream()
                .filter(state -> state.name().startsWith(name))
                .map(SourceState::problem)
                .map(Objects::requireNonNull)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void switchesThatTheApiServerRefusesAreAProblemOfTheirSourceAndKeepNoOtherWaiting() throws InterruptedException {
        TopologySources sources = answeredWith(422);

        sources.refresh();

        assertThat(problem(sources, "lldp").kind()).isEqualTo(SourceProblem.Kind.Unreadable);
        assertThat(problem(sources, "lldp").message()).contains("LLDP", "spec.id: no such id");
        assertThat(problem(sources, "file.").kind()).isEqualTo(SourceProblem.Kind.Missing);
    }

    @Test
    void whereTheApiServerIsAwayTheOtherSourcesAreReadAllTheSame() {
        TopologySources sources = answeredWith(503);

        assertThatThrownBy(sources::refresh).isInstanceOf(KubernetesClientException.class);

        assertThat(sources.states())
                .extracting(SourceState::name)
                .singleElement()
                .satisfies(name -> assertThat(name).startsWith("file."));
    }
}
