/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FabricSwitchSpecBuilder;
import dev.fabricoperator.crds.FabricSwitchStatusBuilder;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.OperatorSettings;
import dev.fabricoperator.operator.TestApiServer;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.GuardedLoops;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.ClusterModel.MissingFabrics;
import dev.fabricoperator.operator.model.ClusterModel.SwitchPlan;
import dev.fabricoperator.operator.model.FabricNumbers;
import dev.fabricoperator.operator.model.FlapDamping;
import dev.fabricoperator.operator.model.Inventory;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class StatusWriterTest {
    private static final String CONFLICT = """
            {"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409,
             "message":"a policy that names the UID of the object is being changed"}""";
    private static final String OBJECT = """
            {"apiVersion":"fabric-operator.dev/v1alpha1","kind":"FabricSwitch","metadata":{"name":"s1","resourceVersion":"2"}}""";

    @Test
    void aConflictIsTriedAgainWhateverItsText() throws IOException, InterruptedException {
        AtomicInteger patches = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            boolean first = patches.getAndIncrement() == 0;
            byte[] answer = (first ? CONFLICT : OBJECT).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(first ? 409 : 200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        Semaphore settled = new Semaphore(0);
        try (KubernetesClient client = TestApiServer.client(server)) {
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            StatusWriter writer = new StatusWriter(client, meters, new GuardedLoops(meters), OperatorSettings.usual());
            writer.listen(fabric -> settled.release());
            writer.submit(oneSwitch(), fabric -> true);
            assertThat(settled.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
            writer.stop();
        } finally {
            server.stop(0);
        }
        assertThat(patches).hasValue(2);
    }

    private static ClusterModel oneSwitch() {
        FabricSwitch object = new FabricSwitch();
        object.setMetadata(new ObjectMetaBuilder()
                .withName("s1")
                .withUid("u1")
                .withResourceVersion("1")
                .build());
        object.setSpec(FabricSwitchSpecBuilder.builder().id("s1").build());
        SwitchPlan plan = new SwitchPlan(
                SwitchFacts.of(object),
                FabricSwitchStatusBuilder.builder().fabric("f").level(1).build());
        return new ClusterModel(
                Inventory.of(new FactStores(SteadyClock.system()), List.of()),
                new TreeMap<>(),
                new TreeMap<>(),
                Map.of(),
                Map.of(),
                Map.of("s1", plan),
                Map.of(),
                new FlapDamping.History(new TreeMap<>(), Map.of(), Map.of(), Map.of(), 0, 0),
                FabricNumbers.START,
                new MissingFabrics(List.of(), FabricNumbers.START));
    }
}
