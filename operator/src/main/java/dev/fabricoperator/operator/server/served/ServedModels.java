/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.served;

import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.GuardedLoop;
import dev.fabricoperator.operator.cluster.GuardedLoops;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import io.fabric8.kubernetes.client.KubernetesClient;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Watches the objects of fabrics in the role {@code server}, and keeps what the query API and the job service know of them. */
@ApplicationScoped
public class ServedModels {
    private static final Logger LOG = Logger.getLogger(ServedModels.class);
    private static final int MAXIMUM_PERMITS = 1;

    private final ServedSettings settings;
    private final GuardedLoops loops;
    private final FetchedTables tables;
    private final ServedFabrics fabrics;
    private final ClusterObjects objects;
    private final Semaphore changed = new Semaphore(0);
    private final Semaphore tablesWanted = new Semaphore(0);
    private volatile boolean ready;
    private @Nullable CompletableFuture<Void> started;
    private @Nullable GuardedLoop loop;

    ServedModels(KubernetesClient client, ServedSettings settings, GuardedLoops loops, Informers informers) {
        this.settings = settings;
        this.loops = loops;
        this.tables = new FetchedTables(settings.routesLimit());
        this.fabrics = new ServedFabrics(settings.generations(), tables);
        this.objects = new ClusterObjects(client, informers);
    }

    /** Starts to read; returns without waiting for the objects. */
    public synchronized void start() {
        if (loop == null) {
            loop = loops.startPlatform("served-models", this::refreshAndWait);
            loops.startPlatform("forwarding-tables", this::fetchTables);
        }
    }

    /** What is served of each Fabric. */
    public ServedFabrics fabrics() {
        return fabrics;
    }

    /** Devices of one node, in the order of their names. O(devices of the node). */
    public List<ServedDevice> devicesOf(String node) {
        return objects.devicesOf(node);
    }

    /** How often a link was said to be about to fail, or to be well again. */
    public int impairmentChanges() {
        return objects.impairmentChanges();
    }

    /** FabricSwitches of which some port's link may be about to fail, in the order of their names. O(switches). */
    public List<SwitchFacts> impairedSwitches() {
        return objects.impairedSwitches();
    }

    /** All Fabrics of the cluster. */
    public List<FabricFacts> fabricFacts() {
        return objects.fabrics();
    }

    /** Which devices libraries are told of, as things are now. O(Fabrics). */
    public JobTraffic jobTraffic() {
        return JobTraffic.of(objects.fabrics(), fabrics);
    }

    /** Whether all objects have been read once, so that an answer is about what there is. */
    public boolean isReady() {
        return ready;
    }

    private void fetchTables() throws IOException, InterruptedException {
        tablesWanted.acquire();
        tablesWanted.drainPermits();
        try {
            if (tables.fetch()) {
                wake(changed);
            }
        } catch (IOException | RuntimeException e) {
            // Tried again after the wait of this loop.
            wake(tablesWanted);
            throw e;
        }
    }

    private static void wake(Semaphore waiting) {
        if (waiting.availablePermits() < MAXIMUM_PERMITS) {
            waiting.release();
        }
    }

    private void refreshAndWait() throws InterruptedException, ExecutionException {
        if (started == null) {
            started = objects.start(() -> wake(changed));
        }
        started.get();
        changed.drainPermits();
        long start = System.nanoTime();
        List<FabricFacts> facts = objects.fabrics();
        if (tables.want(facts)) {
            wake(tablesWanted);
        }
        List<String> incomplete = fabrics.refresh(objects.devices(), objects.switches(), facts);
        tables.forget();
        ready = true;
        LOG.debugf("not all objects of %s are here yet", incomplete);
        // While many objects come, no more than half of the time is spent on them.
        Thread.sleep((System.nanoTime() - start) / 1_000_000);
        changed.acquire();
        Thread.sleep(settings.quiet());
    }
}
