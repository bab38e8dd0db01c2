/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.slurm;

import static dev.fabricoperator.operator.controller.integration.MadeModels.fabric;
import static dev.fabricoperator.operator.controller.integration.MadeModels.model;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.formats.export.SlurmNodeNames;
import dev.fabricoperator.formats.export.SlurmPlugin;
import dev.fabricoperator.operator.OperatorSettings;
import dev.fabricoperator.operator.TestApiServer;
import dev.fabricoperator.operator.controller.integration.FabricTrees;
import dev.fabricoperator.operator.controller.integration.ModelTrees;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.condition.Reason;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SlurmTopologiesTest {
    @Test
    void whileAFabricCannotBeModelledNoOtherIsSaidToBeWritten() {
        FabricTrees.FabricTree fresh = new FabricTrees.FabricTree(
                fabric("fresh", 0, FabricSpecBuilder.builder().build(), true, "n1"), null, null, null, null);

        assertThat(SlurmTopologies.untouched(new FabricTrees(List.of(fresh), Set.of("torn", "bent"))))
                .hasEntrySatisfying("fresh", draft -> {
                    assertThat(draft.status()).isEqualTo(ConditionStatus.Unknown);
                    assertThat(draft.message())
                            .isEqualTo("ConfigMap fabric-operator-slurm stays as it is, since 2 Fabrics cannot be"
                                    + " modelled (bent, torn)");
                })
                .hasSize(1);
    }

    /** A webhook that is asked about ConfigMaps is away. */
    @Test
    void filesThatCannotBeWrittenTimeAfterTimeAreNotSaidToBeWrittenNorRefused() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.getRequestBody().readAllBytes();
                exchange.sendResponseHeaders(exchange.getRequestMethod().equals("PATCH") ? 500 : 404, -1);
            }
        });
        server.start();
        try (KubernetesClient client = TestApiServer.client(server)) {
            SlurmTopologies slurm = new SlurmTopologies(
                    client,
                    new ModelTrees(),
                    new SimpleMeterRegistry(),
                    OperatorSettings.usual(),
                    () -> Duration.ofSeconds(30),
                    settings());
            ClusterModel model =
                    model(fabric("ib", 0, FabricSpecBuilder.builder().build(), true, "n1"));

            assertThatThrownBy(() -> slurm.bring(model)).isInstanceOf(KubernetesClientException.class);
            assertThat(slurm.conditions().last("ib"))
                    .as("it may have been the moment")
                    .isNull();
            assertThatThrownBy(() -> slurm.bring(model)).isInstanceOf(KubernetesClientException.class);
            assertThat(slurm.conditions().last("ib")).satisfies(draft -> {
                assertThat(draft.reason()).isEqualTo(Reason.WritesFailing);
                assertThat(draft.status()).isEqualTo(ConditionStatus.Unknown);
                assertThat(draft.message()).contains("fabric-operator-slurm");
            });
        } finally {
            server.stop(0);
        }
    }

    private static SlurmSettings settings() {
        return new SlurmSettings() {
            @Override
            public boolean enabled() {
                return true;
            }

            @Override
            public boolean slinky() {
                return false;
            }

            @Override
            public SlurmPlugin plugin() {
                return SlurmPlugin.tree;
            }

            @Override
            public SlurmNodeNames.Form names() {
                return SlurmNodeNames.Form.NODE;
            }
        };
    }
}
