/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.PlaneStatus;
import dev.fabricoperator.crds.ReadFailure;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What the controller makes of events. Watches come from etcd, so that a compaction is felt at once. */
@WithControlPlane(own = true, watchCache = false)
class OperatorTest extends OperatorCase {
    OperatorTest(ControlPlane cluster) {
        super(cluster);
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
}
