/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.extender;

import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.fabric.cost.LinkCosts;
import dev.fabricoperator.fabric.cost.NvlinkUnit;
import dev.fabricoperator.fabric.job.HostScores;
import dev.fabricoperator.fabric.model.DevicePosition;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.FactStore;
import dev.fabricoperator.operator.cluster.GuardedLoops;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.launch.PodFact;
import dev.fabricoperator.operator.server.auth.AuthenticationConfigMap;
import dev.fabricoperator.operator.server.auth.ClientAuthority;
import dev.fabricoperator.operator.server.http.Exchange;
import dev.fabricoperator.operator.server.http.Listener;
import dev.fabricoperator.operator.server.http.ServingIdentity;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.operator.server.served.ServedModels;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSession;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler extender, in the role {@code server}, where it is asked for: HTTPS on a port of its own, {@code POST /prioritize}.
 *
 * <p>It answers clients whose certificate the cluster's authority for clients has signed for one of the allowed names, and nobody else:
 * an answer says where the pods of a job are. Nothing of a body is read before.
 */
@ApplicationScoped
public class ExtenderServer {
    private static final Logger LOG = Logger.getLogger(ExtenderServer.class);
    /** A pod as large as etcd takes one, and the names of 5,000 nodes at their longest. */
    private static final int MAXIMUM_BODY = 4 << 20;

    private static final int CONCURRENT_ANSWERS = 2;
    private static final Duration RELOAD = Duration.ofSeconds(30);
    /** After which purposes and priorities of Fabrics are read anew, too. */
    private static final long REFRESH_MILLISECONDS = 1000;

    private final Vertx vertx;
    private final KubernetesClient client;
    private final ExtenderSettings settings;
    private final ServingIdentity identity;
    private final ServedModels models;
    private final MeterRegistry meters;
    private final GuardedLoops loops;
    private final Informers informers;
    private final Clock clock;
    private final SteadyClock steady;
    private final Semaphore answering = new Semaphore(CONCURRENT_ANSWERS);
    /** By Fabric, on the thread that makes them. */
    private final Map<String, Made> made = new HashMap<>();
    /** Of the fabrics that are served, the one that goes first at the front; {@code null} before they are made for the first time. */
    private volatile @Nullable List<HostScores> scores;

    /** {@code null} before the API server has said who they are. */
    private volatile @Nullable ClientAuthority clients;

    private @Nullable Listener listener;

    /** Scores of one generation. */
    private record Made(ServedFabric of, @Nullable ServedFabric nvlink, HostScores scores) {}

    ExtenderServer(
            Vertx vertx,
            KubernetesClient client,
            ExtenderSettings settings,
            ServingIdentity identity,
            ServedModels models,
            MeterRegistry meters,
            GuardedLoops loops,
            Informers informers,
            Clock clock,
            SteadyClock steady) {
        this.vertx = vertx;
        this.client = client;
        this.settings = settings;
        this.identity = identity;
        this.models = models;
        this.meters = meters;
        this.loops = loops;
        this.informers = informers;
        this.clock = clock;
        this.steady = steady;
    }

    /** Listens when it returns, where it is asked for; does not wait for the objects. */
    public void start() {
        if (!settings.enabled()) {
            return;
        }
        if (settings.clients().stream().allMatch(String::isBlank)) {
            // Without a name all that the authority has signed would be trusted: every kubelet has such a certificate.
            throw new IllegalArgumentException(
                    "fabric-operator.extender.clients names nobody: leave it out, or name the"
                            + " common name of the scheduler's certificate");
        }
        JobPods pods = new JobPods(steady, settings.assumed());
        FactStore<Pod, PodFact> store = new FactStore<>(PodFact::of, Pod::new);
        store.listen(pods::seen);
        CompletableFuture<Void> listed = informers.startOfTenants(client.pods().inAnyNamespace(), store);
        JobSizes sizes = new JobSizes(client, steady, settings.ownerWait());
        Listener opened = new Listener(
                vertx,
                new Listener.ServingInfo(
                        "extender", settings.host(), settings.port(), Set.of("TLSv1.2", "TLSv1.3"), true),
                settings.listener(),
                identity.keyManager(),
                meters);
        opened.route(HttpMethod.POST, "/prioritize", exchange -> {
            ClientAuthority authority = clients;
            if (authority == null) {
                refuse(exchange, 503, "unready", "which authority signs the scheduler's certificate is not known yet");
                return;
            }
            SSLSession session = exchange.request().sslSession();
            if (session == null || !authority.trusts(session, clock.instant())) {
                refuse(exchange, 403, "stranger", "for the scheduler alone, by its client certificate");
                return;
            }
            exchange.proven();
            List<HostScores> known = scores;
            if (!listed.isDone() || known == null) {
                // A job that runs would look like one that nothing is placed of.
                refuse(exchange, 503, "unready", "pods or fabrics of the cluster are not known yet");
                return;
            }
            Priorities priorities = new Priorities(known, pods, sizes);
            exchange.readBody(MAXIMUM_BODY, body -> exchange.fork(() -> answer(exchange, body, priorities)));
        });
        try {
            opened.start();
        } catch (IOException e) {
            throw new UncheckedIOException("scheduler extender", e);
        }
        listener = opened;
        Semaphore changed = new Semaphore(0);
        models.fabrics().updates().listen(changed::release);
        loops.startPlatform("extender-scores", () -> {
            if (models.isReady()) {
                scores = scores();
            }
            if (changed.tryAcquire(REFRESH_MILLISECONDS, TimeUnit.MILLISECONDS)) {
                changed.drainPermits();
            }
        });
        loops.start("extender-clients", () -> {
            loadClients();
            Thread.sleep(RELOAD);
        });
    }

