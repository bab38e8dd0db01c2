/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sweeper;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingLoss;
import dev.fabricoperator.fabric.cabling.LossGuard;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.counters.PortCounters;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.fabric.traffic.PortsHealth;
import dev.fabricoperator.view.mapping.FabricMember;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sweeps the subnet while this process holds the lease: when it is time, when the master subnet manager changes or says that something has, and when
 * somebody asks. A sweep that fails, or that has lost much of the fabric without anybody confirming it, leaves the last good
 * switches, and the report says so.
 */
final class Sweeper {
    /** How often the objects are listed again, in case somebody else changed them. */
    private static final Duration LIST_INTERVAL = Duration.ofMinutes(10);

    private static final long PAGE = 500;

    private final SweeperConfig config;
    private final KubernetesClient client;
    private final Subnet subnet;
    private final Publication publication;
    private final Clock clock;
    private final SteadyClock steady = SteadyClock.system();
    private final LossGuard guard = new LossGuard();
    private final Semaphore wakes = new Semaphore(0);
    private final Requests requests = new Requests(wakes::release);
    private final Map<String, String> report = new TreeMap<>();
    /** {@code null} where nobody wants forwarding tables. */
    private final @Nullable RouteReport routes;

    /** {@code null} where nobody wants to know of links that may be about to fail. */
    private final @Nullable CounterLooks counters;

    /** {@code null} where nobody wants to know how much ports send. */
    private final @Nullable CounterLooks data;

    /** {@code null} where OpenSM says nothing. */
    private final @Nullable SubnetEvents events;

    private final LevelSamples levels;
    /** {@code null} where nobody wants to know how much ports send. */
    private final @Nullable PortTraffic traffic;

    private @Nullable Instant listed;
    /** Made when the objects have been listed, which say what a process before this one said. */
    private @Nullable PortsHealth<PortCounters.Port> health;

    /** What was swept last; empty where nothing was. */
    private List<Switch> swept = List.of();
    /** When links were last trained anew, by {@link #steady}. */
    private Instant forgotten = Instant.MIN;

    /** @throws IOException if the port for forwarding tables, or the socket for OpenSM, cannot be taken */
    Sweeper(SweeperConfig config, KubernetesClient client, Clock clock) throws IOException {
        this.config = config;
        this.client = client;
        this.clock = clock;
        this.subnet = new Subnet(config);
        this.publication = new Publication(client, config);
        this.levels = new LevelSamples(subnet);
        this.events = config.events().isEmpty()
                ? null
                : new SubnetEvents(Path.of(config.events()), steady::instant, wakes::release);
        this.routes = config.servesForwardingTables() ? new RouteReport(config, events, wakes::release) : null;
        this.traffic = config.servesPorts() ? new PortTraffic() : null;
        this.counters = config.counters().isEmpty()
                ? null
                : new CounterLooks("counters", subnet::counters, config.interval(), wakes::release);
        this.data = traffic == null
                ? null
                : new CounterLooks("counters of data", subnet::dataCounters, config.interval(), wakes::release);
    }

    /** Leads until it is interrupted. */
    void run() throws InterruptedException {
        requests.watch(client);
        String master = "";
        Instant due = steady.instant();
        while (true) {
            String now = master();
            boolean wanted = !requests.refreshes().stream().allMatch(this::isDone) || !now.equals(master);
            Instant began = steady.instant();
            Duration untilLook = events == null ? null : events.untilLook();
            boolean told = untilLook != null && untilLook.isZero();
            if (!began.isBefore(due) || wanted || told) {
                boolean othersTables = events != null && events.begin();
                if (!now.equals(master)) {
                    levels.forget();
                }
                if (health != null && !now.equals(master)) {
                    forgotten = steady.instant();
                    health.forget(forgotten, clock.instant());
                    if (traffic != null) {
                        traffic.forget();
                    }
                }
                master = now;
                due = steady.instant().plus(config.interval());
                sweepOrSayWhy(wanted || othersTables);
                if (events != null && told) {
                    events.end(began);
                }
            } else if (routes != null) {
                routes.dumpIfChanged(began);
                if (routes.put(report)) {
                    reportOrSayWhy();
                }
            }
            if (counters != null) {
                counters.lookIfDue(steady.instant());
                lookAt(counters.take());
            }
            // Not both at one time, as long as neither takes longer than its turn.
            if (data != null && (counters == null || !counters.isLooking())) {
                data.lookIfDue(steady.instant());
            }
            if (data != null) {
                lookAtData(data.take());
            }
            if (wakes.tryAcquire(pause().toMillis(), TimeUnit.MILLISECONDS)) {
                wakes.drainPermits();
            }
        }
    }

    /** Until something is to be done that nobody wakes for. */
    private Duration pause() {
        Duration untilLook = events == null ? null : events.untilLook();
        return untilLook == null || untilLook.compareTo(config.pollInterval()) > 0
                ? config.pollInterval()
                : untilLook.plusMillis(1);
    }

    private void lookAt(CounterLooks.@Nullable Ended look) throws InterruptedException {
        PortsHealth<PortCounters.Port> known = health;
        // What was read while links were trained anew may be of before.
        if (look == null || known == null || swept.isEmpty() || look.began().isBefore(forgotten)) {
            return;
        }
        PortCounters found = look.counters();
        Set<String> switches = new HashSet<>();
        Set<PortCounters.Port> up = new HashSet<>();
        for (Switch each : swept) {
            switches.add(each.id());
            each.ports().stream()
                    .filter(port -> port.peer() != null)
                    .forEach(port -> up.add(new PortCounters.Port(each.id(), port.number())));
        }
        if (traffic != null) {
            traffic.others(look);
        }
        boolean changed = known.look(new PortsHealth.Look<>(
                up,
                port -> switches.contains(port.node()),
                found.ports(),
                // The program discovers on its own, and says nothing of a switch that it has missed.
                found.complete() && found.checked() >= swept.size(),
                steady.instant(),
                clock.instant()));
        try {
            if (changed && listed != null) {
                log("signs of links that may be about to fail have changed at " + publication.publish(this::signs)
                        + " switches");
            }
        } catch (KubernetesClientException e) {
            listed = null;
            log("the API server did not take it, and the next sweep tries again: " + e.getMessage());
        }
    }

