/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.operator;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The newest status of one Fabric, as a watch brings it: asking for it again and again would keep the API server busy. */
final class FabricWatch implements AutoCloseable {
    private final String name;
    private final SharedIndexInformer<Fabric> informer;
    private @Nullable FabricStatus status;

    FabricWatch(KubernetesClient client, String name) {
        this.name = name;
        this.informer = client.resources(Fabric.class).inform(new ResourceEventHandler<>() {
            @Override
            public void onAdd(Fabric fabric) {
                seen(fabric);
            }

            @Override
            public void onUpdate(Fabric before, Fabric fabric) {
                seen(fabric);
            }

            @Override
            public void onDelete(Fabric fabric, boolean unknown) {
                // It is made anew.
            }
        });
    }

    private synchronized void seen(Fabric fabric) {
        if (name.equals(fabric.getMetadata().getName())) {
            status = fabric.getStatus();
            notifyAll();
        }
    }

    /** Waits until all of the Fabric is written and as wanted. */
    synchronized FabricStatus await(Duration limit, Predicate<FabricStatus> wanted) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (status == null || !isWritten(status) || !wanted.test(status)) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new IllegalStateException("not within " + limit.toMinutes() + " minutes: " + status);
            }
            wait(left);
        }
        return status;
    }

    private static boolean isWritten(FabricStatus status) {
        return is(status, "Ready", ConditionStatus.True) && is(status, "Updating", ConditionStatus.False);
    }

    private static boolean is(FabricStatus status, String type, ConditionStatus wanted) {
        for (Condition condition : status.conditions()) {
            if (condition.type().equals(type)) {
                return condition.status() == wanted;
            }
        }
        return false;
    }

    @Override
    public void close() {
        informer.close();
    }
}
