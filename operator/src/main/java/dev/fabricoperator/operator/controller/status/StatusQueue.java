/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.status;

import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FabricSwitchStatus;
import dev.fabricoperator.operator.cluster.Fact;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.WriteProgress;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which statuses of devices and switches are still to be written, which the API server accepted and the informer need not show
 * yet, and which it refused.
 *
 * <p>A newer status replaces an older one that waits. Safe for several threads; memory is that of the objects whose status
 * differs from what it should be.
 */
final class StatusQueue {
    private final Map<Key, Desired> pending = new HashMap<>();
    private final Map<String, Integer> pendingOf = new HashMap<>();
    private final Map<Key, Accepted> accepted = new HashMap<>();
    private final Map<Key, Refused> refused = new LinkedHashMap<>();
    private final ArrayDeque<Key> ready = new ArrayDeque<>();

    record Key(Class<?> kind, String name) {
        @Override
        public String toString() {
            return kind.getSimpleName() + " " + name;
        }
    }

    /** @param fabric whose generation the status belongs to, {@code null} for a device or switch of none */
    record Desired(String uid, @Nullable String fabric, Object status) {}

    private record Accepted(String uid, long resourceVersion, Object status) {}

    private record Refused(Desired desired, String reason) {}

    /** A status that is to be written now. */
    record Next(Key key, Desired desired) {}

    /**
     * Takes over what a model wants of some Fabrics.
     *
     * @param fabrics whose devices and switches are meant, by name; {@code null} stands for none
     */
    synchronized void submit(ClusterModel model, Predicate<@Nullable String> fabrics) {
        model.devices().values().stream()
                .filter(plan -> fabrics.test(plan.status().fabric()))
                .forEach(plan -> submit(
                        FabricDevice.class,
                        plan.facts(),
                        plan.facts().status(),
                        plan.status(),
                        plan.status().fabric()));
        model.switches().values().stream()
                .filter(plan -> fabrics.test(plan.status().fabric()))
                .forEach(plan -> submit(
                        FabricSwitch.class,
                        plan.facts(),
                        plan.facts().status(),
                        plan.status(),
                        plan.status().fabric()));
        accepted.keySet().removeIf(key -> !exists(key, model));
        refused.keySet().removeIf(key -> !exists(key, model));
    }

    private static boolean exists(Key key, ClusterModel model) {
        return (key.kind() == FabricDevice.class ? model.devices() : model.switches()).containsKey(key.name());
    }

    private void submit(Class<?> kind, Fact facts, @Nullable Object seen, Object wanted, @Nullable String fabric) {
        if (wanted == seen && pending.isEmpty() && accepted.isEmpty() && refused.isEmpty()) {
            return;
        }
        Key key = new Key(kind, facts.name());
        Accepted last = accepted.get(key);
        if (last != null && (!last.uid().equals(facts.uid()) || facts.version() >= last.resourceVersion())) {
            accepted.remove(key);
            last = null;
        }
        Object present = last != null ? last.status() : seen;
        Desired desired = new Desired(facts.uid(), fabric, wanted);
        if (present == null ? isEmpty(wanted) : wanted.equals(present)) {
            remove(key);
            refused.remove(key);
            return;
        }
        Refused refusal = refused.get(key);
        if (refusal != null && refusal.desired().equals(desired)) {
            return;
        }
        refused.remove(key);
        boolean queued = remove(key);
        add(key, desired);
        if (!queued) {
            makeReady(key);
        }
    }

    private static boolean isEmpty(Object status) {
        return switch (status) {
            case FabricDeviceStatus device ->
                device.fabric() == null && device.conditions().isEmpty();
            case FabricSwitchStatus fabricSwitch ->
                fabricSwitch.fabric() == null && fabricSwitch.conditions().isEmpty();
            default -> false;
        };
    }

    private void add(Key key, Desired desired) {
        pending.put(key, desired);
        if (desired.fabric() != null) {
            pendingOf.merge(desired.fabric(), 1, Integer::sum);
        }
    }

    private boolean remove(Key key) {
        Desired before = pending.remove(key);
        if (before != null && before.fabric() != null) {
            pendingOf.computeIfPresent(before.fabric(), (fabric, number) -> number == 1 ? null : number - 1);
        }
        return before != null;
    }

    private void makeReady(Key key) {
        ready.add(key);
        notifyAll();
    }

    /** Waits for a status that is to be written. */
    synchronized Next take() throws InterruptedException {
        while (true) {
            Key key = ready.poll();
            if (key == null) {
                wait();
                continue;
            }
            Refused refusal = refused.get(key);
            Desired desired = refusal != null ? refusal.desired() : pending.get(key);
            if (desired != null) {
                return new Next(key, desired);
            }
        }
    }

    /** To be written once more, after a failure that passes. */
    synchronized void again(Key key) {
        if (pending.containsKey(key) || refused.containsKey(key)) {
            makeReady(key);
        }
    }

    /** To be tried once more after a refusal, if that is still what was refused last: each refusal has a retry of its own. */
    synchronized void againAfterRefusal(Next done) {
        Refused last = refused.get(done.key());
        if (last != null && last.desired() == done.desired()) {
            makeReady(done.key());
        }
    }

    /**
     * The API server has accepted the status.
     *
     * @param resourceVersion that the object has since then
     */
    synchronized void accepted(Next done, @Nullable String resourceVersion) {
        Desired desired = done.desired();
        Accepted now = new Accepted(desired.uid(), Fact.number(resourceVersion), desired.status());
        accepted.merge(done.key(), now, (a, b) -> a.resourceVersion() > b.resourceVersion() ? a : b);
        refused.remove(done.key());
        finish(done);
    }

    /** The object is gone, or another one now; its own event brings what is wanted of it. */
    synchronized void dropped(Next done) {
        refused.remove(done.key());
        finish(done);
    }

    /** The API server refuses the status for a reason that does not pass by itself. */
    synchronized void refused(Next done, String reason) {
        Desired newest = pending.get(done.key());
        if (newest == null || newest.equals(done.desired())) {
            refused.put(done.key(), new Refused(done.desired(), reason));
        }
        finish(done);
    }

    private void finish(Next done) {
        Desired newest = pending.get(done.key());
        if (done.desired().equals(newest)) {
            remove(done.key());
        } else if (newest != null) {
            makeReady(done.key());
        }
    }

    /** How far the statuses of a Fabric are written. */
    synchronized WriteProgress progress(String fabric, boolean submitted) {
        int number = 0;
        String first = null;
        for (Map.Entry<Key, Refused> entry : refused.entrySet()) {
            if (fabric.equals(entry.getValue().desired().fabric())) {
                number++;
                first = first == null ? entry.getKey() + ": " + entry.getValue().reason() : first;
            }
        }
        return new WriteProgress(submitted, pendingOf.getOrDefault(fabric, 0), number, first);
    }

    synchronized int pending() {
        return pending.size();
    }

    /** Statuses of a Fabric that are neither written nor refused. */
    synchronized int pending(String fabric) {
        return pendingOf.getOrDefault(fabric, 0);
    }

    synchronized int refused() {
        return refused.size();
    }

    /** Entries that {@link #take} gives without waiting. */
    synchronized int ready() {
        return ready.size();
    }
}
