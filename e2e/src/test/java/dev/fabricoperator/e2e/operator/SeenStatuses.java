/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.crds.PlaneStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/** Every status of a Fabric that a watch has shown, in order. */
final class SeenStatuses implements Watcher<Fabric>, AutoCloseable {
    private final List<FabricStatus> seen = new CopyOnWriteArrayList<>();
    private final Watch watch;

    SeenStatuses(KubernetesClient client, String fabric) {
        watch = client.resources(Fabric.class).withName(fabric).watch(this);
    }

    @Override
    public void eventReceived(Action action, Fabric fabric) {
        seen.add(fabric.getStatus());
    }

    @Override
    public void onClose(WatcherException cause) {
        // A gap would hide a status; the number of them is asserted.
    }

    @Override
    public void close() {
        watch.close();
    }

    /** How many generations there were beyond the first one seen. */
    long generations() {
        return seen.stream().map(FabricStatus::generation).distinct().count() - 1;
    }

    /**
     * No status is half of a generation: its numbers fit each other, one generation is the same whenever it is seen, and
     * a new one was announced by the status before, which was otherwise the old one's.
     */
    void assertWhole() {
        assertThat(seen).isNotEmpty();
        Map<Long, FabricStatus> decidedBy = new HashMap<>();
        FabricStatus before = null;
        for (FabricStatus status : seen) {
            assertNumbersFit(status);
            long generation = Objects.requireNonNull(status.generation());
            FabricStatus decided = decided(status);
            assertThat(decidedBy.getOrDefault(generation, decided)).isEqualTo(decided);
            decidedBy.put(generation, decided);
            if (before != null && generation != Objects.requireNonNull(before.generation())) {
                assertThat(generation).isGreaterThan(before.generation());
                assertThat(updating(status).status()).isEqualTo(ConditionStatus.False);
                assertThat(updating(before).status()).isEqualTo(ConditionStatus.True);
                assertThat(before.pendingGeneration()).isEqualTo(generation);
                assertThat(status.pendingGeneration()).isNull();
            }
            before = status;
        }
    }

    private static void assertNumbersFit(FabricStatus status) {
        var cost = Objects.requireNonNull(status.costMatrix());
        assertThat(cost.generation()).isEqualTo(status.generation());
        assertThat(cost.vertices()).isGreaterThanOrEqualTo(Objects.requireNonNull(status.devices()));
        assertThat(status.planes().stream().mapToInt(PlaneStatus::devices).sum())
                .isEqualTo(status.devices());
        assertThat(status.shape()).hasSize(Objects.requireNonNull(status.dims()));
        assertThat(status.shapes())
                .anySatisfy(shape -> assertThat(shape.string()).isEqualTo(status.shapeString()))
                .anySatisfy(shape -> assertThat(shape.sizes()).isEqualTo(status.shape()));
        // The last axis is the place on a leaf: no device lies outside of it.
        assertThat(status.shape().stream().mapToInt(Integer::intValue).reduce(1, Math::multiplyExact))
                .isGreaterThanOrEqualTo(status.devices());
        // Of the first generation nobody knows what it brought.
        if (!status.changes().isEmpty()) {
            assertThat(status.changes().getLast().generation()).isEqualTo(status.generation());
        }
    }

    private static FabricStatus decided(FabricStatus status) {
        return FabricStatusBuilder.builder(status)
                .conditions(List.of())
                .findings(List.of())
                .findingsTotal(null)
                .sources(List.of())
                .pendingGeneration(null)
                .build();
    }

    private static Condition updating(FabricStatus status) {
        return status.conditions().stream()
                .filter(condition -> condition.type().equals("Updating"))
                .findFirst()
                .orElseThrow();
    }
}
