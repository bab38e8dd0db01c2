/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.fabric.classify.FabricKind;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/**
 * A controller as a process with its own rights, eight hosts and their dump. The process is one for all tests of a class;
 * before each test the objects are as they were before the first, and it has settled.
 */
abstract class OperatorCase {
    static final String FABRIC = "infiniband-0";
    /** Many tests in a row change the same links: only those of flapping links want to see them damped. */
    static final Map<String, String> SETTINGS = Map.of(
            // A leader that gets no time to renew its lease ends.
            "FABRIC_OPERATOR_LEADER_ELECTION_LEASE_DURATION",
            "20s",
            "FABRIC_OPERATOR_LEADER_ELECTION_RENEW_DEADLINE",
            "16s",
            "FABRIC_OPERATOR_LEADER_ELECTION_RETRY_PERIOD",
            "500ms",
            "FABRIC_OPERATOR_SOURCE_POLL_INTERVAL",
            "1s",
            "FABRIC_OPERATOR_DAMPING_CHANGES",
            "1000");

    private static final Set<String> KEPT = Set.of("small", "fabric-operator-numbers", "kube-root-ca.crt");

    /** By test class, since classes run side by side. */
    private static final Map<Class<?>, OperatorProcess> RUNNING = new ConcurrentHashMap<>();

    private static final Map<Class<?>, Path> DIRECTORIES = new ConcurrentHashMap<>();

    final ControlPlane cluster;
    final KubernetesClient admin;
    final Path directory;
    OperatorProcess operator;

    OperatorCase(ControlPlane cluster) {
        this.cluster = cluster;
        this.admin = cluster.admin();
        this.directory = Objects.requireNonNull(DIRECTORIES.get(getClass()));
    }

    @BeforeAll
    static void takeDirectory(TestInfo test, @TempDir Path directory) {
        DIRECTORIES.put(test.getTestClass().orElseThrow(), directory);
    }

    @BeforeEach
    void eightHostsAndTheirDump() {
        OperatorProcess before = RUNNING.get(getClass());
        boolean first = before == null;
        if (first) {
            Manifests.apply(cluster);
            applyMore();
        }
        restore();
        if (before == null || !before.isAlive()) {
            admin.leases().inNamespace(OperatorProcess.NAMESPACE).delete();
            before = start();
        }
        become(before);
        eventually(this::assertSettled);
    }

    @AfterAll
    static void emptyTheCluster(TestInfo test, ControlPlane cluster) {
        OperatorProcess last = RUNNING.remove(test.getTestClass().orElseThrow());
        if (last != null) {
            last.kill();
        }
        KubernetesClient admin = cluster.admin();
        admin.configMaps().inNamespace(OperatorProcess.NAMESPACE).delete();
        admin.resources(FabricDevice.class).delete();
        admin.resources(FabricSwitch.class).delete();
        admin.resources(Fabric.class).delete();
        admin.leases().inNamespace(OperatorProcess.NAMESPACE).delete();
    }

    /** The controller of this test and of those after it. */
    final void become(OperatorProcess process) {
        operator = process;
        RUNNING.put(getClass(), process);
    }

    private void restore() {
        List<String> hosts = IntStream.rangeClosed(1, SmallFabric.HOSTS)
                .mapToObj(SmallFabric::deviceName)
                .toList();
        for (FabricDevice device : admin.resources(FabricDevice.class).list().getItems()) {
            if (!hosts.contains(device.getMetadata().getName())) {
                admin.resource(device).delete();
            }
        }
        for (int host = 1; host <= SmallFabric.HOSTS; host++) {
            FabricDevice wanted = SmallFabric.device(host);
            var resource = admin.resources(FabricDevice.class)
                    .withName(wanted.getMetadata().getName());
            FabricDevice present = resource.get();
            if (present == null) {
                admin.resource(wanted).create();
            } else if (present.getMetadata().getGeneration() != 1) {
                eventually(() -> resource.edit(device -> {
                    device.setSpec(wanted.getSpec());
                    return device;
                }));
            }
        }
        admin.resource(SmallFabric.upload(SmallFabric.dump())).createOr(map -> map.update());
        for (ConfigMap map :
                admin.configMaps().inNamespace(OperatorProcess.NAMESPACE).list().getItems()) {
            if (!KEPT.contains(map.getMetadata().getName())) {
                admin.resource(map).delete();
            }
        }
        admin.leases()
                .inNamespace(OperatorProcess.NAMESPACE)
                .withName("fabric-sweeper")
                .delete();
        for (FabricSwitch object : admin.resources(FabricSwitch.class).list().getItems()) {
            if (!"small".equals(object.getSpec().source())) {
                admin.resource(object).delete();
            } else if (object.getMetadata().getAnnotations().containsKey(FabricApi.ANNOTATION_DRAIN)) {
                eventually(() -> admin.resources(FabricSwitch.class)
                        .withName(object.getMetadata().getName())
                        .edit(present -> {
                            present.getMetadata().getAnnotations().remove(FabricApi.ANNOTATION_DRAIN);
                            return present;
                        }));
            }
        }
        for (Fabric object : admin.resources(Fabric.class).list().getItems()) {
            if (!object.getMetadata().getName().equals(FABRIC)) {
                admin.resource(object).delete();
            }
        }
        if (admin.resources(Fabric.class).withName(FABRIC).get() != null) {
            change(fabric -> {
                fabric.getMetadata().setAnnotations(null);
                fabric.setSpec(FabricSpecBuilder.builder(fabric.getSpec())
                        .sources(List.of())
                        .planes(List.of())
                        .build());
            });
        }
    }

