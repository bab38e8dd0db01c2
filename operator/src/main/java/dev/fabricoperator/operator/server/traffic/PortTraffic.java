/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.RoutesStatus;
import dev.fabricoperator.crds.SourceStatus;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.query.Path;
import dev.fabricoperator.fabric.traffic.HotReason;
import dev.fabricoperator.fabric.traffic.LinkLoads;
import dev.fabricoperator.operator.server.auth.ExpiringCache;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.operator.server.served.Ways;
import dev.fabricoperator.view.answer.JobTrafficAnswer;
import dev.fabricoperator.view.answer.PortTrafficAnswer;
import dev.fabricoperator.view.answer.PortTrafficAnswer.HotSpot;
import dev.fabricoperator.view.answer.PortTrafficAnswer.Port;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** How much the ports of a fabric's switches send, which of them hold others up, and which jobs use these. */
@ApplicationScoped
public class PortTraffic {
    private static final Logger LOG = Logger.getLogger(PortTraffic.class);

    /** Of ways that are looked at for one answer, of all jobs together: so many that forwarding tables tell, or 500 cheapest paths. */
    private static final long MOST_EFFORT = 200_000;

    /** Links of a job that are told. */
    private static final int MOST_LINKS = 4096;
    /** Jobs at hot ports that are asked to tell what they send now. */
    private static final int MOST_WATCHED = 64;
    /** What a job has told for longer says nothing of what it sends now. */
    private static final Duration CURRENT = Duration.ofSeconds(15);

    /** For how long the links of a job are told again, to whoever asks: a job has news once a second. */
    private static final Duration KEPT = Duration.ofSeconds(1);

    private static final int MOST_ANSWERS = 16;
    /** How long the links of a job wait for what their ports send in all. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final FetchedPorts sweeps;
    private final CounterSources exporters;
    private final JobsOnNodes jobs;
    private final TrafficOfJobs reports;
    private final SteadyClock clock;
    private final ExpiringCache<JobsOnNodes.Name, JobTrafficAnswer> answers;
    /** What ports of a fabric send, while it is asked for. */
    private final Map<String, CompletableFuture<Map<End, Long>>> asked = new ConcurrentHashMap<>();

    /** Of those that were at hot ports. */
    private JobsOnNodes.@Nullable Name lastWatched;

    private record Hot(End end, @Nullable HotReason why) {}

    PortTraffic(JobsOnNodes jobs, CounterSources exporters, TrafficOfJobs reports, SteadyClock clock) {
        this.jobs = jobs;
        this.exporters = exporters;
        this.reports = reports;
        this.clock = clock;
        this.sweeps = new FetchedPorts(clock);
        this.answers = new ExpiringCache<>(MOST_ANSWERS, KEPT, clock);
    }

    /** Whether all pods of a job run, and have told what they send now. */
    private boolean isCurrent(TrafficOfJobs.Told told, Set<JobsOnNodes.Name> running) {
        JobTrafficAnswer answer = told.answer();
        return answer.podsSilent() == 0
                && told.rates().seconds() <= CURRENT.toSeconds()
                && !told.newsAt().isBefore(clock.instant().minus(CURRENT))
                && answer.pods().stream()
                        .allMatch(pod -> running.contains(new JobsOnNodes.Name(answer.namespace(), pod.pod())));
    }

    /**
     * What a job has told, with the links that it is on; {@code null} where it has told nothing. What its ports send in all is asked for where the job runs.
     *
     * <p>What is returned is to be called when there is room for a large answer: it finds the ways of packets. An answer is kept for {@link #KEPT}.
     *
     * @param fabrics all that are served
     */
    public @Nullable Supplier<JobTrafficAnswer> ofJob(String namespace, String job, Collection<ServedFabric> fabrics)
            throws InterruptedException {
        reports.watch(namespace, job);
        TrafficOfJobs.Told told = reports.told(namespace, job);
        if (told == null) {
            return null;
        }
        JobsOnNodes.Name name = name(told.answer());
        JobTrafficAnswer known = answers.get(name);
        if (known != null) {
            return () -> known;
        }
        Map<String, Map<End, Long>> rates = isCurrent(told, jobs.running()) ? ratesIfTold(fabrics) : Map.of();
        return () -> {
            // Those that have asked at the same time wait for their turn one after the other.
            JobTrafficAnswer since = answers.get(name);
            if (since != null) {
                return since;
            }
            JobTrafficAnswer now = answer(told, fabrics, rates);
            answers.put(name, now);
            return now;
        };
    }

