/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import static dev.fabricoperator.operator.controller.integration.MadeModels.model;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.OperatorSettings;
import dev.fabricoperator.operator.TestApiServer;
import dev.fabricoperator.operator.cluster.FactStore;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.cluster.SettledSwitches;
import dev.fabricoperator.operator.controller.integration.WantedObjects.Wanted;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Reason;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IntegrationLoopTest {
    private static final String LABEL = "made-by";
    private static final ClusterModel MODEL = model();

    private final Queue<String> asked = new ConcurrentLinkedQueue<>();
    private final Set<String> failing = new HashSet<>();
    private int codeOfFailing = 500;
    private int codeOfDeletions = 404;
    private final FactStore<GenericKubernetesResource, IntegratedObject> store =
            new FactStore<>(object -> IntegratedObject.of(object, LABEL), GenericKubernetesResource::new);
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

    /** Applies objects, but for those that fail, and knows no kind. */
    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            asked.add(exchange.getRequestMethod() + " " + path);
            String name = path.substring(path.lastIndexOf('/') + 1);
            boolean isApplied = exchange.getRequestMethod().equals("PATCH");
            boolean isDeleted = exchange.getRequestMethod().equals("DELETE");
            byte[] answer = exchange.getRequestBody().readAllBytes();
            if (isApplied && !failing.contains(name)) {
                put(new String(answer, StandardCharsets.UTF_8), null);
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            } else if (isDeleted && codeOfDeletions == 200) {
                store.remove(name);
                exchange.sendResponseHeaders(200, -1);
            } else {
                exchange.sendResponseHeaders(isApplied ? codeOfFailing : isDeleted ? codeOfDeletions : 404, -1);
            }
        }
    }

    private void put(String name, String fabric, String spec) {
        put("""
            {"apiVersion": "example.org/v1", "kind": "Place",
             "metadata": {"name": "%s", "labels": {"made-by": "fabric-operator", "fabric-operator.dev/fabric": "%s"}}, "spec": {"of": "%s"}}""".formatted(name, fabric, spec), null);
    }

    private long asked(String method) {
        return asked.stream().filter(one -> one.startsWith(method)).count();
    }

    private void put(String json, @Nullable String deletion) {
        GenericKubernetesResource object = Serialization.unmarshal(json, GenericKubernetesResource.class);
        object.getMetadata().setUid("u-" + object.getMetadata().getName());
        object.getMetadata().setResourceVersion("1");
        object.getMetadata().setDeletionTimestamp(deletion);
        store.put(object.getMetadata().getName(), object);
    }

    private IntegrationLoop loop(@Nullable String whatIsFixed, Duration quiet, String... names) {
        return loop(whatIsFixed, quiet, List.of(names));
    }

    private IntegrationLoop loop(@Nullable String whatIsFixed, Duration quiet, List<String> names) {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        return new IntegrationLoop(
                new Told(whatIsFixed, names),
                Objects.requireNonNull(client),
                new Informers(meters),
                meters,
                Duration.ofMinutes(1),
                Duration.ofMinutes(5),
                new SettledSwitches(
                        new FactStores(SteadyClock.system()),
                        OperatorSettings.with("coalescing.creation-quiet", quiet.toMillis() + "ms")
                                .coalescing()));
    }

    /** Each object speaks of the Fabric of its name. */
    private record Told(@Nullable String whatIsFixed, List<String> names) implements Integration {
        @Override
        public String name() {
            return "told";
        }

        @Override
        public ResourceDefinitionContext kind() {
            return new ResourceDefinitionContext.Builder()
                    .withGroup("example.org")
                    .withVersion("v1")
                    .withKind("Place")
                    .withPlural("places")
                    .withNamespaced(false)
                    .build();
        }

        @Override
        public String sourceLabel() {
            return LABEL;
        }

        @Override
        public ConditionType condition() {
            return ConditionType.KueueTopologyCurrent;
        }

        @Override
        public boolean isEnabled() {
            return true;
        }

        @Override
        public WantedObjects wanted(ClusterModel model) {
            SortedMap<String, ConditionDraft> conditions = new TreeMap<>();
            names.forEach(name -> conditions.put(
                    name, new ConditionDraft(condition(), ConditionStatus.True, Reason.Written, name + " is written")));
            return new WantedObjects(
                    names.stream()
                            .map(name -> new Wanted(name, name, Map.of("of", name)))
                            .toList(),
                    Set.of(),
                    conditions);
        }
    }

    private static @Nullable Reason reason(IntegrationLoop loop, String fabric) {
        ConditionDraft draft = loop.conditions().last(fabric);
        return draft == null ? null : draft.reason();
    }

    @Test
    void anObjectWhoseWriteFailsKeepsNoOtherFromBeingWrittenAndIsTold() throws InterruptedException {
        failing.add("a");
        IntegrationLoop loop = loop(null, Duration.ZERO, "a", "b");
        assertThatThrownBy(() -> loop.bring(MODEL, store)).isInstanceOf(KubernetesClientException.class);
        assertThat(store.fact("b")).isNotNull();
        assertThat(reason(loop, "b")).isEqualTo(Reason.Written);
        assertThat(reason(loop, "a")).as("it may have been the moment").isNull();

        assertThatThrownBy(() -> loop.bring(MODEL, store)).isInstanceOf(KubernetesClientException.class);
        assertThat(reason(loop, "a")).isEqualTo(Reason.WritesFailing);
        assertThat(Objects.requireNonNull(loop.conditions().last("a")).status()).isEqualTo(ConditionStatus.Unknown);
        failing.clear();
        loop.bring(MODEL, store);
        assertThat(reason(loop, "a")).isEqualTo(Reason.Written);
    }

    @Test
    void manyThatFailAreNotAllTriedInOneStepAndGoLastInTheNext() {
        for (int i = 0; i < 20; i++) {
            failing.add("a" + i);
        }
        String[] names = new String[21];
        for (int i = 0; i < 20; i++) {
            names[i] = "a" + i;
        }
        names[20] = "b";
        IntegrationLoop loop = loop(null, Duration.ZERO, names);
        assertThatThrownBy(() -> loop.bring(MODEL, store)).isInstanceOf(KubernetesClientException.class);
        assertThat(asked).hasSize(8);
        for (int step = 0; step < 3 && store.fact("b") == null; step++) {
            assertThatThrownBy(() -> loop.bring(MODEL, store)).isInstanceOf(KubernetesClientException.class);
        }
        assertThat(store.fact("b")).isNotNull();
    }

    @Test
    void deletionsThatFailAreNotAllTriedInOneStepAndKeepNothingFromBeingWritten() {
        codeOfDeletions = 500;
        for (int i = 0; i < 20; i++) {
            put("b" + i, "b", "b");
        }
        IntegrationLoop loop = loop(null, Duration.ZERO, "a");
        assertThatThrownBy(() -> loop.bring(MODEL, store)).isInstanceOf(KubernetesClientException.class);
        assertThat(asked("DELETE")).isEqualTo(8);
        assertThat(reason(loop, "a")).isEqualTo(Reason.Written);
    }

    @Test
    void anApiServerThatIsAwayRefusesNothing() throws InterruptedException {
        IntegrationLoop loop = loop(null, Duration.ZERO, "a", "b");
        loop.bring(MODEL, store);
        Objects.requireNonNull(server).stop(0);
        store.remove("a");
        store.remove("b");
        assertThatThrownBy(() -> loop.bring(MODEL, store)).isInstanceOf(KubernetesClientException.class);
        assertThat(reason(loop, "a")).as("what was said before holds").isEqualTo(Reason.Written);
    }

    @Test
    void whatIsNotAnsweredTimeAfterTimeIsNotSaidToBeRefused() {
        IntegrationLoop loop = loop(null, Duration.ZERO, "a");
        Objects.requireNonNull(server).stop(0);
        for (int step = 0; step < 3; step++) {
            assertThatThrownBy(() -> loop.bring(MODEL, store)).isInstanceOf(KubernetesClientException.class);
        }
        assertThat(reason(loop, "a")).isEqualTo(Reason.WritesFailing);
    }

    @Test
    void aKindThatNobodyServesForAMomentRefusesNothing() {
        codeOfFailing = 404;
        failing.add("a");
        IntegrationLoop loop = loop(null, Duration.ZERO, "a");
        for (int step = 0; step < 2; step++) {
            assertThatThrownBy(() -> loop.bring(MODEL, store)).isInstanceOf(KubernetesClientException.class);
        }
        assertThat(reason(loop, "a")).isEqualTo(Reason.WritesFailing);
    }

    @Test
    void whoeverHasLostTheLeaseBeginsNoMoreDeletions() throws InterruptedException {
        codeOfDeletions = 200;
        for (int i = 0; i < 20; i++) {
            put("b" + i, "b", "b");
        }
        IntegrationLoop loop = loop(null, Duration.ZERO);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> loop.bring(MODEL, store)).isInstanceOf(KubernetesClientException.class);
        assertThat(Thread.interrupted()).isTrue();
        Thread.sleep(500);
        assertThat(asked("DELETE")).isLessThanOrEqualTo(1);
    }

    @Test
    void aDeletionThatIsForbiddenIsToldAndTriedAgainMuchLater() throws InterruptedException {
        codeOfDeletions = 403;
        put("a-old", "a", "a");
        put("c", "c", "c");
        IntegrationLoop loop = loop(null, Duration.ZERO, "a", "b");
        loop.bring(MODEL, store);
        loop.bring(MODEL, store);
        assertThat(asked("DELETE")).isEqualTo(2);
        assertThat(reason(loop, "a")).isEqualTo(Reason.WritesRefused);
        assertThat(Objects.requireNonNull(loop.conditions().last("a")).message())
                .contains("1 object, the first is a-old is not wanted any more and stays: ");
        assertThat(reason(loop, "b")).isEqualTo(Reason.Written);
    }

    @Test
    void whatSomebodyElseWritesAgainAndAgainIsNotPutRightEachTime() throws InterruptedException {
        IntegrationLoop loop = loop(null, Duration.ZERO, "a", "b");
        for (int round = 0; round < 10; round++) {
            loop.bring(MODEL, store);
            put("a", "a", "somebody else " + round);
        }
        assertThat(asked("PATCH")).isBetween(3L, 8L);
        assertThat(Objects.requireNonNull(loop.conditions().last("a")).message())
                .isEqualTo("a is written; somebody else writes 1 object (a) again and again");
        assertThat(Objects.requireNonNull(loop.conditions().last("b")).message())
                .isEqualTo("b is written");
    }

    @Test
    void whatIsWantedNowAndThenIsNoContest() throws InterruptedException {
        codeOfDeletions = 200;
        List<String> names = new ArrayList<>();
        IntegrationLoop loop = loop(null, Duration.ZERO, names);
        for (int round = 0; round < 5; round++) {
            names.add("a");
            loop.bring(model(), store);
            assertThat(store.fact("a")).isNotNull();
            names.clear();
            loop.bring(model(), store);
            assertThat(store.fact("a")).isNull();
        }
    }

    @Test
    void anObjectThatIsBeingDeletedIsNotSaidToBeThere() throws InterruptedException {
        IntegrationLoop loop = loop("it cannot be changed", Duration.ZERO, "a");
        put("""
            {"apiVersion": "example.org/v1", "kind": "Place",
             "metadata": {"name": "a", "labels": {"made-by": "fabric-operator", "fabric-operator.dev/fabric": "a"}}, "spec": {"of": "a"}}""", "2026-01-01T00:00:00Z");
        loop.bring(MODEL, store);
        assertThat(asked).isEmpty();
        assertThat(reason(loop, "a")).isEqualTo(Reason.BeingDeleted);
    }

    @Test
    void whatMayNotBeChangedIsToldAndTriedAgainMuchLater() throws InterruptedException {
        codeOfFailing = 422;
        failing.add("a");
        put("a", "a", "as it was");
        IntegrationLoop loop = loop("it cannot be changed", Duration.ZERO, "a", "b");
        loop.bring(MODEL, store);
        loop.bring(MODEL, store);
        assertThat(asked).containsOnlyOnce("PATCH /apis/example.org/v1/places/a");
        assertThat(Objects.requireNonNull(loop.conditions().last("a")))
                .extracting(ConditionDraft::reason, ConditionDraft::message)
                .containsExactly(Reason.CannotChange, "Place a is out of date: it cannot be changed");
        assertThat(reason(loop, "b")).isEqualTo(Reason.Written);

        put("""
            {"apiVersion": "example.org/v1", "kind": "Place",
             "metadata": {"name": "a", "labels": {"made-by": "fabric-operator", "fabric-operator.dev/fabric": "a"}}, "spec": {"of": "x"}}""", "2026-01-01T00:00:00Z");
        loop.bring(MODEL, store);
        assertThat(reason(loop, "a")).isEqualTo(Reason.BeingDeleted);

        failing.clear();
        store.remove("a");
        loop.bring(MODEL, store);
        assertThat(reason(loop, "a")).as("another one").isEqualTo(Reason.Written);
    }

    /** As Kueue does from 0.20 on. */
    @Test
    void whatMayBeChangedByNowIsChangedWhenTheSwitchesHaveSettled() throws InterruptedException {
        put("a", "a", "as it was");
        IntegrationLoop waiting = loop("it cannot be changed", Duration.ofSeconds(20), "a");
        waiting.bring(MODEL, store);
        assertThat(asked).isEmpty();
        IntegrationLoop changing = loop("it cannot be changed", Duration.ZERO, "a");
        changing.bring(MODEL, store);
        assertThat(reason(changing, "a")).isEqualTo(Reason.Written);
        assertThat(Objects.requireNonNull(store.fact("a")).spec()).isEqualTo(Map.of("of", "a"));
    }

    @Test
    void whatSomebodyElseHasPutRightIsNoLongerRefused() throws InterruptedException {
        codeOfFailing = 422;
        failing.add("a");
        put("a", "a", "as it was");
        IntegrationLoop loop = loop(null, Duration.ZERO, "a");
        loop.bring(MODEL, store);
        assertThat(reason(loop, "a")).isEqualTo(Reason.WritesRefused);
        put("a", "a", "a");
        loop.bring(MODEL, store);
        assertThat(reason(loop, "a")).isEqualTo(Reason.Written);
    }

    @Test
    void whatCannotBeChangedIsMadeWhenTheSwitchesHaveSettled() throws InterruptedException {
        IntegrationLoop waiting = loop("it cannot be changed", Duration.ofSeconds(20), "a");
        waiting.bring(MODEL, store);
        assertThat(asked).isEmpty();
        assertThat(reason(waiting, "a")).isNull();
        IntegrationLoop changing = loop(null, Duration.ofSeconds(20), "a");
        changing.bring(MODEL, store);
        assertThat(reason(changing, "a")).isEqualTo(Reason.Written);
    }

    @Test
    void aKindThatIsNotThereIsAskedForOnceInAWhile() throws InterruptedException {
        IntegrationLoop loop = loop(null, Duration.ZERO, "a");
        loop.offer(MODEL);
        loop.step();
        int before = asked.size();
        assertThat(before).isPositive();
        loop.offer(model());
        loop.step();
        assertThat(asked).hasSize(before);
        assertThat(loop.conditions().drafts()).isEmpty();
    }
}
