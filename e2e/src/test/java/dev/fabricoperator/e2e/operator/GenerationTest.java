/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.view.mapping.FabricAssembly;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBindingBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** What readers of the objects see while the operator works. */
@WithControlPlane
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class GenerationTest extends OperatorCase {
    private static final String LEAF = SmallFabric.LEAVES.getFirst();
    private static final int CALM = SmallFabric.HOSTS / 2;
    private static final String POLICY = "hold-a-status";
    private static final int CHANGES = 504;
    /** Of one object for one reason: a burst of 20, and the few of a storm's time. */
    private static final int EVENTS = 24;

    GenerationTest(ControlPlane cluster) {
        super(cluster);
    }

    @Override
    OperatorProcess start() {
        return start(Map.of(
                "FABRIC_OPERATOR_WRITES_REFUSED_INTERVAL", "1s", "FABRIC_OPERATOR_COALESCING_CREATION_QUIET", "30s"));
    }

    private static String digest(FabricStatus status) {
        return Objects.requireNonNull(status.costMatrix()).digest();
    }

    /** What a reader computes that looks at the Fabric first and at everything else after it. */
    private String digestOfTheObjects(Fabric fabric) {
        return FabricAssembly.of(
                        admin.resources(Fabric.class).list().getItems(),
                        admin.resources(FabricDevice.class).list().getItems(),
                        admin.resources(FabricSwitch.class).list().getItems())
                .fabric(fabric)
                .model()
                .cost()
                .digest();
    }

    private void drain(String value) {
        FabricSwitch leaf = admin.resources(FabricSwitch.class).list().getItems().stream()
                .filter(s -> s.getSpec().id().equals(LEAF))
                .findFirst()
                .orElseThrow();
        eventually(() -> admin.resources(FabricSwitch.class)
                .withName(leaf.getMetadata().getName())
                .edit(s -> {
                    s.getMetadata().setAnnotations(Map.of(FabricApi.ANNOTATION_DRAIN, value));
                    return s;
                }));
    }

    @Test
    void aDeviceThatLeavesMakesAGenerationThatIsReadWholeAndSaysWhatChanged() {
        long before = Objects.requireNonNull(status().generation());
        assertThat(digestOfTheObjects(fabric())).isEqualTo(digest(status()));
        admin.resources(FabricDevice.class).withName(SmallFabric.deviceName(3)).delete();
        eventually(() -> assertThat(status().generation()).isGreaterThan(before));
        Fabric after = fabric();
        assertThat(digestOfTheObjects(after)).isEqualTo(digest(after.getStatus()));
        assertThat(after.getStatus().changes()).last().satisfies(change -> {
            assertThat(change.generation()).isEqualTo(after.getStatus().generation());
            assertThat(change.devicesLost()).isEqualTo(1);
            assertThat(change.names()).contains("-device " + SmallFabric.deviceName(3));
        });
        eventually(() -> assertThat(
                        admin.v1().events().inNamespace("default").list().getItems())
                .anySatisfy(event -> assertThat(event.getReason()).isEqualTo("FabricChanged")));
    }

    @Test
    void aDrainGoesIntoTheCostsAndOutAgainAndAMistakeIsNamed() {
        String before = digest(status());
        drain("31");
        eventually(() -> {
            assertThat(status().findings()).extracting(FindingStatus::type).contains("Drained");
            assertThat(digest(status())).isNotEqualTo(before);
        });
        assertThat(digestOfTheObjects(fabric())).isEqualTo(digest(status()));
        drain("the uplink");
        eventually(() -> {
            assertThat(status().findings()).extracting(FindingStatus::type).contains("DrainNotUnderstood");
            assertThat(digest(status())).isEqualTo(before);
        });
    }

    @Test
    void aStatusThatIsRefusedIsToldInTheFabricUntilItIsAccepted() {
        String device = SmallFabric.deviceName(5);
        deny("fabricdevices/status", "object.metadata.name == '" + device + "'");
        try {
            // The policy takes a moment.
            eventually(() -> {
                FabricDevice next =
                        admin.resources(FabricDevice.class).withName(device).require();
                next.setStatus(new FabricDeviceStatus("another", null, null, null, null, null, List.of(), List.of()));
                assertThatThrownBy(() -> admin.resource(next).dryRun().updateStatus())
                        .hasMessageContaining("held by a test");
            });
            // A new object has no status yet.
            admin.resources(FabricDevice.class).withName(device).delete();
            admin.resource(SmallFabric.device(5)).create();
            eventually(() -> assertThat(condition("StatusesWritten").status()).isEqualTo(ConditionStatus.False));
            assertThat(condition("StatusesWritten").reason()).isEqualTo("StatusesRefused");
            assertThat(condition("StatusesWritten").message())
                    .startsWith("1 status is refused")
                    .contains("FabricDevice " + device, "held by a test");
            assertThat(condition("Updating").message()).doesNotContain("everywhere");
            assertThat(operator.isAlive()).isTrue();
        } finally {
            allow();
        }
        eventually(() -> {
            assertThat(condition("StatusesWritten").status()).isEqualTo(ConditionStatus.True);
            assertThat(condition("Updating").message()).endsWith("is written everywhere");
            assertThat(digestOfTheObjects(fabric())).isEqualTo(digest(status()));
        });
    }

    @Test
    void aStatusOfTheFabricThatIsRefusedMakesOneEventWhenItIsAccepted() {
        deny(
                "fabrics/status",
                "has(oldObject.status) && has(oldObject.status.generation) && object.status.generation != oldObject.status.generation");
        long refused;
        try {
            // The policy takes a moment. Generations that came and went until then would use up the events that a
            // Fabric may have.
            eventually(() -> {
                Fabric next = fabric();
                next.setStatus(FabricStatusBuilder.builder(next.getStatus())
                        .generation(Objects.requireNonNull(next.getStatus().generation()) + 1)
                        .build());
                assertThatThrownBy(() -> admin.resource(next).dryRun().updateStatus())
                        .hasMessageContaining("held by a test");
            });
            drain(Objects.equals(drained(), "31") ? "32" : "31");
            eventually(() -> assertThat(status().pendingGeneration()).isNotNull());
            refused = Objects.requireNonNull(status().pendingGeneration());
            assertThat(eventsOf(refused)).isZero();
            assertThat(condition("Updating").status()).isEqualTo(ConditionStatus.True);
        } finally {
            allow();
        }
        eventually(() -> {
            assertThat(status().generation()).isEqualTo(refused);
            assertThat(eventsOf(refused)).isEqualTo(1);
        });
    }

    private long eventsOf(long generation) {
        return events("FabricChanged").stream()
                .filter(event -> event.getMessage().startsWith("generation " + generation + ":")
                        || event.getMessage().startsWith("generation " + generation + " "))
                .count();
    }

    private @Nullable String drained() {
        return admin.resources(FabricSwitch.class).list().getItems().stream()
                .filter(s -> s.getSpec().id().equals(LEAF))
                .flatMap(s -> Stream.ofNullable(s.getMetadata().getAnnotations().get(FabricApi.ANNOTATION_DRAIN)))
                .findFirst()
                .orElse(null);
    }

    /** Has the API server deny updates, in a moment. */
    private void deny(String resource, String expression) {
        admin.resource(new ValidatingAdmissionPolicyBuilder()
                        .withNewMetadata()
                        .withName(POLICY)
                        .endMetadata()
                        .withNewSpec()
                        .withNewMatchConstraints()
                        .addNewResourceRule()
                        .withApiGroups(FabricApi.GROUP)
                        .withApiVersions("*")
                        .withOperations("UPDATE")
                        .withResources(resource)
                        .endResourceRule()
                        .endMatchConstraints()
                        .addNewValidation()
                        .withExpression("!(" + expression + ")")
                        .withMessage("held by a test")
                        .endValidation()
                        .endSpec()
                        .build())
                .create();
        admin.resource(new ValidatingAdmissionPolicyBindingBuilder()
                        .withNewMetadata()
                        .withName(POLICY)
                        .endMetadata()
                        .withNewSpec()
                        .withPolicyName(POLICY)
                        .withValidationActions("Deny")
                        .endSpec()
                        .build())
                .create();
    }

    private void allow() {
        admin.resources(ValidatingAdmissionPolicyBinding.class).withName(POLICY).delete();
        admin.resources(ValidatingAdmissionPolicy.class).withName(POLICY).delete();
    }

    @Test
    void aDeviceThatNeedsAFabricOfItsOwnHoldsUpNoOther() {
        // What switches show that have just changed makes no Fabric before they are quiet, which takes longer than this
        // test.
        long quiet = Objects.requireNonNull(status().generation());
        drain("30");
        eventually(() -> assertThat(status().generation()).isGreaterThan(quiet));
        long before = Objects.requireNonNull(status().generation());
        FabricDevice stranger = SmallFabric.device(1);
        stranger.getMetadata().setName("stranger-hsn0-1");
        stranger.setSpec(FabricDeviceSpecBuilder.builder(stranger.getSpec())
                .nodeName("stranger")
                .hostname("stranger")
                .osName("hsn0")
                .family(Family.Slingshot)
                .nodeGuid("0000000000000bad")
                .deviceId("fab://stranger")
                .build());
        admin.resource(stranger).create();
        drain("31");
        eventually(() -> assertThat(status().generation()).isGreaterThan(before));
        assertThat(admin.resources(Fabric.class).list().getItems())
                .as("Fabrics while the stranger's is not made yet")
                .hasSize(1);
    }

    /**
     * Half of the hosts lose and get back their devices all the time; the other half does not move. The last one: after it the Fabric may have
     * no more events for some time.
     */
    @Test
    @Order(Integer.MAX_VALUE)
    void aStormIsCoalescedAndNoStatusIsHalfOfAGeneration() throws InterruptedException, ExecutionException {
        List<FabricDeviceStatus> calm =
                IntStream.rangeClosed(1, CALM).mapToObj(this::device).toList();
        int events = events("FabricChanged").size();
        try (SeenStatuses seen = new SeenStatuses(admin, FABRIC)) {
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<?>> storm = new ArrayList<>();
                for (int host = CALM + 1; host <= SmallFabric.HOSTS; host++) {
                    int restless = host;
                    storm.add(threads.submit(() -> storm(restless)));
                }
                for (Future<?> one : storm) {
                    one.get();
                }
            }
            eventually(() -> {
                assertThat(status().devices()).isEqualTo(SmallFabric.HOSTS);
                assertThat(condition("Updating").status()).isEqualTo(ConditionStatus.False);
                assertThat(digestOfTheObjects(fabric())).isEqualTo(digest(status()));
            });
            seen.assertWhole();
            assertThat(seen.generations()).isBetween(1L, CHANGES / 5L);
        }
        assertThat(IntStream.rangeClosed(1, CALM).mapToObj(this::device)).containsExactlyElementsOf(calm);
        assertThat(indices().values()).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(status().changes()).hasSizeLessThanOrEqualTo(16);
        assertThat(events("FabricChanged").size() - events).isLessThanOrEqualTo(EVENTS);
    }

    private void storm(int host) {
        for (int change = 0; change < CHANGES / CALM; change += 2) {
            admin.resources(FabricDevice.class)
                    .withName(SmallFabric.deviceName(host))
                    .delete();
            admin.resource(SmallFabric.device(host)).create();
        }
    }
}
