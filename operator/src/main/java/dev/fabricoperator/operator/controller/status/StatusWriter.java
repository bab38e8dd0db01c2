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
import dev.fabricoperator.operator.cluster.Fact;
import dev.fabricoperator.operator.model.ClusterModel;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Writes the statuses of devices and switches.
 *
 * <p>Only what differs from the object is written, by server-side apply to the status subresource, with the object's UID as
 * precondition: an object that was deleted and made anew does not inherit a status. A newer wish replaces an older one that
 * waits. What fails for a reason that passes (conflict, too many requests, an API server that is away) is tried again.
 */
@Singleton
public class StatusWriter {
    private static final Logger LOG = Logger.getLogger(StatusWriter.class);
    private static final int TOO_MANY_REQUESTS = 429;
    private static final Duration FIRST_DELAY = Duration.ofMillis(250);
    private static final int MAXIMUM_DOUBLINGS = 7;
    private static final PatchContext APPLY = ServerSideApply.by(FabricApi.OPERATOR_FIELD_MANAGER);

    private final KubernetesClient client;
    private final MeterRegistry meters;
    private final int concurrency;
    private final Map<Key, Wish> wishes = new ConcurrentHashMap<>();
    private final Map<Key, Written> written = new ConcurrentHashMap<>();
    private final LinkedBlockingQueue<Key> queue = new LinkedBlockingQueue<>();
    private final AtomicInteger failuresInARow = new AtomicInteger();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private volatile Runnable onDrained = () -> {};
    private volatile boolean started;

    private record Key(Class<?> kind, String name) {}

    private record Wish(String uid, @Nullable String fabric, Object status) {}

    /** What this process wrote and the informer need not have seen yet. */
    private record Written(String uid, long resourceVersion, Object status) {}

    public StatusWriter(KubernetesClient client, MeterRegistry meters, Settings settings) {
        this.client = client;
        this.meters = meters;
        this.concurrency = settings.writes().concurrency();
        meters.gaugeMapSize("fabric_operator_status_writes_pending", List.of(), wishes);
    }

    /** Calls {@code drained} whenever the last wish has been written. */
    public void listen(Runnable drained) {
        onDrained = drained;
    }

    /** Takes over what a model wants; returns at once. */
    public synchronized void submit(ClusterModel model) {
        model.devices()
                .values()
                .forEach(plan -> wish(
                        FabricDevice.class,
                        plan.facts(),
                        plan.facts().status(),
                        plan.status(),
                        plan.status().fabric()));
        model.switches()
                .values()
                .forEach(plan -> wish(
                        FabricSwitch.class,
                        plan.facts(),
                        plan.facts().status(),
                        plan.status(),
                        plan.status().fabric()));
        if (!started) {
            started = true;
            for (int i = 0; i < concurrency; i++) {
                threads.execute(this::work);
            }
        }
    }

    /** Devices and switches of a Fabric whose status is still to be written. */
    public int pending(String fabric) {
        return (int) wishes.values().stream()
                .filter(wish -> fabric.equals(wish.fabric()))
                .count();
    }

    private void wish(Class<?> kind, Fact facts, @Nullable Object seen, Object wanted, @Nullable String fabric) {
        if (wanted == seen && wishes.isEmpty() && written.isEmpty()) {
            return;
        }
        Key key = new Key(kind, facts.name());
        Written last = written.get(key);
        if (last != null
                && (!last.uid().equals(facts.uid()) || version(facts.resourceVersion()) >= last.resourceVersion())) {
            written.remove(key, last);
            last = null;
        }
        Object present = last != null ? last.status() : seen;
        boolean same = present == null ? isEmpty(wanted) : wanted.equals(present);
        if (same) {
            wishes.remove(key);
        } else if (wishes.put(key, new Wish(facts.uid(), fabric, wanted)) == null) {
            queue.add(key);
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

    private void work() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                Key key = queue.take();
                Wish wish = wishes.get(key);
                if (wish == null || attempt(key, wish)) {
                    if (wishes.isEmpty()) {
                        onDrained.run();
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the wish needs no further attempt. */
    private boolean attempt(Key key, Wish wish) {
        try {
            HasMetadata answer =
                    client.resource(object(key, wish)).subresource("status").patch(APPLY);
            failuresInARow.set(0);
            count(key, "ok");
            written.put(
                    key, new Written(wish.uid(), version(answer.getMetadata().getResourceVersion()), wish.status()));
        } catch (KubernetesClientException e) {
            if (!passes(e)) {
                count(key, "refused");
                if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND && e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                    LOG.errorf(e, "status of %s %s was refused", key.kind().getSimpleName(), key.name());
                }
            } else {
                count(key, "again");
                int doublings = Math.min(failuresInARow.getAndIncrement() / concurrency, MAXIMUM_DOUBLINGS);
                if (doublings == 0) {
                    LOG.debugf(e, "status of %s is tried again", key.name());
                } else {
                    LOG.warnf("status of %s is tried again: %s", key.name(), e.getMessage());
                }
                CompletableFuture.delayedExecutor(FIRST_DELAY.toMillis() << doublings, TimeUnit.MILLISECONDS, threads)
                        .execute(() -> queue.add(key));
                return false;
            }
        }
        if (!wishes.remove(key, wish)) {
            // A newer wish came meanwhile, or this one was withdrawn; in the first case its key must be queued again.
            if (wishes.containsKey(key)) {
                queue.add(key);
            }
        }
        return true;
    }

    /** A conflict here is the UID: the object is another one now. Its own event brings the next pass. */
    private static boolean passes(KubernetesClientException e) {
        int code = e.getCode();
        return code == 0
                || code == TOO_MANY_REQUESTS
                || code >= HttpURLConnection.HTTP_INTERNAL_ERROR
                || (code == HttpURLConnection.HTTP_CONFLICT
                        && (e.getMessage() == null || !e.getMessage().contains("UID")));
    }

    private static CustomResource<?, ?> object(Key key, Wish wish) {
        CustomResource<?, ?> object;
        if (wish.status() instanceof FabricDeviceStatus status) {
            FabricDevice device = new FabricDevice();
            device.setStatus(status);
            object = device;
        } else if (wish.status() instanceof FabricSwitchStatus status) {
            FabricSwitch fabricSwitch = new FabricSwitch();
            fabricSwitch.setStatus(status);
            object = fabricSwitch;
        } else {
            throw new IllegalStateException("no status of " + key.kind());
        }
        object.setMetadata(
                new ObjectMetaBuilder().withName(key.name()).withUid(wish.uid()).build());
        return object;
    }

    private void count(Key key, String outcome) {
        meters.counter("fabric_operator_status_writes", "kind", key.kind().getSimpleName(), "outcome", outcome)
                .increment();
    }

    /** Resource versions of one kind are numbers that grow, since Kubernetes 1.35 also by its contract. */
    private static long version(@Nullable String resourceVersion) {
        try {
            return resourceVersion == null ? 0 : Long.parseLong(resourceVersion);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    @PreDestroy
    public void stop() {
        threads.shutdownNow();
    }
}
