/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.status;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FabricSwitchStatus;
import dev.fabricoperator.crds.ServerSideApply;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.Backoff;
import dev.fabricoperator.operator.cluster.Failures;
import dev.fabricoperator.operator.cluster.GuardedLoop;
import dev.fabricoperator.operator.cluster.GuardedLoops;
import dev.fabricoperator.operator.controller.status.StatusQueue.Desired;
import dev.fabricoperator.operator.controller.status.StatusQueue.Key;
import dev.fabricoperator.operator.controller.status.StatusQueue.Next;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.WriteProgress;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Writes the statuses of devices and switches.
 *
 * <p>Only what differs from the object is written, by server-side apply to the status subresource, with the object's UID as
 * precondition: an object that was deleted and made anew does not inherit a status. What fails for a reason that passes
 * (conflict, too many requests, an API server that is away) is tried again soon; what the API server refuses is told to the
 * Fabric, and tried again at long intervals, for what refuses it (a policy, a right that is missing) may be mended.
 */
@Singleton
public class StatusWriter {
    private static final Logger LOG = Logger.getLogger(StatusWriter.class);
    private static final Backoff PAUSE = new Backoff(Duration.ofMillis(250), Duration.ofSeconds(32));
    private static final PatchContext APPLY = ServerSideApply.by(FabricApi.OPERATOR_FIELD_MANAGER);

    private final KubernetesClient client;
    private final MeterRegistry meters;
    private final GuardedLoops loops;
    private final int concurrency;
    private final Backoff refusedPause;
    private final StatusQueue queue = new StatusQueue();
    private final AtomicInteger failuresInARow = new AtomicInteger();
    private final List<GuardedLoop> started = new ArrayList<>();
    private volatile Consumer<String> onSettled = fabric -> {};

    public StatusWriter(KubernetesClient client, MeterRegistry meters, GuardedLoops loops, Settings settings) {
        this.client = client;
        this.meters = meters;
        this.loops = loops;
        this.concurrency = settings.writes().concurrency();
        this.refusedPause = new Backoff(
                settings.writes().refusedInterval(), settings.writes().refusedInterval());
        Gauge.builder("fabric_operator_status_writes_pending", queue, StatusQueue::pending)
                .description("Statuses that are still to be written")
                .register(meters);
        Gauge.builder("fabric_operator_status_writes_refused", queue, StatusQueue::refused)
                .description("Statuses that the API server refuses")
                .register(meters);
    }

    /** Calls {@code settled} with a Fabric's name when the last of its statuses has been accepted or refused. */
    public void listen(Consumer<String> settled) {
        onSettled = settled;
    }

    /**
     * Takes over what a model wants; returns at once.
     *
     * @param fabrics whose devices and switches are meant, by name; {@code null} stands for those of none
     */
    public synchronized void submit(ClusterModel model, Predicate<@Nullable String> fabrics) {
        queue.submit(model, fabrics);
        while (started.size() < concurrency) {
            started.add(loops.start("status-writer", this::writeNext));
        }
    }

    /** @param submitted whether the statuses of the Fabric's present generation have been submitted */
    public WriteProgress progress(String fabric, boolean submitted) {
        return queue.progress(fabric, submitted);
    }

    private void writeNext() throws InterruptedException {
        Next next = queue.take();
        try {
            HasMetadata answer = client.resource(object(next.key(), next.desired()))
                    .subresource("status")
                    .patch(APPLY);
            failuresInARow.set(0);
            count(next.key(), "ok");
            queue.accepted(next, answer.getMetadata().getResourceVersion());
        } catch (KubernetesClientException e) {
            // A conflict passes too, whether the object was written meanwhile or is another one of the same name now:
            // that one's
            // own event brings a pass, which takes what was wanted of the former from the queue.
            if (Failures.pass(e)) {
                count(next.key(), "again");
                tryAgainSoon(next.key(), e);
                return;
            }
            if (Failures.isAbsent(e)) {
                count(next.key(), "gone");
                queue.dropped(next);
            } else {
                refused(next, e);
            }
        } catch (RuntimeException e) {
            refused(next, e);
        }
        String fabric = next.desired().fabric();
        if (fabric != null && queue.pending(fabric) == 0) {
            onSettled.accept(fabric);
        }
    }

    private void tryAgainSoon(Key key, KubernetesClientException problem) {
        int failures = failuresInARow.getAndIncrement() / concurrency + 1;
        if (failures == 1) {
            LOG.debugf(problem, "the status of %s is tried again", key);
        } else {
            LOG.warnf("the status of %s is tried again: %s", key, problem.getMessage());
        }
        later(PAUSE.after(failures), () -> queue.again(key));
    }

    private void refused(Next next, RuntimeException problem) {
        count(next.key(), "refused");
        LOG.errorf("the status of %s is refused: %s", next.key(), problem.getMessage());
        queue.refused(next, String.valueOf(problem.getMessage()));
        later(refusedPause.after(1), () -> queue.againAfterRefusal(next));
    }

    private static void later(Duration delay, Runnable retry) {
        CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS, Runnable::run)
                .execute(retry);
    }

    private static CustomResource<?, ?> object(Key key, Desired desired) {
        CustomResource<?, ?> object;
        if (desired.status() instanceof FabricDeviceStatus status) {
            FabricDevice device = new FabricDevice();
            device.setStatus(status);
            object = device;
        } else if (desired.status() instanceof FabricSwitchStatus status) {
            FabricSwitch fabricSwitch = new FabricSwitch();
            fabricSwitch.setStatus(status);
            object = fabricSwitch;
        } else {
            throw new IllegalStateException("no status of " + key.kind());
        }
        object.setMetadata(new ObjectMetaBuilder()
                .withName(key.name())
                .withUid(desired.uid())
                .build());
        return object;
    }

    private void count(Key key, String outcome) {
        Counter.builder("fabric_operator_status_writes")
                .description("Writes of statuses")
                .tag("kind", key.kind().getSimpleName())
                .tag("outcome", outcome)
                .register(meters)
                .increment();
    }

    /** Ends the writing; a request on its way is given up. */
    @PreDestroy
    public synchronized void stop() {
        started.forEach(GuardedLoop::interrupt);
        started.forEach(GuardedLoop::stop);
        started.clear();
    }
}
