/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.crds.mapping.FabricAssembly;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What readers of the objects see while the operator works. */
@WithControlPlane
class GenerationTest extends OperatorCase {
    private static final String LEAF = SmallFabric.LEAVES.getFirst();
    private static final int CALM = SmallFabric.HOSTS / 2;
    private static final int CHANGES = 504;
    /** Of one object for one reason: a burst of 20, and the few of a storm's time. */
    private static final int EVENTS = 24;

    GenerationTest(ControlPlane cluster) {
        super(cluster);
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
        admin.resources(FabricSwitch.class)
                .withName(leaf.getMetadata().getName())
                .edit(s -> {
                    s.getMetadata().setAnnotations(Map.of(FabricApi.ANNOTATION_DRAIN, value));
                    return s;
                });
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

    /** Half of the hosts lose and get back their devices all the time; the other half does not move. */
    @Test
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
