/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.RoutesStatus;
import dev.fabricoperator.crds.SourceStatus;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.query.Path;
import dev.fabricoperator.fabric.traffic.HotReason;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.operator.server.served.Ways;
import dev.fabricoperator.view.answer.PortTrafficAnswer;
import dev.fabricoperator.view.answer.PortTrafficAnswer.HotSpot;
import dev.fabricoperator.view.answer.PortTrafficAnswer.Port;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How much the ports of a fabric's switches send, which of them hold others up, and which jobs use these. */
@ApplicationScoped
public class PortTraffic {
    /** Ways that are looked at for one answer, of all jobs together. */
    private static final long MOST_ROUTES = 200_000;
    /** The same of cheapest paths, each of which is a search through the fabric. */
    private static final long MOST_PATHS = 500;

    private final FetchedPorts sweeps;
    private final CounterSources exporters;
    private final JobsOnNodes jobs;

    /** A port of a switch. */
    private record End(String switchId, int port) {}

    private record Hot(End end, @Nullable HotReason why) {}

    /** One cable end as the map has it. */
    private record Known(@Nullable String name, @Nullable String peer) {}

    PortTraffic(JobsOnNodes jobs, CounterSources exporters, SteadyClock clock) {
        this.jobs = jobs;
        this.exporters = exporters;
        this.sweeps = new FetchedPorts(clock);
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
     * @throws IOException if a sweep does not say it
     */
    public Said fetch(ServedFabric fabric) throws IOException, InterruptedException {
        List<PortTrafficAnswer> said = new ArrayList<>();
        for (String address : addresses(fabric)) {
            said.add(sweeps.from(address));
        }
        said.addAll(exporters.of(fabric));
        return new Said(fabric, said);
    }

    /** What sweeps have said of one fabric. */
    public final class Said {
        private final ServedFabric fabric;
        private final List<PortTrafficAnswer> all;

        private Said(ServedFabric fabric, List<PortTrafficAnswer> all) {
            this.fabric = fabric;
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
                            .orElse(null),
                    ports,
                    hotSpots,
                    portsAtEnd == 0 ? null : portsAtEnd,
                    jobsLeftOut);
        }

        /** All ports, those that send most first. O(ports). */
        public PortTrafficAnswer ports() {
            Map<End, Known> known = known(fabric);
            List<Port> ports = new ArrayList<>();
            Set<End> told = new HashSet<>();
            for (PortTrafficAnswer said : all) {
                for (Port port : orNone(said.ports())) {
                    End end = new End(port.switchId(), port.port());
                    Known here = known.get(end);
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
            Map<End, Known> known = known(fabric);
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
            Users users = new Users(fabric, jobs, ends);
            List<HotSpot> named = new ArrayList<>();
            hot.forEach((which, each) -> {
                Known here = Objects.requireNonNull(known.get(which.end()));
                named.add(new HotSpot(
                        each.switchId(),
                        here.name(),
                        each.port(),
                        here.peer(),
                        each.why(),
                        each.value(),
                        each.since(),
                        users.at(which.end())));
            });
            return answer(null, named, users.leftOut == 0 ? null : users.leftOut);
        }
    }

    /** Which jobs use which of some ports. */
    private static final class Users {
        private final Map<End, Map<JobsOnNodes.Name, Set<Path.Basis>>> byEnd = new HashMap<>();
        private int leftOut;

        private record JobWays(JobsOnNodes.Name job, Ways ways) {}

        /** @param ends the ports; no job is looked at where there are none */
        Users(ServedFabric fabric, JobsOnNodes jobs, Set<End> ends) {
            ends.forEach(end -> byEnd.put(end, new TreeMap<>()));
            List<JobWays> all = new ArrayList<>();
            if (!ends.isEmpty()) {
                jobs.all().forEach((job, nodes) -> all.add(new JobWays(job, new Ways(fabric, slots(fabric, nodes)))));
            }
            // Those with the fewest ways first: a large job takes the room of no other.
            all.sort(Comparator.comparingLong(each -> each.ways().number()));
            long room = fabric.query().routes() == null ? MOST_PATHS : MOST_ROUTES;
            for (JobWays each : all) {
                room -= each.ways().number();
                if (room < 0) {
                    leftOut++;
                } else {
                    each.ways().forEach((from, to, path) -> take(each.job(), path));
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

        List<PortTrafficAnswer.Job> at(End end) {
            List<PortTrafficAnswer.Job> found = new ArrayList<>();
            byEnd.getOrDefault(end, Map.of())
                    .forEach((job, basis) -> found.add(new PortTrafficAnswer.Job(
                            job.namespace(),
                            job.name(),
                            basis.contains(Path.Basis.routes) ? Path.Basis.routes : Path.Basis.cheapest)));
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

    private static Map<End, Known> known(ServedFabric fabric) {
        Map<String, Switch> switches = new HashMap<>();
        fabric.parts().switches().forEach(each -> switches.put(each.id(), each));
        Map<End, Known> known = new HashMap<>();
        for (Switch each : switches.values()) {
            for (SwitchPort port : each.ports()) {
                known.put(
                        new End(each.id(), port.number()),
                        new Known(fabric.switchName(each.id()), peer(fabric, switches, port)));
            }
        }
        return known;
    }

    private static @Nullable String peer(ServedFabric fabric, Map<String, Switch> switches, SwitchPort port) {
        PortPeer peer = port.peer();
        if (peer == null) {
            return null;
        }
        String name;
        if (switches.containsKey(peer.id())) {
            name = Objects.requireNonNullElse(fabric.switchName(peer.id()), peer.id());
        } else if (port.peerHost() == null) {
            name = peer.id();
        } else {
            name = port.peerHost() + (port.peerOsName() == null ? "" : " " + port.peerOsName());
        }
        return name + " port " + peer.port();
    }

    private static <T> List<T> orNone(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }
}