    private static JobTrafficAnswer answer(
            TrafficOfJobs.Told told, Collection<ServedFabric> fabrics, Map<String, Map<End, Long>> ratesOfFabrics) {
        JobLinks links = new JobLinks(told, fabrics);
        double leftOut = links.unknown();
        List<JobTrafficAnswer.Link> all = new ArrayList<>();
        for (ServedFabric fabric : links.fabrics()) {
            LinkLoads<End> loads = links.loads(fabric, MOST_EFFORT);
            leftOut += loads.leftOut();
            if (!loads.loads().isEmpty()) {
                Map<End, Long> rates = ratesOfFabrics.getOrDefault(fabric.name(), Map.of());
                Map<End, End.Known> known = End.known(fabric);
                loads.loads()
                        .forEach((end, load) -> all.add(link(
                                fabric,
                                end,
                                Objects.requireNonNullElse(known.get(end), new End.Known(null, null)),
                                load,
                                rates.get(end))));
            }
        }
        all.sort(Comparator.comparingLong(JobTrafficAnswer.Link::bytesPerSecond)
                .reversed()
                .thenComparing(JobTrafficAnswer.Link::fabric)
                .thenComparing(JobTrafficAnswer.Link::switchId)
                .thenComparingInt(JobTrafficAnswer.Link::port));
        return told.answer()
                .on(all.stream().limit(MOST_LINKS).toList(), Math.max(0, all.size() - MOST_LINKS), Math.round(leftOut));
    }

    private static JobTrafficAnswer.Link link(
            ServedFabric fabric, End end, End.Known known, LinkLoads.Load load, @Nullable Long rate) {
        return new JobTrafficAnswer.Link(
                fabric.name(),
                end.switchId(),
                known.name(),
                end.port(),
                known.peer(),
                Math.round(load.bytesPerSecond()),
                share(load, rate),
                load.measured() ? JobTrafficAnswer.LinkBasis.measured : JobTrafficAnswer.LinkBasis.estimated);
    }

    /** @param rate of the whole port. A job sends no more than that: its bytes were counted a moment earlier or later */
    private static @Nullable Double share(LinkLoads.Load load, @Nullable Long rate) {
        return rate == null || rate == 0 ? null : Double.valueOf(Math.min(1, load.bytesPerSecond() / rate));
    }

