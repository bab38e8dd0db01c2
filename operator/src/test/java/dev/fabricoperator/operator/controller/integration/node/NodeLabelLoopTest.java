/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.node;

import static dev.fabricoperator.operator.controller.integration.MadeModels.fabric;
import static dev.fabricoperator.operator.controller.integration.MadeModels.model;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.OperatorSettings;
import dev.fabricoperator.operator.TestApiServer;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.controller.integration.ModelTrees;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.Reason;
import dev.fabricoperator.view.mapping.PlaceLabels;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NodeLabelLoopTest {
    private final Queue<String> written = new ConcurrentLinkedQueue<>();
    private final FactStores stores = new FactStores(SteadyClock.system());
    private @Nullable HttpServer server;
    private @Nullable KubernetesClient client;

    @BeforeEach
    void start() throws IOException {
        HttpServer started = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        started.createContext("/", this::answer);
        started.start();
        server = started;
        client = TestApiServer.client(started);
    }

    @AfterEach
    void stop() {
        Objects.requireNonNull(client).close();
        Objects.requireNonNull(server).stop(0);
    }

    /** A webhook that is asked about Nodes called {@code bad} is away. */
    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            String path = exchange.getRequestURI().getPath();
            String name = path.substring(path.lastIndexOf('/') + 1);
            byte[] answer = ("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"" + name
                            + "\",\"resourceVersion\":\"2\"}}")
                    .getBytes(StandardCharsets.UTF_8);
            if (name.startsWith("bad")) {
                exchange.sendResponseHeaders(500, -1);
            } else {
                written.add(name);
                exchange.getResponseHeaders().add("Content-Type", "application/json");
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            }
        }
    }

    private NodeLabelLoop loop() {
        return new NodeLabelLoop(
                Objects.requireNonNull(client),
                stores,
                new ModelTrees(),
                new SimpleMeterRegistry(),
                OperatorSettings.usual(),
                () -> Duration.ofSeconds(30),
                new NodeLabelSettings() {
                    @Override
                    public Wanted enabled() {
                        return Wanted.TRUE;
                    }

                    @Override
                    public boolean topograph() {
                        return false;
                    }
                });
    }

    private ClusterModel modelOf(String... nodes) {
        for (String node : nodes) {
            put(node, 1);
        }
        return model(fabric("ib", 0, FabricSpecBuilder.builder().build(), true, nodes));
    }

    private void put(String node, int version) {
        put(node, version, Map.of());
    }

    private void put(String node, int version, Map<String, String> labels) {
        stores.nodes()
                .put(
                        node,
                        new NodeBuilder()
                                .withNewMetadata()
                                .withName(node)
                                .withUid("u-" + node)
                                .withResourceVersion(Integer.toString(version))
                                .withLabels(labels)
                                .endMetadata()
                                .build());
    }

    @Test
    void nodesWhoseLabelsCannotBeWrittenNowKeepNoOtherWaitingAndAreTold() {
        String[] nodes = IntStream.range(0, 40)
                .mapToObj(i -> (i < 30 ? "bad" : "good") + i)
                .toArray(String[]::new);
        ClusterModel model = modelOf(nodes);
        NodeLabelLoop loop = loop();
        for (int step = 0; step < 6; step++) {
            assertThatThrownBy(() -> loop.bring(model)).isInstanceOf(KubernetesClientException.class);
        }
        assertThat(written).hasSize(10);
        ConditionDraft draft = Objects.requireNonNull(loop.conditions().last("ib"));
        assertThat(draft.reason()).isEqualTo(Reason.WritesFailing);
        assertThat(draft.status()).isEqualTo(ConditionStatus.Unknown);
        assertThat(draft.message()).contains("bad");
    }

    /** The connection is closed, time after time. */
    @Test
    void labelsThatNobodyAnswersForAreNotSaidToBeRefused() {
        ClusterModel model = modelOf("n1");
        NodeLabelLoop loop = loop();
        Objects.requireNonNull(server).stop(0);
        for (int step = 0; step < 2; step++) {
            assertThatThrownBy(() -> loop.bring(model)).isInstanceOf(KubernetesClientException.class);
        }
        assertThat(Objects.requireNonNull(loop.conditions().last("ib")).reason())
                .isEqualTo(Reason.WritesFailing);
    }

    @Test
    void labelsThatSomebodyElseWritesAgainAndAgainAreNotPutRightEachTime() throws InterruptedException {
        ClusterModel model = modelOf("n1");
        NodeLabelLoop loop = loop();
        for (int version = 2; version < 20; version++) {
            loop.bring(model);
            // Now one of them, now all.
            put("n1", version, version % 2 == 0 ? Map.of(PlaceLabels.FABRIC, "ib") : Map.of());
        }
        assertThat(written).hasSizeBetween(2, 4);
        assertThat(Objects.requireNonNull(loop.conditions().last("ib")).message())
                .endsWith("; somebody else writes the labels of 1 node (n1) again and again");
    }
}
