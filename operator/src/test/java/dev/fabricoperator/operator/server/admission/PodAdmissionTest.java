/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.OperatorSettings;
import dev.fabricoperator.operator.TestApiServer;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.server.http.ServingIdentity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against an API server that answers no question after an object. */
class PodAdmissionTest {
    private static final AdmissionSettings SETTINGS = new SmallRyeConfigBuilder()
            .withConverter(Duration.class, 200, new DurationConverter())
            .withMapping(AdmissionSettings.class)
            .withSources(new PropertiesConfigSource(
                    Map.of(
                            "fabric-operator.admission.pmixd.image", "registry.example/pmixd:1",
                            "fabric-operator.admission.owner-wait", "200ms"),
                    "test",
                    100))
            .build()
            .getConfigMapping(AdmissionSettings.class);

    /** Of a server that has no certificate yet. */
    private static final ServingIdentity NO_IDENTITY = new ServingIdentity() {
        @Override
        public X509KeyManager keyManager() {
            throw new IllegalStateException();
        }

        @Override
        public X509KeyManager keyManager(Path directory) {
            throw new IllegalStateException();
        }

        @Override
        public @Nullable String authorityPem() {
            return null;
        }

        @Override
        public void refresh() {}
    };

    private HttpServer server;
    private KubernetesClient client;
    private PodAdmission admission;

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(500, -1);
            exchange.close();
        });
        server.start();
        client = TestApiServer.client(server);
        admission = new PodAdmission(
                SETTINGS,
                OperatorSettings.usual(),
                NO_IDENTITY,
                client,
                SteadyClock.system(),
                new Informers(new SimpleMeterRegistry()),
                List::of);
    }

    @AfterEach
    void close() {
        client.close();
        server.stop(0);
    }

    private AdmissionDecision decide(String annotations) throws IOException {
        AdmissionReview review = AdmissionReview.read("""
                {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "r", "namespace": "work", "operation": "CREATE", "object":
                 {"metadata": {"name": "pi-launcher-x", "annotations": {%s},
                  "labels": {"training.kubeflow.org/operator-name": "mpi-operator", "training.kubeflow.org/job-role": "launcher", "training.kubeflow.org/job-name": "pi"},
                  "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "pi-launcher", "uid": "u1", "controller": true}]},
                 "spec": {"containers": [{"name": "mpi", "image": "i", "command": ["mpirun", "-n", "2", "a"]}]}}}}
                """.formatted(annotations).getBytes(StandardCharsets.UTF_8));
        AdmissionStep step = admission.decide(review, false);
        while (step instanceof AdmissionStep.Question question) {
            step = question.ask().apply(review);
        }
        return (AdmissionDecision) step;
    }

    @Test
    void aLauncherWhoseMpiJobCannotBeReadSaysSo() throws IOException {
        AdmissionDecision decision = decide("");
        // What the metrics count it as.
        assertThat(decision).isInstanceOf(AdmissionDecision.OwnerUnread.class);
        assertThat(decision.warnings())
                .singleElement()
                .asString()
                .startsWith("what the MPIJob of this launcher asks for is not known: ")
                .contains("delete the pod");
    }

    @Test
    void aLauncherThatAsksForDirectLaunchItselfIsDeniedUntilItsMpiJobIsKnown() throws IOException {
        assertThat(decide("\"fabric-operator.dev/launch\": \"direct\"")).isInstanceOf(AdmissionDecision.Denied.class);
    }
}
