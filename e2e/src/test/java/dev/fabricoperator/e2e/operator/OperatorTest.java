/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FabricSwitchSpecBuilder;
import dev.fabricoperator.crds.PeerRef;
import dev.fabricoperator.crds.PlaneStatus;
import dev.fabricoperator.crds.ReadFailure;
import dev.fabricoperator.crds.SwitchPortSpec;
import dev.fabricoperator.crds.SwitchPortSpecBuilder;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.fabric.device.PortState;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What the controller makes of events. Watches come from etcd, so that a compaction is felt at once. */
@WithControlPlane(own = true, watchCache = false)
class OperatorTest extends OperatorCase {
    /**
     * An API server takes longer to start than the lease of other tests lasts, and a controller that has lost its lease ends. So the lease of one that is
     * killed is deleted.
     */
    private static final Map<String, String> LONG_LEASE = Map.of(
            "FABRIC_OPERATOR_LEADER_ELECTION_LEASE_DURATION", "600s",
            "FABRIC_OPERATOR_LEADER_ELECTION_RENEW_DEADLINE", "300s");

    OperatorTest(ControlPlane cluster) {
        super(cluster);
    }

    @Override
    Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.putAll(LONG_LEASE);
        return settings;
    }

    private void deleteLeases() {
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
        Map<Integer, FabricDeviceStatus> places = places();
        Long generation = Objects.requireNonNull(status().generation());
        operator.kill();
        deleteLeases();
        admin.resources(FabricDevice.class).withName(SmallFabric.deviceName(3)).delete();
        become(start());
        eventually(() -> assertThat(status().devices()).isEqualTo(7));
        assertThat(status().generation()).isGreaterThan(generation);
        assertThat(vertices()).isEqualTo(8);
        places.remove(3);
        assertThat(places()).isEqualTo(places);

        admin.resource(SmallFabric.device(3)).create();
        eventually(() -> assertThat(indices()).isEqualTo(before));
    }

    private Map<Integer, FabricDeviceStatus> places() {
        Map<Integer, FabricDeviceStatus> places = new TreeMap<>();
        for (int host = 1; host <= SmallFabric.HOSTS; host++) {
            FabricDevice device = admin.resources(FabricDevice.class)
                    .withName(SmallFabric.deviceName(host))
                    .get();
            if (device != null) {
                places.put(host, device.getStatus());
            }
        }
        return places;
    }

    @Test
    void aDeviceOfAFamilyThatOnlyALaterReleaseKnowsStopsNobodyElse() {
        String schema = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/family/enum/-";
        admin.apiextensions()
                .v1()
                .customResourceDefinitions()
                .withName(CustomResource.getCRDName(FabricDevice.class))
                .patch(
                        PatchContext.of(PatchType.JSON),
                        "[{\"op\": \"add\", \"path\": \"" + schema + "\", \"value\": \"Photonic\"}]");
        admin.resources(FabricDevice.class).withName(SmallFabric.deviceName(8)).delete();
        GenericKubernetesResource later =
                Serialization.unmarshal(Serialization.asJson(SmallFabric.device(8)), GenericKubernetesResource.class);
        later.<Map<String, Object>>get("spec").put("family", "Photonic");
        eventually(() -> assertThat(admin.resource(later).create()).isNotNull());
        eventually(() -> assertThat(status().devices()).isEqualTo(7));
        operator.kill();
        deleteLeases();
        become(start());
        admin.resources(FabricDevice.class).withName(SmallFabric.deviceName(7)).delete();
        eventually(() -> assertThat(status().devices()).isEqualTo(6));

        admin.resource(later).delete();
        admin.resource(SmallFabric.device(7)).create();
        admin.resource(SmallFabric.device(8)).create();
        eventually(() -> assertThat(status().devices()).isEqualTo(8));
    }

    @Test
    void aRestartWithNothingToDoWritesNothing() {
        awaitQuiet();
        Map<String, String> versions = versions();
        String fabric = fabric().getMetadata().getResourceVersion();
        operator.kill();
        deleteLeases();
        become(start());
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
        assertThat(operator.isAlive()).isTrue();
    }

    @Test
    void eventsThatMeanNothingLeadToNoWrite() {
        awaitQuiet();
        double writes = operator.metric("fabric_operator_status_writes_total");
        for (int round = 0; round < 20; round++) {
            String value = Integer.toString(round);
            String name = SmallFabric.deviceName(1 + round % 8);
            eventually(() -> admin.resources(FabricDevice.class).withName(name).edit(device -> {
                device.getMetadata().setAnnotations(Map.of("touched", value));
                return device;
            }));
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
        eventually(() -> admin.resources(FabricDevice.class)
                .withName(SmallFabric.deviceName(4))
                .editStatus(device -> {
                    device.setStatus(
                            new FabricDeviceStatus("another", null, 6, null, null, null, List.of(), List.of()));
                    return device;
                }));
        eventually(() -> {
            assertThat(device(4).fabric()).isEqualTo(FABRIC);
            assertThat(device(4).index()).isEqualTo(index);
        });
    }

    /** As long as the schema lets them be: a status that quotes them, or counts along them, must be accepted too. */
    @Test
    void whatIsAsLargeAsTheSchemaAllowsCanBeToldOf() {
        double before = refusedWrites();
        int length = 70;
        for (int at = 0; at < length; at++) {
            List<SwitchPortSpec> ports = new ArrayList<>();
            ports.add(cable(1, at == 0 ? SmallFabric.SPINE : longId(at - 1), at == 0 ? 40 : 2));
            if (at < length - 1) {
                ports.add(cable(2, longId(at + 1), 1));
            }
            FabricSwitch link = new FabricSwitch();
            link.setMetadata(
                    new ObjectMetaBuilder().withName("chain-" + (100 + at)).build());
            link.setSpec(FabricSwitchSpecBuilder.builder()
                    .id(longId(at))
                    .ports(ports)
                    .build());
            admin.resource(link).create();
        }
        annotate(FabricApi.ANNOTATION_REFRESH, "r".repeat(1000));
        eventually(() -> {
            assertThat(status().switches()).isEqualTo(3 + length);
            assertThat(status().refreshed()).startsWith("rrr");
            assertThat(condition("Updating").status()).isEqualTo(ConditionStatus.False);
        });
        assertThat(admin.resources(FabricSwitch.class).list().getItems())
                .allSatisfy(object -> assertThat(object.getStatus().fabric()).isEqualTo(FABRIC));
        assertThat(refusedWrites()).isEqualTo(before);
    }

    private double refusedWrites() {
        return operator.metric("fabric_operator_status_writes_total", "outcome=\"refused\"");
    }

    private static SwitchPortSpec cable(int port, String peer, int peerPort) {
        return SwitchPortSpecBuilder.builder()
                .number(port)
                .peer(new PeerRef(peer, peerPort, null, null, null))
                .state(PortState.Active)
                .build();
    }

    private static String longId(int at) {
        return "c".repeat(250) + (100 + at);
    }

    @Test
    void readErrorsBecomeAConditionAMetricAndAnEvent() {
        eventually(() -> admin.resources(FabricDevice.class)
                .withName(SmallFabric.deviceName(6))
                .edit(device -> {
                    device.setSpec(FabricDeviceSpecBuilder.from(device.getSpec())
                            .withReadErrors(List.of(new ReadFailure(
                                    "/sys/class/infiniband/mlx5_0/ports/1/rate", "\"fast\" is no rate", null))));
                    return device;
                }));
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

    /** That it waits for the end of a lease which stays is for {@link LeaderElectionTest}. */
    @Test
    void aStandbyTakesOverWhenTheLeaderIsGone() {
        OperatorProcess leader = operator;
        OperatorProcess standby = start();
        become(standby);
        Map<String, Integer> before;
        try {
            assertThat(standby.metric("fabric_operator_model_pass_seconds_count"))
                    .isZero();
            before = indices();
        } finally {
            leader.kill();
            deleteLeases();
        }
        admin.resources(FabricDevice.class).withName(SmallFabric.deviceName(1)).delete();
        eventually(() -> assertThat(status().devices()).isEqualTo(7));
        before.remove(SmallFabric.deviceName(1));
        assertThat(indices()).isEqualTo(before);
    }

    /** The lease is held for ten minutes by one who is killed: only giving it back lets another lead within this test. */
    @Test
    void aLeaderThatIsToldToEndGivesTheLeaseBack() {
        OperatorProcess leader = operator;
        eventually(() -> assertThat(leader.metric("fabric_operator_model_pass_seconds_count"))
                .isPositive());
        OperatorProcess standby = start();
        become(standby);
        // Killed after this, it would keep its lease.
        leader.terminate(LIMIT);
        admin.resources(FabricDevice.class).withName(SmallFabric.deviceName(4)).delete();
        eventually(() -> assertThat(status().devices()).isEqualTo(7));
        assertThat(standby.metric("fabric_operator_model_pass_seconds_count")).isPositive();
    }

    @Test
    void losingTheLeaseEndsTheProcess() {
        // The leader renews it meanwhile: a conflict is tried again.
        eventually(() -> admin.leases()
                .inNamespace(OperatorProcess.NAMESPACE)
                .withName("fabric-operator-controller")
                .edit(lease -> {
                    lease.getSpec().setHolderIdentity("somebody else");
                    lease.getSpec().setRenewTime(ZonedDateTime.now(ZoneOffset.UTC));
                    lease.getSpec().setLeaseDurationSeconds(3600);
                    return lease;
                }));
        eventually(() -> assertThat(operator.isAlive()).isFalse());
    }
}