    private void assertSettled() {
        FabricStatus status = status();
        assertThat(status.kind()).isEqualTo(FabricKind.FatTree);
        assertThat(status.devices()).isEqualTo(SmallFabric.HOSTS);
        assertThat(status.switches()).isEqualTo(3);
        assertThat(status.links()).isEqualTo(10);
        assertThat(status.findings()).isEmpty();
        assertThat(status.sources()).hasSize(1);
        assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.True);
        assertThat(condition("Ready").status()).isEqualTo(ConditionStatus.True);
        assertThat(condition("Updating").status()).isEqualTo(ConditionStatus.False);
        assertThat(condition("Ready").observedGeneration())
                .isEqualTo(fabric().getMetadata().getGeneration());
        assertThat(admin.resources(Fabric.class).list().getItems()).hasSize(1);
        assertThat(indices().values()).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
    }

    /** What a class wants on the cluster beside the operator's manifests, once. */
    void applyMore() {}

    OperatorProcess start() {
        return start(Map.of());
    }

    /** What a class wants otherwise than {@link #SETTINGS}. */
    Map<String, String> settings() {
        return SETTINGS;
    }

    /** @param more than {@link #settings} */
    final OperatorProcess start(Map<String, String> more) {
        Map<String, String> all = new HashMap<>(settings());
        all.putAll(more);
        all.put("FABRIC_OPERATOR_TOPOLOGY_DIRECTORY", directory.toString());
        return OperatorProcess.start(cluster, directory, "controller", OperatorProcess.BRIEF, all);
    }

    /** Changes the Fabric. The operator writes its status meanwhile, so that a first try may be too late. */
    void change(Consumer<Fabric> by) {
        eventually(() -> admin.resources(Fabric.class).withName(FABRIC).edit(fabric -> {
            by.accept(fabric);
            return fabric;
        }));
    }

    void annotate(String key, String value) {
        change(fabric -> fabric.getMetadata().setAnnotations(Map.of(key, value)));
    }

    Fabric fabric() {
        return admin.resources(Fabric.class).withName(FABRIC).require();
    }

    FabricStatus status() {
        FabricStatus status = fabric().getStatus();
        assertThat(status).isNotNull();
        return status;
    }

    int vertices() {
        return Objects.requireNonNull(status().costMatrix()).vertices();
    }

    Condition condition(String type) {
        return status().conditions().stream()
                .filter(c -> c.type().equals(type))
                .findFirst()
                .orElseThrow();
    }

    FabricDeviceStatus device(int host) {
        return admin.resources(FabricDevice.class)
                .withName(SmallFabric.deviceName(host))
                .require()
                .getStatus();
    }

    Map<String, Integer> indices() {
        Map<String, Integer> indices = new TreeMap<>();
        for (FabricDevice device : admin.resources(FabricDevice.class).list().getItems()) {
            indices.put(device.getMetadata().getName(), device.getStatus().index());
        }
        return indices;
    }

    /** Waits until the operator has written nothing for a while: what the test before has led to may come late. */
    final void awaitQuiet() {
        List<String> before = new ArrayList<>();
        Awaitility.await().atMost(LIMIT).pollInterval(Duration.ofSeconds(2)).until(() -> {
            List<String> now = new ArrayList<>(versions().values());
            now.add(fabric().getMetadata().getResourceVersion());
            now.add(Double.toString(operator.metric("fabric_operator_status_writes_total")));
            boolean same = now.equals(before);
            before.clear();
            before.addAll(now);
            return same;
        });
    }

    Map<String, String> versions() {
        Map<String, String> versions = new TreeMap<>();
        for (FabricDevice device : admin.resources(FabricDevice.class).list().getItems()) {
            versions.put(device.getMetadata().getName(), device.getMetadata().getResourceVersion());
        }
        return versions;
    }

    /** Events of the Fabric with this reason. */
    List<Event> events(String reason) {
        return admin.v1().events().inNamespace("default").list().getItems().stream()
                .filter(event -> event.getReason().equals(reason)
                        && event.getInvolvedObject().getName().equals(FABRIC))
                .toList();
    }
}