    private void lookAtData(CounterLooks.@Nullable Ended look) {
        if (look == null
                || traffic == null
                || routes == null
                || swept.isEmpty()
                || look.began().isBefore(forgotten)) {
            return;
        }
        try {
            traffic.look(swept, look, clock.instant());
            routes.ports(traffic.document());
        } catch (IOException e) {
            throw new UncheckedIOException("a document in memory", e);
        }
    }

    private String now() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private List<Impairment> signs(String switchId, int port) {
        return health == null ? List.of() : health.of(new PortCounters.Port(switchId, port));
    }

    private String master() throws InterruptedException {
        try {
            return subnet.master();
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private boolean isDone(String refresh) {
        return report.getOrDefault(FabricApi.REPORT_REFRESHES, "").lines().anyMatch(refresh::equals);
    }

    private void sweepOrSayWhy(boolean wanted) throws InterruptedException {
        List<String> asked = requests.refreshes();
        try {
            if (listed == null || listed.plus(LIST_INTERVAL).isBefore(steady.instant())) {
                publication.list();
                report.putAll(publication.lastReport());
                if (routes == null) {
                    RouteReport.none(report);
                }
                listed = steady.instant();
                if (counters != null && health == null) {
                    health = new PortsHealth<>(publication.signs(), steady.instant());
                }
            }
            boolean changed = sweep();
            if (routes != null) {
                routes.dumpIfDue(changed || wanted, steady.instant());
                routes.put(report);
            }
            report.put(FabricApi.REPORT_SWEPT, now());
            report.put(FabricApi.REPORT_INTERVAL, config.interval().toString());
            report.put(FabricApi.REPORT_REFRESHES, String.join("\n", asked));
            publication.report(report);
        } catch (KubernetesClientException e) {
            listed = null;
            log("the API server did not take it, and the next sweep tries again: " + e.getMessage());
        }
    }

    private void reportOrSayWhy() throws InterruptedException {
        try {
            publication.report(report);
        } catch (KubernetesClientException e) {
            log("the API server did not take the report, and the next sweep tries again: " + e.getMessage());
        }
    }

    /** Whether it found another cabling than the one before. */
    private boolean sweep() throws InterruptedException {
        Cabling cabling;
        swept = List.of();
        try {
            cabling = subnet.sweep();
        } catch (IOException e) {
            problem("Unreachable", String.valueOf(e.getMessage()));
            return false;
        } catch (BadInputException e) {
            problem("Unreadable", String.valueOf(e.getMessage()));
            return false;
        }
        List<Switch> found = cabling.switches();
        swept = found;
        List<Switch> before = List.copyOf(publication.switches());
        boolean large = CablingLoss.between(before, found).isLarge();
        Map<String, Boolean> links = large ? links() : Map.of();
        Function<String, @Nullable Boolean> linkUp = links::get;
        if (guard.decide(before, found, linkUp, requests::accepts, true) instanceof LossGuard.Decision.Held held) {
            problem(
                    "Shrunk",
                    held.why() + "; if that is true, annotate a Fabric with " + FabricApi.ANNOTATION_ACCEPT_LOSS + "="
                            + held.loss().digest());
            return false;
        }
        int written = publication.publish(found, this::signs);
        Set<Integer> wanted = config.levels().isEmpty() ? Set.of() : requests.serviceLevels();
        if (wanted.isEmpty()) {
            levels.none(report);
        } else {
            levels.put(found, wanted, report, now());
        }
        int cables = CablingLoss.between(List.of(), found).cables();
        report.put(FabricApi.REPORT_SWITCHES, Integer.toString(found.size()));
        report.put(FabricApi.REPORT_LINKS, Integer.toString(cables));
        report.remove(FabricApi.REPORT_PROBLEM);
        report.remove(FabricApi.REPORT_MESSAGE);
        if (written > 0) {
            log(found.size() + " switches and " + cables + " cables; " + written + " objects written");
        }
        return written > 0;
    }

    private void problem(String kind, String message) {
        if (!message.equals(report.put(FabricApi.REPORT_MESSAGE, message))) {
            log(message);
        }
        report.put(FabricApi.REPORT_PROBLEM, kind);
    }

    /** Whether the devices that agents watch have a link; asked only when much was lost. */
    private Map<String, Boolean> links() {
        Map<String, Boolean> links = new HashMap<>();
        String more = null;
        do {
            var list = client.resources(FabricDevice.class)
                    .list(new ListOptionsBuilder()
                            .withLimit(PAGE)
                            .withContinue(more)
                            .build());
            for (FabricDevice device : list.getItems()) {
                PortState state = device.getSpec().state();
                if (state != null && state != PortState.Unknown) {
                    links.merge(FabricMember.of(device).endId(), state == PortState.Active, Boolean::logicalOr);
                }
            }
            more = list.getMetadata().getContinue();
        } while (more != null && !more.isEmpty());
        return links;
    }

    static void log(String message) {
        System.err.println(Instant.now().truncatedTo(ChronoUnit.MILLIS) + " sweeper: " + message);
    }
}
