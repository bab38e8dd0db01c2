/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.controller.source.TopologySources;
import dev.fabricoperator.operator.controller.status.DeviceEvents;
import dev.fabricoperator.operator.controller.status.FabricCreator;
import dev.fabricoperator.operator.controller.status.OperatorMetrics;
import dev.fabricoperator.operator.controller.status.StatusWriter;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.FabricNumbers;
import dev.fabricoperator.operator.model.FlapDamper;
import dev.fabricoperator.operator.model.Inventory;
import dev.fabricoperator.operator.model.Modeler;
import dev.fabricoperator.operator.model.condition.Conditions;
import io.fabric8.kubernetes.client.KubernetesClientException;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutionException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * One thread that turns what changed into a new model, and the model into work for those who write.
 *
 * <p>A pass: look at the inventory, model it, create missing Fabrics (then look again), save numbers that were given, publish,
 * hand the statuses over. Nothing in a pass waits for the writing of statuses.
 */
@ApplicationScoped
public class ModelLoop {
    private static final Logger LOG = Logger.getLogger(ModelLoop.class);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);
    private static final Duration GRACE = Duration.ofMillis(10);

    private final Settings settings;
    private final FactStores stores;
    private final Informers informers;
    private final TopologySources sources;
    private final SourceLoop sourceLoop;
    private final FabricNumberStore numberStore;
    private final FabricCreator creator;
    private final ModelHolder models;
    private final StatusWriter writer;
    private final DeviceEvents deviceEvents;
    private final FabricEvents fabricEvents;
    private final OperatorMetrics metrics;
    private final Conditions conditions;
    private final FlapDamper damper;
    private final Clock clock;
    private final Coalescer coalescer = new Coalescer(System::nanoTime);
    private final Pace pace;
    private @Nullable FabricNumbers numbers;
    private @Nullable Long unsettledSince;
    private volatile @Nullable Thread thread;
    private volatile @Nullable String failure;

    ModelLoop(
            Settings settings,
            FactStores stores,
            Informers informers,
            TopologySources sources,
            SourceLoop sourceLoop,
            FabricNumberStore numberStore,
            FabricCreator creator,
            ModelHolder models,
            StatusWriter writer,
            DeviceEvents deviceEvents,
            FabricEvents fabricEvents,
            OperatorMetrics metrics,
            Conditions conditions,
            FlapDamper damper,
            Clock clock) {
        this.settings = settings;
        this.stores = stores;
        this.informers = informers;
        this.sources = sources;
        this.sourceLoop = sourceLoop;
        this.numberStore = numberStore;
        this.creator = creator;
        this.models = models;
        this.writer = writer;
        this.deviceEvents = deviceEvents;
        this.fabricEvents = fabricEvents;
        this.metrics = metrics;
        this.conditions = conditions;
        this.damper = damper;
        this.clock = clock;
        this.pace = new Pace(
                new Coalescer.Wait(
                        settings.coalescing().quiet(), settings.coalescing().limit()),
                System::nanoTime);
    }

    /** Begins to lead. */
    public void start() {
        stores.listen(coalescer::changed, coalescer::arrived, models, damper::deviceChanged);
        sources.listen(coalescer::changed);
        writer.listen(this::tellFabrics);
        thread = Thread.ofPlatform().name("model").daemon(true).start(this::run);
    }

    /** What stopped the thread, or {@code null} while it runs or need not run. */
    public @Nullable String failure() {
        return failure;
    }

    private void run() {
        try {
            informers.start().get();
            LOG.infof(
                    "inventory: %d devices, %d switches",
                    stores.devices().size(), stores.switches().size());
            sourceLoop.start();
            sourceLoop.awaitFirstRound();
            coalescer.changed();
            Coalescer.Wait first = new Coalescer.Wait(
                    settings.coalescing().firstQuiet(), settings.coalescing().firstLimit());
            coalescer.await(first, first, null);
            while (true) {
                passOrTryAgain();
                if (coalescer.await(pace.forChanges(), pace.forArrivals(), untilDue())) {
                    pace.arrived();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | RuntimeException e) {
            failure = "the model's thread ended: " + e.getMessage();
            LOG.error("the model's thread ended", e);
        }
    }

    /** When a pass is due without any news; {@code null}: not at all. */
    private @Nullable Duration untilDue() {
        Duration release = untilRelease();
        Duration settled = untilSettled();
        if (release == null || settled == null) {
            return release == null ? settled : release;
        }
        return release.compareTo(settled) <= 0 ? release : settled;
    }

    /** A link that has been quiet for long enough counts again. */
    private @Nullable Duration untilRelease() {
        Instant release = damper.nextRelease();
        return release == null
                ? null
                : Duration.between(clock.instant(), release).plus(GRACE);
    }

    /** Switches that have been quiet for long enough show which Fabrics there are. */
    private @Nullable Duration untilSettled() {
        Long since = unsettledSince;
        if (since == null) {
            return null;
        }
        Duration quiet = settings.coalescing().creationQuiet().minus(stores.switchesQuietFor());
        Duration limit = settings.coalescing().creationLimit().minusNanos(System.nanoTime() - since);
        Duration due = quiet.compareTo(limit) <= 0 ? quiet : limit;
        // A pass that has failed is not made again at once.
        return due.isNegative() ? settings.coalescing().quiet() : due.plus(GRACE);
    }

    private void passOrTryAgain() throws InterruptedException {
        try {
            if (sources.isApplying()) {
                coalescer.changed();
                return;
            }
            long begin = System.nanoTime();
            metrics.timePass(this::pass);
            pace.passed(Duration.ofNanos(System.nanoTime() - begin));
        } catch (KubernetesClientException e) {
            LOG.warnf("the pass is tried again: %s", e.getMessage());
            Thread.sleep(PAUSE_AFTER_FAILURE);
            coalescer.changed();
        } catch (RuntimeException e) {
            // A defect that some input has hit. What was published before stays, and the next change may be another
            // input.
            metrics.passFailed();
            LOG.error("this pass has failed, and the last good model stays", e);
        }
    }

    private void pass() {
        FabricNumbers given = numbers;
        if (given == null) {
            given = numberStore.load();
        }
        Inventory inventory = Inventory.of(stores, sources.states());
        ClusterModel last = models.get();
        ClusterModel model = Modeler.model(inventory, given, last, conditions, damper);
        if (!model.created().isEmpty() && !isSettled()) {
            return;
        }
        unsettledSince = null;
        if (!model.numbers().equals(given)) {
            numberStore.save(model.numbers());
        }
        numbers = model.numbers();
        if (!model.created().isEmpty()) {
            creator.create(model.created());
            coalescer.changed();
            return;
        }
        models.publish(model);
        metrics.show(model);
        writer.submit(model);
        deviceEvents.tell(last, model);
        tellFabrics();
    }

    /**
     * Whether new Fabrics may be made of what the switches show. Somebody who applies a hundred FabricSwitch objects shows a
     * hundred fabrics on the way, and a Fabric, once made, stays.
     */
    private boolean isSettled() {
        if (unsettledSince == null) {
            unsettledSince = System.nanoTime();
        }
        Duration waited = Duration.ofNanos(System.nanoTime() - unsettledSince);
        return stores.switchesQuietFor().compareTo(settings.coalescing().creationQuiet()) >= 0
                || waited.compareTo(settings.coalescing().creationLimit()) >= 0;
    }

    private void tellFabrics() {
        ClusterModel model = models.get();
        if (model != null) {
            fabricEvents.fire(model.fabrics().keySet());
        }
    }

    /** Ends modelling, reading and writing; a request on its way is given up. */
    @PreDestroy
    public void stop() {
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
        sourceLoop.stop();
        writer.stop();
    }
}
