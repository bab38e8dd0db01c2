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
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** How much the ports of a fabric's switches send, which of them hold others up, and which jobs use these. */
@ApplicationScoped
public class PortTraffic {
    /** Ways that are looked at for one answer, of all jobs together. */
    private static final long MOST_ROUTES = 200_000;
    /** The same of cheapest paths, each of which is a search through the fabric. */
    private static final long MOST_PATHS = 500;

    private final FetchedPorts sweeps;
    private final JobsOnNodes jobs;

    /** A port of a switch. */
    private record End(String switchId, int port) {}

    /** One cable end as the map has it. */
    private record Known(@Nullable String name, @Nullable String peer) {}

    PortTraffic(JobsOnNodes jobs, SteadyClock clock) {
        this.jobs = jobs;
        this.sweeps = new FetchedPorts(clock);
    }

    /** Whether some sweep of the fabric may say it. */
    public static boolean isLookedAt(ServedFabric fabric) {
        return !addresses(fabric).isEmpty();
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
     * All ports, those that send most first. O(ports).
     *
     * @throws IOException if a sweep does not say it
     */
    public PortTrafficAnswer ports(ServedFabric fabric) throws IOException, InterruptedException {
        Map<End, Known> known = known(fabric);
        List<Port> ports = new ArrayList<>();
        String asOf = null;
        for (String address : addresses(fabric)) {
            PortTrafficAnswer said = sweeps.from(address);
            asOf = earlier(asOf, said.asOf());
            for (Port port : orNone(said.ports())) {
                Known here = known.get(new End(port.switchId(), port.port()));
                if (here != null) {
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
        return new PortTrafficAnswer(fabric.name(), asOf, ports, null, null);
    }

    /** Those that hold others up, with the jobs that use them; throws what {@link #ports} does. O(ports + pods + ways of jobs). */
    public PortTrafficAnswer hotSpots(ServedFabric fabric) throws IOException, InterruptedException {
        Map<End, Known> known = known(fabric);
        List<HotSpot> hot = new ArrayList<>();
        String asOf = null;
        for (String address : addresses(fabric)) {
            PortTrafficAnswer said = sweeps.from(address);
            asOf = earlier(asOf, said.asOf());
            orNone(said.hotSpots()).stream()
                    .filter(each -> known.containsKey(new End(each.switchId(), each.port())))
                    .forEach(hot::add);
        }
        Users users = new Users(fabric, jobs);
        List<HotSpot> named = new ArrayList<>();
        for (HotSpot each : hot) {
            End end = new End(each.switchId(), each.port());
            Known here = Objects.requireNonNull(known.get(end));
            named.add(new HotSpot(
                    each.switchId(),
                    here.name(),
                    each.port(),
                    here.peer(),
                    each.why(),
                    each.value(),
                    each.since(),
                    users.at(end)));
        }
        return new PortTrafficAnswer(fabric.name(), asOf, null, named, users.leftOut == 0 ? null : users.leftOut);
    }

    /** Which ports jobs use; looked at when somebody asks for the first one. */
    private static final class Users {
        private final ServedFabric fabric;
        private final JobsOnNodes jobs;
        private @Nullable Map<End, Map<JobsOnNodes.Name, Set<Path.Basis>>> byEnd;
        private int leftOut;

        Users(ServedFabric fabric, JobsOnNodes jobs) {
            this.fabric = fabric;
            this.jobs = jobs;
        }

        List<PortTrafficAnswer.Job> at(End end) {
            Map<End, Map<JobsOnNodes.Name, Set<Path.Basis>>> known = byEnd;
            if (known == null) {
                known = look();
                byEnd = known;
            }
            List<PortTrafficAnswer.Job> found = new ArrayList<>();
            known.getOrDefault(end, Map.of())
                    .forEach((job, basis) -> found.add(new PortTrafficAnswer.Job(
                            job.namespace(),
                            job.name(),
                            basis.contains(Path.Basis.routes) ? Path.Basis.routes : Path.Basis.cheapest)));
            return found;
        }

        private Map<End, Map<JobsOnNodes.Name, Set<Path.Basis>>> look() {
            Map<End, Map<JobsOnNodes.Name, Set<Path.Basis>>> found = new HashMap<>();
            long room = fabric.query().routes() == null ? MOST_PATHS : MOST_ROUTES;
            for (Map.Entry<JobsOnNodes.Name, SortedSet<String>> job : jobs.all().entrySet()) {
                Ways ways = new Ways(fabric, slots(job.getValue()));
                if (ways.number() > room) {
                    leftOut++;
                } else {
                    room -= ways.number();
                    ways.forEach((from, to, path) -> path.steps()
                            .forEach(step -> found.computeIfAbsent(
                                            new End(step.switchId(), step.outPort()), any -> new LinkedHashMap<>())
                                    .computeIfAbsent(job.getKey(), any -> EnumSet.noneOf(Path.Basis.class))
                                    .add(path.basis())));
                }
            }
            return found;
        }

        private Collection<Integer> slots(Collection<String> nodes) {
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

    private static @Nullable String earlier(@Nullable String one, @Nullable String other) {
        return one == null || (other != null && other.compareTo(one) < 0) ? other : one;
    }

    private static <T> List<T> orNone(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }
}