    private void answer(Exchange exchange, byte[] body, Priorities priorities) {
        if (!answering.tryAcquire()) {
            // A scheduler asks one question at a time.
            refuse(exchange, 503, "busy", "other questions are being answered");
            return;
        }
        try {
            byte[] answer = priorities.answer(body);
            exchange.send(200, Map.of("Content-Type", "application/json"), answer);
            count(exchange, "answered");
        } catch (IOException e) {
            refuse(exchange, 400, "unreadable", String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            refuse(exchange, 503, "ending", "ending");
        } finally {
            answering.release();
        }
    }

    private void refuse(Exchange exchange, int status, String outcome, String sentence) {
        exchange.refuse(status, sentence);
        count(exchange, outcome);
    }

    private void count(Exchange exchange, String outcome) {
        Timer.builder("fabric_operator_extender")
                .description("Questions of the scheduler")
                .tag("outcome", outcome)
                .register(meters)
                .record(exchange.age());
    }

    private List<HostScores> scores() {
        List<FabricFacts> fabrics = new ArrayList<>(models.fabricFacts());
        ServedFabric nvlink = models.fabrics().nvlink(fabrics);
        // Cliques are a tier of the networks, which reach all nodes.
        fabrics.sort(FabricFacts.DEFAULT_FIRST.thenComparing(FabricFacts::name));
        Set<String> names = new HashSet<>();
        List<HostScores> all = new ArrayList<>();
        for (FabricFacts fabric : fabrics) {
            ServedFabric served = models.fabrics().get(fabric.name());
            if (served != null && fabric.isForCompute()) {
                ServedFabric beside = served == nvlink ? null : nvlink;
                names.add(fabric.name());
                all.add(made.compute(
                                fabric.name(),
                                (name, known) -> known != null && known.of() == served && known.nvlink() == beside
                                        ? known
                                        : new Made(served, beside, scores(served, beside)))
                        .scores());
            }
        }
        made.keySet().retainAll(names);
        return all;
    }

    private static HostScores scores(ServedFabric served, @Nullable ServedFabric nvlink) {
        return new HostScores(
                served.model(),
                slot -> {
                    ServedDevice device = served.directory().at(slot);
                    return device == null ? null : device.nodeName();
                },
                nvlink == null ? HostScores.Cliques.NONE : cliques(served, nvlink));
    }

    private static HostScores.Cliques cliques(ServedFabric network, ServedFabric nvlink) {
        Map<String, String> ofHost = new HashMap<>();
        nvlink.directory().devices().forEach((slot, device) -> {
            DevicePosition place = nvlink.model().device(slot);
            if (place != null && place.switchId() != null) {
                ofHost.putIfAbsent(device.nodeName(), place.switchId());
            }
        });
        NvlinkUnit unit =
                NvlinkUnit.of(network.model().linkCosts(), nvlink.model().linkCosts());
        return new HostScores.Cliques(ofHost, unit.inNetwork(2 * LinkCosts.UNIT));
    }

    /** What was known before stays where the API server is away, or says what cannot be understood. */
    private void loadClients() {
        try {
            ClientAuthority known = clients == null ? ClientAuthority.NONE : clients;
            Map<String, String> data = AuthenticationConfigMap.read(client);
            if (data == null) {
                LOG.warn(
                        "who signs clients' certificates may not be read (config/extender); what was known before stays");
            } else {
                clients = known.next(data.get("client-ca-file"), settings.clients());
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
