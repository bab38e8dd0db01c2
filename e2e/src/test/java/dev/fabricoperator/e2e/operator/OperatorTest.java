/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricKindName;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.ObjectRef;
import dev.fabricoperator.crds.PlaneStatus;
import dev.fabricoperator.crds.ReadFailure;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.crds.TopologySource;
import dev.fabricoperator.crds.TopologySourceBuilder;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The controller as a process with its own rights. Watches come from etcd, so that a compaction is felt at once. */
@WithControlPlane(own = true, watchCache = false)
class OperatorTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String FABRIC = "infiniband-0";
    private static final Map<String, String> SETTINGS = Map.of(
            "FABRIC_OPERATOR_LEADER_ELECTION_LEASE_DURATION", "4s",
            "FABRIC_OPERATOR_LEADER_ELECTION_RENEW_DEADLINE", "3s",
            "FABRIC_OPERATOR_LEADER_ELECTION_RETRY_PERIOD", "500ms",
            "FABRIC_OPERATOR_SOURCE_POLL_INTERVAL", "1s");

    private final ControlPlane cluster;
    private final KubernetesClient admin;

    @TempDir
    Path directory;

    private OperatorProcess operator;

    OperatorTest(ControlPlane cluster) {
        this.cluster = cluster;
        this.admin = cluster.admin();
    }

    @BeforeEach
    void eightHostsAndTheirDump() {
        Manifests.apply(cluster);
        for (int host = 1; host <= SmallFabric.HOSTS; host++) {
            admin.resource(SmallFabric.device(host)).create();
        }
        admin.resource(SmallFabric.upload(SmallFabric.dump())).create();
        operator = start();
        eventually(() -> {
            assertThat(status().kind()).isEqualTo(FabricKindName.FatTree);
            assertThat(condition("Ready").status()).isEqualTo(ConditionStatus.True);
            assertThat(condition("Updating").status()).isEqualTo(ConditionStatus.False);
        });
    }

    @AfterEach
    void emptyTheCluster() {
        operator.kill();
        admin.configMaps().inNamespace(OperatorProcess.NAMESPACE).delete();
        admin.resources(FabricDevice.class).delete();
        admin.resources(FabricSwitch.class).delete();
        admin.resources(Fabric.class).delete();
        admin.leases().inNamespace(OperatorProcess.NAMESPACE).delete();
    }

    @Test
    void devicesAndADumpBecomeAFabric() {
        FabricStatus status = status();
        assertThat(status.devices()).isEqualTo(8);
        assertThat(status.switches()).isEqualTo(3);
        assertThat(status.links()).isEqualTo(10);
        assertThat(status.unmanagedDevices()).isZero();
        assertThat(vertices()).isEqualTo(8);
        assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.True);
        assertThat(indices().values()).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(device(1).switchId()).isEqualTo("a000000000000001");
        assertThat(admin.resources(FabricSwitch.class).list().getItems())
                .hasSize(3)
                .allSatisfy(s -> assertThat(s.getStatus().fabric()).isEqualTo(FABRIC));
    }

    @Test
    void indicesSurviveARestartAndAHoleIsFilledLowestFirst() {
        Map<String, Integer> before = indices();
        Long generation = Objects.requireNonNull(status().generation());
        operator.kill();
        admin.resources(FabricDevice.class).withName(SmallFabric.deviceName(3)).delete();
        operator = start();
        eventually(() -> assertThat(status().devices()).isEqualTo(7));
        assertThat(status().generation()).isGreaterThan(generation);
        assertThat(vertices()).isEqualTo(8);

        admin.resource(SmallFabric.device(3)).create();
        eventually(() -> assertThat(indices()).isEqualTo(before));
    }

    @Test
    void aRestartWithNothingToDoWritesNothing() {
        Map<String, String> versions = versions();
        String fabric = fabric().getMetadata().getResourceVersion();
        operator.kill();
        operator = start();
        eventually(() -> assertThat(operator.metric("fabric_operator_model_pass_seconds_count"))
                .isPositive());
        Awaitility.await()
                .during(Duration.ofSeconds(2))
                .atMost(LIMIT)
                .untilAsserted(() -> assertThat(versions()).isEqualTo(versions));
        assertThat(fabric().getMetadata().getResourceVersion()).isEqualTo(fabric);
    }

    @Test
    void aSpecChangeDuringStatusPatchesIsNotLost() {
        for (int round = 1; round <= 25; round++) {
            String plane = "plane-" + round;
            // Both at once: the device makes a status patch, the Fabric's spec changes while it is on its way.
            boolean there = round % 2 == 0;
            if (there) {
                admin.resource(SmallFabric.device(8)).create();
            } else {
                admin.resources(FabricDevice.class)
                        .withName(SmallFabric.deviceName(8))
                        .delete();
            }
            admin.resources(Fabric.class)
                    .withName(FABRIC)
                    .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\": {\"planes\": [\"" + plane + "\"]}}");
            if (round % 5 == 0) {
                eventually(() -> {
                    assertThat(status().planes()).extracting(PlaneStatus::id).contains(plane);
                    assertThat(condition("Ready").observedGeneration())
                            .isEqualTo(fabric().getMetadata().getGeneration());
                    assertThat(status().devices()).isEqualTo(there ? 8 : 7);
                });
            }
        }
    }

    @Test
    void theApiServerMayRestartInTheMiddle() {
        cluster.restartApiServer();
        admin.resources(FabricDevice.class).withName(SmallFabric.deviceName(5)).delete();
        eventually(() -> assertThat(status().devices()).isEqualTo(7));
        cluster.killApiServer();
        cluster.startApiServer();
        admin.resource(SmallFabric.device(5)).create();
        eventually(() -> {
            assertThat(status().devices()).isEqualTo(8);
            assertThat(indices()).hasSize(8);
        });
        assertThat(operator.isAlive()).isTrue();
    }

    @Test
    void whatHappenedWhileAWatchWasBrokenIsSeen() {
        cluster.expireWatches(unseen -> {
            unseen.resources(FabricDevice.class)
                    .withName(SmallFabric.deviceName(2))
                    .delete();
            unseen.resources(FabricDevice.class)
                    .withName(SmallFabric.deviceName(7))
                    .delete();
            unseen.resource(SmallFabric.device(7)).create();
        });
        eventually(() -> {
            assertThat(status().devices()).isEqualTo(7);
            assertThat(device(7).index()).isNotNull();
        });
    }

    @Test
    void eventsThatMeanNothingLeadToNoWrite() {
        double writes = operator.metric("fabric_operator_status_writes_total");
        for (int round = 0; round < 20; round++) {
            String value = Integer.toString(round);
            admin.resources(FabricDevice.class)
                    .withName(SmallFabric.deviceName(1 + round % 8))
                    .edit(device -> {
                        device.getMetadata().setAnnotations(Map.of("touched", value));
                        return device;
                    });
        }
        Awaitility.await()
                .during(Duration.ofSeconds(2))
                .atMost(LIMIT)
                .untilAsserted(() -> assertThat(operator.metric("fabric_operator_status_writes_total"))
                        .isEqualTo(writes));
    }

    @Test
    void aStatusThatSomebodyElseWroteIsPutRight() {
        Integer index = device(4).index();
        admin.resources(FabricDevice.class).withName(SmallFabric.deviceName(4)).editStatus(device -> {
            device.setStatus(new FabricDeviceStatus("another", null, 6, null, null, null, List.of(), List.of()));
            return device;
        });
        eventually(() -> {
            assertThat(device(4).fabric()).isEqualTo(FABRIC);
            assertThat(device(4).index()).isEqualTo(index);
        });
    }

    @Test
    void readErrorsBecomeAConditionAMetricAndAnEvent() {
        admin.resources(FabricDevice.class).withName(SmallFabric.deviceName(6)).edit(device -> {
            device.setSpec(FabricDeviceSpecBuilder.from(device.getSpec())
                    .withReadErrors(List.of(new ReadFailure(
                            "/sys/class/infiniband/mlx5_0/ports/1/rate", "\"fast\" is no rate", null))));
            return device;
        });
        eventually(() -> {
            assertThat(device(6).conditions()).anySatisfy(condition -> {
                assertThat(condition.type()).isEqualTo("HostReadable");
                assertThat(condition.status()).isEqualTo(ConditionStatus.False);
                assertThat(condition.message()).contains("/sys/class/infiniband/mlx5_0/ports/1/rate");
            });
            assertThat(operator.metric("fabric_operator_devices_with_read_errors"))
                    .isEqualTo(1);
            assertThat(admin.v1().events().inNamespace("default").list().getItems())
                    .anySatisfy(event -> {
                        assertThat(event.getReason()).isEqualTo("ReadErrors");
                        assertThat(event.getInvolvedObject().getName()).isEqualTo(SmallFabric.deviceName(6));
                    });
        });
    }

    @Test
    void aBadDumpKeepsTheLastGoodStateAndIsNamed() {
        String dump = SmallFabric.dump();
        admin.resource(SmallFabric.upload(dump.substring(0, dump.length() / 2))).update();
        eventually(() -> {
            assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.Unknown);
            assertThat(condition("TopologyKnown").message()).contains("small.txt:");
        });
        assertThat(status().kind()).isEqualTo(FabricKindName.FatTree);
        assertThat(status().links()).isEqualTo(10);
        admin.resource(SmallFabric.upload(dump)).update();
        eventually(() -> assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.True));
    }

    @Test
    void aFabricMayNameAFileOrAPlainConfigMapInsteadOfAnUpload() throws IOException {
        Path file = Files.writeString(directory.resolve("net.txt"), SmallFabric.dump());
        name(TopologySourceBuilder.builder()
                .type(SourceType.ibnetdiscover)
                .url(file.toUri().toString().replaceFirst("^file:/+", "file:///"))
                .build());
        admin.configMaps().inNamespace(OperatorProcess.NAMESPACE).delete();
        eventually(() -> assertThat(sources()).hasSize(1).allMatch(source -> source.startsWith("file.")));
        assertThat(status().kind()).isEqualTo(FabricKindName.FatTree);

        admin.resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName("by-hand")
                        .withNamespace(OperatorProcess.NAMESPACE)
                        .endMetadata()
                        .addToData("net.txt", SmallFabric.dump())
                        .build())
                .create();
        name(TopologySourceBuilder.builder()
                .type(SourceType.ibnetdiscover)
                .configMapRef(new ObjectRef("by-hand"))
                .build());
        eventually(() -> assertThat(sources()).containsExactly("by-hand"));
        assertThat(status().links()).isEqualTo(10);
        assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.True);
    }

    @Test
    void aFileOutsideTheTopologyDirectoryIsNotRead() {
        name(TopologySourceBuilder.builder()
                .type(SourceType.ibnetdiscover)
                .url("file:///etc/hostname")
                .build());
        eventually(() -> assertThat(condition("TopologyKnown").message())
                .contains("file:///etc/hostname", "must be below " + directory));
        assertThat(status().links()).isEqualTo(10);
    }

    private void name(TopologySource source) {
        admin.resources(Fabric.class).withName(FABRIC).edit(fabric -> {
            fabric.setSpec(FabricSpecBuilder.builder(fabric.getSpec())
                    .sources(List.of(source))
                    .build());
            return fabric;
        });
    }

    private Set<String> sources() {
        return admin.resources(FabricSwitch.class).list().getItems().stream()
                .map(s -> Objects.requireNonNull(s.getSpec().source()))
                .collect(Collectors.toSet());
    }

    @Test
    void aStandbyTakesOverWhenTheLeaderIsGone() {
        try (OperatorProcess standby = start()) {
            assertThat(standby.metric("fabric_operator_model_pass_seconds_count"))
                    .isZero();
            Map<String, Integer> before = indices();
            operator.kill();
            admin.resources(FabricDevice.class)
                    .withName(SmallFabric.deviceName(1))
                    .delete();
            eventually(() -> assertThat(status().devices()).isEqualTo(7));
            before.remove(SmallFabric.deviceName(1));
            assertThat(indices()).isEqualTo(before);
        }
    }

    @Test
    void losingTheLeaseEndsTheProcess() {
        admin.leases()
                .inNamespace(OperatorProcess.NAMESPACE)
                .withName("fabric-operator-controller")
                .edit(lease -> {
                    lease.getSpec().setHolderIdentity("somebody else");
                    lease.getSpec().setRenewTime(ZonedDateTime.now(ZoneOffset.UTC));
                    lease.getSpec().setLeaseDurationSeconds(3600);
                    return lease;
                });
        eventually(() -> assertThat(operator.isAlive()).isFalse());
    }

    @Test
    void aServerIsReadyAndWritesNothing() {
        try (OperatorProcess server = OperatorProcess.start(cluster, directory, "server", List.of(), SETTINGS)) {
            assertThat(server.isReady()).isTrue();
            assertThat(server.metric("jvm_threads_live_threads")).isPositive();
            assertThat(server.metric("fabric_operator_status_writes_total")).isZero();
        }
    }

    private OperatorProcess start() {
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.put("FABRIC_OPERATOR_TOPOLOGY_DIRECTORY", directory.toString());
        return OperatorProcess.start(
                cluster, directory, "controller", List.of("-Xmx128m", "-XX:TieredStopAtLevel=1"), settings);
    }

    private void eventually(ThrowingRunnable assertion) {
        Awaitility.await()
                .atMost(LIMIT)
                .pollInterval(Duration.ofMillis(100))
                .ignoreExceptions()
                .untilAsserted(assertion);
    }

    private Fabric fabric() {
        return admin.resources(Fabric.class).withName(FABRIC).require();
    }

    private FabricStatus status() {
        FabricStatus status = fabric().getStatus();
        assertThat(status).isNotNull();
        return status;
    }

    private int vertices() {
        return Objects.requireNonNull(status().costMatrix()).vertices();
    }

    private Condition condition(String type) {
        return status().conditions().stream()
                .filter(c -> c.type().equals(type))
                .findFirst()
                .orElseThrow();
    }

    private FabricDeviceStatus device(int host) {
        return admin.resources(FabricDevice.class)
                .withName(SmallFabric.deviceName(host))
                .require()
                .getStatus();
    }

    private Map<String, Integer> indices() {
        Map<String, Integer> indices = new TreeMap<>();
        for (FabricDevice device : admin.resources(FabricDevice.class).list().getItems()) {
            indices.put(device.getMetadata().getName(), device.getStatus().index());
        }
        return indices;
    }

    private Map<String, String> versions() {
        Map<String, String> versions = new TreeMap<>();
        for (FabricDevice device : admin.resources(FabricDevice.class).list().getItems()) {
            versions.put(device.getMetadata().getName(), device.getMetadata().getResourceVersion());
        }
        return versions;
    }
}