    /**
     * What ports send in all, by fabric, as far as it is known within {@link #PATIENCE}: of a fabric of which nobody tells it in time the job's bytes are told all the same. All
     * fabrics are asked at one time, and one that does not answer is not asked again meanwhile.
     */
    private Map<String, Map<End, Long>> ratesIfTold(Collection<ServedFabric> fabrics) throws InterruptedException {
        Map<String, CompletableFuture<Map<End, Long>>> waited = new HashMap<>();
        for (ServedFabric fabric : fabrics) {
            if (isLookedAt(fabric)) {
                waited.put(fabric.name(), asked.computeIfAbsent(fabric.name(), any -> ask(fabric)));
            }
        }
        long until = System.nanoTime() + PATIENCE.toNanos();
        Map<String, Map<End, Long>> rates = new HashMap<>();
        for (Map.Entry<String, CompletableFuture<Map<End, Long>>> each : waited.entrySet()) {
            try {
                rates.put(
                        each.getKey(),
                        each.getValue().get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS));
            } catch (TimeoutException e) {
                LOG.debugf("%s: not within %s", each.getKey(), PATIENCE);
            } catch (ExecutionException e) {
                LOG.debugf("%s: %s", each.getKey(), e.getMessage());
            }
        }
        return rates;
    }

    private CompletableFuture<Map<End, Long>> ask(ServedFabric fabric) {
        CompletableFuture<Map<End, Long>> told = new CompletableFuture<>();
        Thread.startVirtualThread(() -> {
            try {
                told.complete(fetch(fabric, List.of()).rates());
            } catch (IOException | InterruptedException | RuntimeException e) {
                told.completeExceptionally(e);
            } finally {
                asked.remove(fabric.name());
            }
        });
        return told;
    }

    /** Whether some sweep of the fabric, or an exporter, may say it. */
    public static boolean isLookedAt(ServedFabric fabric) {
        return !addresses(fabric).isEmpty() || !fabric.facts().spec().counters().isEmpty();
    }

    private static List<String> addresses(ServedFabric fabric) {
        FabricStatus status = fabric.facts().status();
        return status == null
                ? List.of()
                : status.sources().stream()
                        .map(SourceStatus::routes)
                        .filter(Objects::nonNull)
                        .map(RoutesStatus::address)
                        .filter(Objects::nonNull)
                        .distinct()
                        .toList();
    }

    /**
     * What the fabric's sweeps and exporters say, to be made an answer of when there is room for a large one.
     *
     * @param fabrics all that are served
     * @throws IOException if a sweep does not say it
     */
    public Said fetch(ServedFabric fabric, Collection<ServedFabric> fabrics) throws IOException, InterruptedException {
        List<PortTrafficAnswer> said = new ArrayList<>();
        for (String address : addresses(fabric)) {
            said.add(sweeps.from(address));
        }
        said.addAll(exporters.of(fabric));
        return new Said(fabric, fabrics, said);
    }

    /** What sweeps have said of one fabric. */
    public final class Said {
        private final ServedFabric fabric;
        private final Collection<ServedFabric> fabrics;
        private final List<PortTrafficAnswer> all;

        private Said(ServedFabric fabric, Collection<ServedFabric> fabrics, List<PortTrafficAnswer> all) {
            this.fabric = fabric;
            this.fabrics = fabrics;
            this.all = all;
        }

        private PortTrafficAnswer answer(
                @Nullable List<Port> ports, @Nullable List<HotSpot> hotSpots, @Nullable Integer jobsLeftOut) {
            int portsAtEnd = all.stream()
                    .map(PortTrafficAnswer::portsAtEnd)
                    .filter(Objects::nonNull)
                    .mapToInt(Integer::intValue)
                    .sum();
            return new PortTrafficAnswer(
                    fabric.name(),
                    all.stream()
                            .map(PortTrafficAnswer::asOf)
                            .filter(Objects::nonNull)
                            .min(Comparator.naturalOrder())
                            .orElse(null),
                    all.stream()
                            .map(PortTrafficAnswer::problem)
                            .filter(Objects::nonNull)
                            .findFirst()
                            .orElseGet(this::withoutCounter),
                    ports,
                    hotSpots,
                    portsAtEnd == 0 ? null : portsAtEnd,
                    jobsLeftOut);
        }

        /** How many ports exporters do not tell of, where nobody else says what is wrong; {@code null} for none. O(ports). */
        private @Nullable String withoutCounter() {
            if (fabric.facts().spec().counters().isEmpty()) {
                return null;
            }
            Set<End> told = new HashSet<>();
            all.forEach(said -> orNone(said.ports()).forEach(port -> told.add(new End(port.switchId(), port.port()))));
            int ports = 0;
            Set<String> switches = new HashSet<>();
            for (Switch each : fabric.parts().switches()) {
                for (SwitchPort port : each.ports()) {
                    if (port.peer() != null && !told.contains(new End(each.id(), port.number()))) {
                        ports++;
                        switches.add(each.id());
                    }
                }
            }
            return ports == 0 ? null : "no counter of " + ports + " cabled ports of " + switches.size() + " switches";
        }

        /** Bytes in a second that each port sends, where that is known. O(ports). */
        private Map<End, Long> rates() {
            Map<End, Long> rates = new HashMap<>();
            for (PortTrafficAnswer said : all) {
                for (Port port : orNone(said.ports())) {
                    if (port.bytesPerSecond() != null) {
                        rates.putIfAbsent(new End(port.switchId(), port.port()), port.bytesPerSecond());
                    }
                }
            }
            return rates;
        }

        /** All ports, those that send most first. O(ports). */
        public PortTrafficAnswer ports() {
            Map<End, End.Known> known = End.known(fabric);
            List<Port> ports = new ArrayList<>();
            Set<End> told = new HashSet<>();
            for (PortTrafficAnswer said : all) {
                for (Port port : orNone(said.ports())) {
                    End end = new End(port.switchId(), port.port());
                    End.Known here = known.get(end);
                    if (here != null && told.add(end)) {
                        ports.add(new Port(
                                port.switchId(),
                                here.name(),
                                port.port(),
                                here.peer(),
                                port.bytesPerSecond(),
                                port.utilisation(),
                                port.waitShare(),
                                port.discards(),
                                port.asOf()));
                    }
                }
            }
            ports.sort(Comparator.comparing(
                            (Port port) -> Objects.requireNonNullElse(port.bytesPerSecond(), -1L),
                            Comparator.reverseOrder())
                    .thenComparing(Port::switchId)
                    .thenComparingInt(Port::port));
            return answer(ports, null, null);
        }

        /** Those that hold others up, with the jobs that use them. O(ports + pods + ways of jobs). */
        public PortTrafficAnswer hotSpots() {
            Map<End, End.Known> known = End.known(fabric);
            Map<Hot, HotSpot> hot = new LinkedHashMap<>();
            Set<End> ends = new HashSet<>();
            for (PortTrafficAnswer said : all) {
                for (HotSpot each : orNone(said.hotSpots())) {
                    End end = new End(each.switchId(), each.port());
                    if (known.containsKey(end)) {
                        hot.putIfAbsent(new Hot(end, each.why()), each);
                        ends.add(end);
                    }
                }
            }
            Map<JobsOnNodes.Name, JobsOnNodes.Name> jobOfPod = new HashMap<>();
            List<TrafficOfJobs.Told> told = ends.isEmpty() ? List.of() : reports.all();
            told.forEach(each -> each.answer()
                    .pods()
                    .forEach(pod -> jobOfPod.put(
                            new JobsOnNodes.Name(each.answer().namespace(), pod.pod()), name(each.answer()))));
            Users users = new Users(fabric, jobs, ends, jobOfPod);
            // They tell what they send from now on, so that the next answer has their numbers.
            watch(users.named(), new HashSet<>(jobOfPod.values()));
            users.count(current(told, users.named()), fabrics);
            Map<End, Long> rates = rates();
            List<HotSpot> named = new ArrayList<>();
            hot.forEach((which, each) -> {
                End.Known here = Objects.requireNonNull(known.get(which.end()));
                named.add(new HotSpot(
                        each.switchId(),
                        here.name(),
                        each.port(),
                        here.peer(),
                        each.why(),
                        each.value(),
                        each.since(),
                        users.at(which.end(), rates.get(which.end()))));
            });
            return answer(null, named, users.leftOut == 0 ? null : users.leftOut);
        }

        private List<TrafficOfJobs.Told> current(List<TrafficOfJobs.Told> told, Set<JobsOnNodes.Name> named) {
            Set<JobsOnNodes.Name> running = named.isEmpty() ? Set.of() : jobs.running();
            return told.stream()
                    .filter(each -> named.contains(name(each.answer())) && isCurrent(each, running))
                    .toList();
        }
    }

    /**
     * Makes jobs tell what they send, some at one time: those first whose turn it is.
     *
     * @param told those that have told something
     */
    private synchronized void watch(Set<JobsOnNodes.Name> named, Set<JobsOnNodes.Name> told) {
        Set<JobsOnNodes.Name> services = named.isEmpty() ? Set.of() : jobs.services();
        NavigableSet<JobsOnNodes.Name> all = named.stream()
                .filter(each -> told.contains(each) || !services.contains(each))
                .collect(Collectors.toCollection(TreeSet::new));
        List<JobsOnNodes.Name> inTurn = new ArrayList<>(all);
        if (lastWatched != null) {
            Collections.rotate(inTurn, -all.headSet(lastWatched, true).size());
        }
        inTurn.stream().limit(MOST_WATCHED).forEach(each -> {
            reports.watch(each.namespace(), each.name());
            lastWatched = each;
        });
    }

    private static JobsOnNodes.Name name(JobTrafficAnswer answer) {
        return new JobsOnNodes.Name(answer.namespace(), answer.job());
    }

    /** Which jobs use which of some ports. */
    private static final class Users {
        private final Map<End, Map<JobsOnNodes.Name, Set<Path.Basis>>> byEnd = new HashMap<>();
        private final Map<JobsOnNodes.Name, Map<End, LinkLoads.Load>> loads = new HashMap<>();
        private final ServedFabric fabric;
        private int leftOut;

        private record JobWays(JobsOnNodes.Name job, Ways ways) {}

        /**
         * @param ends the ports; no job is looked at where there are none
         * @param jobOfPod by name of the pod, where a report has it
         */
        Users(ServedFabric fabric, JobsOnNodes jobs, Set<End> ends, Map<JobsOnNodes.Name, JobsOnNodes.Name> jobOfPod) {
            this.fabric = fabric;
            ends.forEach(end -> byEnd.put(end, new TreeMap<>()));
            List<JobWays> all = new ArrayList<>();
            if (!ends.isEmpty()) {
                jobs.all(jobOfPod)
                        .forEach((job, nodes) -> all.add(new JobWays(job, new Ways(fabric, slots(fabric, nodes)))));
            }
            // Those with the fewest ways first: a large job takes the room of no other.
            all.sort(Comparator.comparingLong(each -> each.ways().number()));
            long room = MOST_EFFORT;
            for (JobWays each : all) {
                // Where forwarding tables do not tell all ways it takes more than that.
                room = each.ways().effort() > room
                        ? -1
                        : each.ways().forEach(room, (from, to, path) -> take(each.job(), path));
                if (room < 0) {
                    leftOut++;
                }
            }
        }

        private void take(JobsOnNodes.Name job, Path path) {
            path.steps().forEach(step -> {
                Map<JobsOnNodes.Name, Set<Path.Basis>> users = byEnd.get(new End(step.switchId(), step.outPort()));
                if (users != null) {
                    users.computeIfAbsent(job, any -> EnumSet.noneOf(Path.Basis.class))
                            .add(path.basis());
                }
            });
        }

        /** All jobs that use some port. */
        private Set<JobsOnNodes.Name> named() {
            Set<JobsOnNodes.Name> named = new HashSet<>();
            byEnd.values().forEach(each -> named.addAll(each.keySet()));
            return named;
        }

        /**
         * Finds how much of some jobs leaves by the ports, as far as there is room: those with the fewest pods first.
         *
         * @param told of jobs that run, what they send now
         */
        private void count(List<TrafficOfJobs.Told> told, Collection<ServedFabric> fabrics) {
            List<TrafficOfJobs.Told> smallestFirst = new ArrayList<>(told);
            smallestFirst.sort(
                    Comparator.comparingInt(each -> each.answer().pods().size()));
            long room = MOST_EFFORT;
            for (TrafficOfJobs.Told each : smallestFirst) {
                if (room > 0) {
                    LinkLoads<End> found = new JobLinks(each, fabrics).loads(fabric, room);
                    room -= found.effort();
                    loads.put(name(each.answer()), found.loads());
                }
            }
        }

        /** @param rate bytes in a second that the port sends in all, {@code null} where that is not known */
        private List<PortTrafficAnswer.Job> at(End end, @Nullable Long rate) {
            List<PortTrafficAnswer.Job> found = new ArrayList<>();
            byEnd.getOrDefault(end, Map.of()).forEach((job, basis) -> {
                LinkLoads.Load load = loads.getOrDefault(job, Map.of()).get(end);
                found.add(new PortTrafficAnswer.Job(
                        job.namespace(),
                        job.name(),
                        load == null ? null : Long.valueOf(Math.round(load.bytesPerSecond())),
                        load == null ? null : share(load, rate),
                        basis.contains(Path.Basis.routes) ? Path.Basis.routes : Path.Basis.cheapest));
            });
            return found;
        }

        private static Collection<Integer> slots(ServedFabric fabric, Collection<String> nodes) {
            Set<Integer> slots = new HashSet<>();
            if (nodes.size() > 1) {
                for (String node : nodes) {
                    fabric.directory().ofNode(node).forEach(device -> slots.add(device.getKey()));
                }
                slots.removeIf(slot -> !fabric.model().isUsed(slot));
            }
            return slots;
        }
    }

    private static <T> List<T> orNone(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }
}
