/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.FactInformers;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.GuardedLoop;
import dev.fabricoperator.operator.cluster.GuardedLoops;
import dev.fabricoperator.operator.cluster.SettledSwitches;
import dev.fabricoperator.operator.controller.FabricReconciler.ModelEvents;
import dev.fabricoperator.operator.controller.integration.Integrations;
import dev.fabricoperator.operator.controller.source.TopologySources;
import dev.fabricoperator.operator.controller.status.DeviceEvents;
import dev.fabricoperator.operator.controller.status.OperatorMetrics;
import dev.fabricoperator.operator.controller.status.StatusWriter;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.FabricNumbers;
import dev.fabricoperator.operator.model.FailedFabric;
import dev.fabricoperator.operator.model.FlapDamping;
import dev.fabricoperator.operator.model.Inventory;
import dev.fabricoperator.operator.model.Modeler;
import dev.fabricoperator.operator.model.condition.Conditions;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.Operator;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * One thread that turns what changed into a new model, and the model into work for those who write.
 *
 * <p>A pass: look at the inventory, model it, keep the numbers that were given, publish. Fabrics that are missing are created
 * after that, when what the switches show has settled; they are modelled when the store shows them. Nothing in a pass waits
 * for the writing of statuses or for anything that concerns one Fabric only.
 */
@ApplicationScoped
public class ModelLoop {
    private static final Logger LOG = Logger.getLogger(ModelLoop.class);
    private static final Duration CREATION_RETRY = Duration.ofSeconds(2);
    private static final Duration GRACE = Duration.ofMillis(10);

    private final Settings settings;
    private final FactStores stores;
    private final FactInformers informers;
    private final TopologySources sources;
    private final SourceLoop sourceLoop;
    private final FabricNumberStore numberStore;
    private final FabricCreator creator;
    private final GenerationPublisher publisher;
    private final PublishedModel published;
    private final StatusWriter writer;
    private final DeviceEvents deviceEvents;
    private final ModelEvents modelEvents;
    private final OperatorMetrics metrics;
    private final Integrations integrations;
    private final Conditions conditions;
    private final FlapDamping damping;
    private final GuardedLoops loops;
    private final Instance<Operator> operator;
    private final Coalescer coalescer = new Coalescer(System::nanoTime);
    private final AdaptiveDelay delay;
    private @Nullable FabricNumbers numbers;
    private final SettledSwitches settled;
    private long createNotBefore = System.nanoTime();
    private boolean begun;
    private volatile @Nullable GuardedLoop loop;

    ModelLoop(
            Settings settings,
            FactStores stores,
            FactInformers informers,
            TopologySources sources,
            SourceLoop sourceLoop,
            FabricNumberStore numberStore,
            FabricCreator creator,
            GenerationPublisher publisher,
            PublishedModel published,
            StatusWriter writer,
            DeviceEvents deviceEvents,
            ModelEvents modelEvents,
            OperatorMetrics metrics,
            Integrations integrations,
            Conditions conditions,
            FlapDamping damping,
            GuardedLoops loops,
            Instance<Operator> operator) {
        this.settings = settings;
        this.stores = stores;
        this.informers = informers;
        this.sources = sources;
        this.sourceLoop = sourceLoop;
        this.numberStore = numberStore;
        this.creator = creator;
        this.publisher = publisher;
        this.published = published;
        this.writer = writer;
        this.deviceEvents = deviceEvents;
        this.modelEvents = modelEvents;
        this.metrics = metrics;
        this.integrations = integrations;
        this.conditions = conditions;
        this.damping = damping;
        this.loops = loops;
        this.operator = operator;
        this.settled = new SettledSwitches(stores, settings.coalescing());
        this.delay = new AdaptiveDelay(
                new Coalescer.Wait(
                        settings.coalescing().quiet(), settings.coalescing().limit()),
                System::nanoTime);
    }

    /** Begins to lead. */
    public void start() {
        stores.listen(coalescer::changed, coalescer::arrived, published);
        sources.listen(coalescer::changed);
        writer.listen(fabric -> modelEvents.fire(Set.of(fabric)));
        integrations.listen(modelEvents::fire);
        integrations.start();
        CompletableFuture<Void> inStep = informers.start();
        loop = loops.startPlatform("model", () -> {
            if (begun) {
                if (coalescer.await(delay.forChanges(), delay.forArrivals(), untilDue())) {
                    delay.arrived();
                }
            } else {
                begin(inStep);
            }
            passOrTryAgain();
        });
    }

    /** Whether this process leads. */
    public boolean isLeading() {
        return loop != null;
    }

