/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query;

import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.cluster.GuardedLoops;
import dev.fabricoperator.operator.server.auth.Access;
import dev.fabricoperator.operator.server.auth.AuthenticationConfigMap;
import dev.fabricoperator.operator.server.auth.FrontProxy;
import dev.fabricoperator.operator.server.auth.ReviewClient;
import dev.fabricoperator.operator.server.auth.TokenAuthenticator;
import dev.fabricoperator.operator.server.http.Listener;
import dev.fabricoperator.operator.server.http.ServingIdentity;
import dev.fabricoperator.operator.server.query.http.AccessControl;
import dev.fabricoperator.operator.server.query.http.QueryRoutes;
import dev.fabricoperator.operator.server.query.resource.QueryEndpoint;
import dev.fabricoperator.operator.server.served.ServedModels;
import dev.fabricoperator.operator.server.traffic.PortTraffic;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Runs the query API in the role {@code server}. */
@ApplicationScoped
public class QueryServer {
    private static final Logger LOG = Logger.getLogger(QueryServer.class);
    private static final long NEVER = Long.MIN_VALUE;

    private final Vertx vertx;
    private final KubernetesClient client;
    private final ServingIdentity identity;
    private final QuerySettings settings;
    private final ServedModels models;
    private final PortTraffic ports;
    private final MeterRegistry meters;
    private final GuardedLoops loops;
    private final Clock clock;
    private final SteadyClock steady;
    /** {@code null} before the API server has said who it is. */
    private volatile @Nullable FrontProxy frontProxy;
    /** When it may be asked again before the next reload, {@link #NEVER} where that would tell nothing new. */
    private final AtomicLong askAgainNanos = new AtomicLong(NEVER);

    private @Nullable Listener listener;

    QueryServer(
            Vertx vertx,
            KubernetesClient client,
            ServingIdentity identity,
            QuerySettings settings,
            ServedModels models,
            PortTraffic ports,
            MeterRegistry meters,
            GuardedLoops loops,
            Clock clock,
            SteadyClock steady) {
        this.vertx = vertx;
        this.client = client;
        this.identity = identity;
        this.settings = settings;
        this.models = models;
        this.ports = ports;
        this.meters = meters;
        this.loops = loops;
        this.clock = clock;
        this.steady = steady;
    }

    /** Listens when it returns; does not wait for the objects. */
    public void start() {
        ReviewClient reviews = new ReviewClient(client);
        AccessControl access = new AccessControl(
                new TokenAuthenticator(
                        reviews,
                        null,
                        settings.accessCache(),
                        caller -> null,
                        settings.reviews(),
                        clock,
                        steady,
                        meters),
                new Access(reviews, settings.accessCache(), settings.reviews(), steady),
                this::frontProxy,
                clock);
        Listener made = new Listener(
                vertx,
                new Listener.ServingInfo("query", settings.host(), settings.port(), Set.of("TLSv1.2", "TLSv1.3"), true),
                settings.listener(),
                identity.keyManager(settings.certificateDirectory()),
                meters);
        QuerySettings.Limits limits = settings.limits();
        new QueryRoutes(
                        limits,
                        access,
                        new QueryEndpoint(models.fabrics(), ports, limits.wholeMatrixVertices()),
                        meters)
                .addTo(made);
        try {
            made.start();
        } catch (IOException e) {
            throw new UncheckedIOException("query API", e);
        }
        listener = made;
        models.start();
        loops.start("query-reload", this::reload);
    }

    /** Who is given the right after this server has begun, with the aggregated API, has its first request answered: the API server is asked at once, once in a second at most. */
    private @Nullable FrontProxy frontProxy() {
        long due = askAgainNanos.get();
        if (due != NEVER && System.nanoTime() - due >= 0 && askAgainNanos.compareAndSet(due, NEVER)) {
            try {
                loadFrontProxy();
            } catch (KubernetesClientException e) {
                LOG.debugf("asked again by the next reload: %s", e.getMessage());
            }
        }
        return frontProxy;
    }

    private void reload() throws InterruptedException {
        identity.refresh();
        loadFrontProxy();
        Thread.sleep(settings.reloadInterval());
    }

    /** What was known before stays where the API server is away, or says what cannot be understood. */
    private void loadFrontProxy() {
        try {
            FrontProxy known = frontProxy == null ? FrontProxy.NONE : frontProxy;
            Map<String, String> data = AuthenticationConfigMap.read(client);
            frontProxy = data == null ? known : known.next(data);
            askAgainNanos.set(data == null ? System.nanoTime() + TimeUnit.SECONDS.toNanos(1) : NEVER);
            if (data == null && known != FrontProxy.NONE) {
                LOG.warn(
                        "whom the front proxy's certificate comes from may not be read any more (config/query-apiservice); what was known before stays");
            }
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
    }
}
