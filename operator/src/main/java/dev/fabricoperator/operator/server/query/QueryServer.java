/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query;

import dev.fabricoperator.operator.certificate.ServingIdentity;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.server.auth.Access;
import dev.fabricoperator.operator.server.auth.FrontProxy;
import dev.fabricoperator.operator.server.auth.ReviewClient;
import dev.fabricoperator.operator.server.auth.TokenAuthenticator;
import dev.fabricoperator.operator.server.http.Listener;
import dev.fabricoperator.operator.server.query.answer.QueryEndpoint;
import dev.fabricoperator.operator.server.query.http.AccessControl;
import dev.fabricoperator.operator.server.query.http.QueryRoutes;
import dev.fabricoperator.operator.server.query.served.ClusterObjects;
import dev.fabricoperator.operator.server.query.served.ServedDevice;
import dev.fabricoperator.operator.server.query.served.ServedFabrics;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Runs the query API in the role {@code server}: watches the objects, keeps what is served, listens. */
@ApplicationScoped
public class QueryServer {
    private static final Logger LOG = Logger.getLogger(QueryServer.class);
    private static final String FRONT_PROXY_NAMESPACE = "kube-system";
    private static final String FRONT_PROXY_CONFIG_MAP = "extension-apiserver-authentication";
    private static final int MAXIMUM_PERMITS = 1;

    private final Vertx vertx;
    private final KubernetesClient client;
    private final ServingIdentity identity;
    private final QuerySettings query;
    private final MeterRegistry meters;
    private final Clock clock;
    private final ServedFabrics fabrics;
    private final ClusterObjects objects;
    private final Semaphore changed = new Semaphore(0);
    private volatile FrontProxy frontProxy = FrontProxy.NONE;
    private volatile boolean ready;
    private volatile @Nullable String failure;
    private @Nullable Listener listener;
    private @Nullable Thread thread;
    private @Nullable Thread reloading;

    QueryServer(
            Vertx vertx,
            KubernetesClient client,
            ServingIdentity identity,
            QuerySettings query,
            MeterRegistry meters,
            Clock clock) {
        this.vertx = vertx;
        this.client = client;
        this.identity = identity;
        this.query = query;
        this.meters = meters;
        this.clock = clock;
        this.fabrics = new ServedFabrics(query.limits().generations());
        this.objects = new ClusterObjects(client);
    }

    /** Starts to listen, and to read; returns without waiting for the objects. */
    public void start() {
        loadFrontProxy();
        ReviewClient reviews = new ReviewClient(client);
        AccessControl access = new AccessControl(
                new TokenAuthenticator(reviews, null, query.accessCache(), query.reviews(), clock, meters),
                new Access(reviews, query.accessCache(), query.reviews(), clock),
                () -> frontProxy,
                clock);
        Listener made = new Listener(
                vertx,
                new Listener.Place("query", query.host(), query.port(), Set.of("TLSv1.2", "TLSv1.3"), true),
                query.listener(),
                identity.keyManager(query.certificateDirectory()),
                meters);
        new QueryRoutes(
                        query.limits(),
                        access,
                        new QueryEndpoint(fabrics, query.limits().wholeMatrixVertices()),
                        meters)
                .addTo(made);
        try {
            made.start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on port " + query.port(), e);
        }
        listener = made;
        thread = Thread.ofPlatform().name("query-model").daemon(true).start(this::run);
        reloading = Thread.ofVirtual().name("query-reload").start(this::reload);
    }

    /** What is served of each Fabric. */
    public ServedFabrics fabrics() {
        return fabrics;
    }

    /** All devices of the cluster. */
    public List<ServedDevice> devices() {
        return objects.devices();
    }

    /** All Fabrics of the cluster. */
    public List<FabricFacts> fabricFacts() {
        return objects.fabrics();
    }

    /** Whether all objects have been read once, so that an answer is about what there is. */
    public boolean isReady() {
        return ready;
    }

    /** What stopped the thread, or {@code null} while it runs. */
    public @Nullable String failure() {
        return failure;
    }

    private void run() {
        try {
            objects.start(() -> {
                        if (changed.availablePermits() < MAXIMUM_PERMITS) {
                            changed.release();
                        }
                    })
                    .get();
            changed.release();
            while (true) {
                changed.acquire();
                Thread.sleep(query.quiet());
                changed.drainPermits();
                lookOrTryAgain();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | RuntimeException e) {
            failure = "the thread of the query API's models ended: " + e.getMessage();
            LOG.error("the thread of the query API's models ended", e);
        }
    }

    private void lookOrTryAgain() throws InterruptedException {
        long start = System.nanoTime();
        try {
            List<String> incomplete = fabrics.look(objects.devices(), objects.switches(), objects.fabrics());
            ready = true;
            LOG.debugf("not all objects of %s are here yet", incomplete);
        } catch (RuntimeException e) {
            // A defect that some input has hit: what is served stays, and the next change may be another input.
            ready = true;
            LOG.error("this look at the objects has failed, and what is served stays", e);
        }
        // While many objects come, no more than half of the time is spent looking at them.
        Thread.sleep((System.nanoTime() - start) / 1_000_000);
    }

    private void reload() {
        try {
            while (true) {
                Thread.sleep(query.reloadInterval());
                identity.refresh();
                loadFrontProxy();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void loadFrontProxy() {
        try {
            ConfigMap map = client.configMaps()
                    .inNamespace(FRONT_PROXY_NAMESPACE)
                    .withName(FRONT_PROXY_CONFIG_MAP)
                    .get();
            frontProxy = map == null || map.getData() == null ? FrontProxy.NONE : frontProxy.next(map.getData());
        } catch (KubernetesClientException e) {
            LOG.warnf("whom the front proxy's certificate comes from is not known now: %s", e.getMessage());
        } catch (IllegalArgumentException e) {
            LOG.warnf("%s; what was known before stays", e.getMessage());
        }
    }

    @PreDestroy
    void stop() {
        Listener open = listener;
        if (open != null) {
            open.close();
        }
        for (Thread running : new Thread[] {thread, reloading}) {
            if (running != null) {
                running.interrupt();
            }
        }
        objects.close();
    }
}