    private void begin(CompletableFuture<Void> inStep) throws Exception {
        inStep.get();
        if (!operator.get()
                .getRuntimeInfo()
                .unhealthyEventSources()
                .getOrDefault(FabricReconciler.NAME, Map.of())
                .isEmpty()) {
            // Devices of Fabrics that are not known would get others.
            throw new IOException("the Fabrics that are there are not known yet");
        }
        LOG.infof(
                "inventory: %d devices, %d switches",
                stores.devices().size(), stores.switches().size());
        sourceLoop.start();
        sourceLoop.awaitFirstRound();
        coalescer.changed();
        Coalescer.Wait first = new Coalescer.Wait(
                settings.coalescing().firstQuiet(), settings.coalescing().firstLimit());
        coalescer.await(first, first, null);
        begun = true;
    }

    /** When a pass is due without any news; {@code null}: not at all. */
    private @Nullable Duration untilDue() {
        Duration release = untilRelease();
        Duration creation = untilCreation();
        if (release == null || creation == null) {
            return release == null ? creation : release;
        }
        return release.compareTo(creation) <= 0 ? release : creation;
    }

    /** A link that has been quiet for long enough counts again. */
    private @Nullable Duration untilRelease() {
        ClusterModel model = published.get();
        Instant release = model == null ? null : damping.nextRelease(model.flapHistory());
        return release == null ? null : Duration.between(stores.now(), release).plus(GRACE);
    }

    /** When missing Fabrics may be created; {@code null} where none is missing. */
    private @Nullable Duration untilCreation() {
        if (!settled.isAwaited()) {
            return null;
        }
        Duration left = settled.left();
        Duration retry = Duration.ofNanos(createNotBefore - System.nanoTime());
        Duration due = left.compareTo(retry) >= 0 ? left : retry;
        return due.isNegative() ? GRACE : due.plus(GRACE);
    }

    private void passOrTryAgain() {
        if (sources.isApplying()) {
            coalescer.changed();
            return;
        }
        long begin = System.nanoTime();
        boolean done = false;
        try {
            metrics.timePass(this::pass);
            done = true;
        } finally {
            if (!done) {
                // What was published before stays; the loop makes another pass when it has waited.
                metrics.passFailed();
                coalescer.changed();
            }
        }
        delay.passed(Duration.ofNanos(System.nanoTime() - begin));
    }

    private void pass() {
        FabricNumbers given = numbers == null ? numberStore.load() : numbers;
        ClusterModel last = published.get();
        ClusterModel model = Modeler.model(Inventory.of(stores, sources.states()), given, last, conditions, damping);
        keep(model.numbers(), given);
        publisher.publish(model);
        logFailures(last, model);
        modelEvents.fire(model.fabrics().keySet());
        modelEvents.fire(model.failed().keySet());
        deviceEvents.report(model);
        metrics.show(model);
        integrations.offer(model);
        createMissing(model);
    }

    /** Each once, not with every pass. */
    private static void logFailures(@Nullable ClusterModel last, ClusterModel model) {
        for (FailedFabric fabric : model.failed().values()) {
            FailedFabric before = last == null ? null : last.failed().get(fabric.name());
            if (before == null
                    || !before.defect().toString().equals(fabric.defect().toString())) {
                LOG.errorf(
                        fabric.defect(), "Fabric %s cannot be modelled, and its last good state stays", fabric.name());
            }
        }
        model.deviceDefects().forEach((device, defect) -> {
            if (last == null || !last.deviceDefects().containsKey(device)) {
                LOG.errorf(defect, "whether FabricDevice %s belongs to a Fabric cannot be decided", device);
            }
        });
    }

    private void keep(FabricNumbers next, FabricNumbers before) {
        if (!next.equals(before)) {
            numberStore.save(next);
        }
        numbers = next;
    }

    /** Others do not wait for it: whether it succeeds is told by the next pass. */
    private void createMissing(ClusterModel model) {
        if (model.missing().isEmpty()) {
            settled.forget();
            return;
        }
        settled.await();
        if (settled.left().isPositive() || System.nanoTime() - createNotBefore < 0) {
            return;
        }
        createNotBefore = System.nanoTime() + CREATION_RETRY.toNanos();
        try {
            if (!creator.isAwaitingStore()) {
                // In this order a number whose Fabric could not be created is still free; see docs/adr/0022.
                creator.create(model.missing().fabrics());
                keep(model.missing().numbers(), model.numbers());
            }
        } catch (KubernetesClientException e) {
            LOG.warnf(
                    "%d Fabrics for devices of none are created again: %s",
                    model.missing().fabrics().size(), e.getMessage());
        }
    }

    /** Ends modelling, reading and writing; a request on its way is given up. */
    @PreDestroy
    public void stop() {
        GuardedLoop running = loop;
        if (running != null) {
            running.stop();
        }
        sourceLoop.stop();
        writer.stop();
        integrations.stop();
    }
}
