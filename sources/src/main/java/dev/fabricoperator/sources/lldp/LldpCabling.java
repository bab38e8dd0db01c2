/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sources.lldp;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import dev.fabricoperator.fabric.cabling.CablingCollector.Node;
import dev.fabricoperator.fabric.cabling.CablingCollector.Port;
import dev.fabricoperator.fabric.cabling.NodeId;
import dev.fabricoperator.fabric.cabling.lldp.LldpNeighbor;
import dev.fabricoperator.fabric.cabling.lldp.LldpOutput;
import dev.fabricoperator.fabric.device.PortState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds cabling from the neighbours that systems report. */
final class LldpCabling {
    private final String file;
    private final CablingCollector collector;
    private final Map<LldpSystem, Set<LldpSystem>> neighborsOf = new LinkedHashMap<>();
    private final Set<String> reported = new HashSet<>();

    LldpCabling(String file, CablingCollector collector) {
        this.file = file;
        this.collector = collector;
    }

    private record End(LldpSystem system, @Nullable String port) {
        String key() {
            return system.id() + "\n" + port;
        }
    }

    /** {@code near} hears {@code far}. */
    private record Adjacency(End near, End far, LldpNeighbor neighbor) {
        String key() {
            return near.key() + "\n" + far.key();
        }

        String back() {
            return far.key() + "\n" + near.key();
        }
    }

    /** @throws BadInputException if there is more than any fabric has */
    Cabling of(List<LldpOutput> all) throws BadInputException {
        List<LldpOutput> outputs =
                all.stream().map(LldpCabling::withoutOtherProtocols).toList();
        LldpSystems systems = new LldpSystems(
                outputs.stream().flatMap(o -> o.neighbors().stream()).toList(), collector);
        @Nullable LldpSystem[] localSystems = LocalSystems.of(outputs, systems, collector, stem(file));
        for (int i = 0; i < localSystems.length; i++) {
            LldpSystem local = localSystems[i];
            if (local != null) {
                outputs.get(i).neighbors().forEach(n -> local.ownPort(n.netdev()));
            }
        }
        List<Adjacency> adjacencies = new ArrayList<>();
        for (int i = 0; i < localSystems.length; i++) {
            if (localSystems[i] != null) {
                collect(localSystems[i], outputs.get(i), systems, adjacencies);
            }
        }
        classify(systems);
        join(adjacencies);
        return collector.build();
    }

    /** Of neighbours on one interface, LLDP's; a switch may announce itself by an older protocol too. */
    private static LldpOutput withoutOtherProtocols(LldpOutput output) {
        Set<String> lldp = new HashSet<>();
        output.neighbors().stream().filter(LldpNeighbor::isLldp).forEach(n -> lldp.add(n.netdev()));
        List<LldpNeighbor> kept = output.neighbors().stream()
                .filter(n -> n.isLldp() || !lldp.contains(n.netdev()))
                .toList();
        return new LldpOutput(output.system(), output.chassisId(), output.line(), kept);
    }

    /** A file's name without its directories and without what tells its form. */
    private static String stem(String file) {
        String name = file.substring(file.lastIndexOf('/') + 1);
        int dot = name.indexOf('.');
        String stem = dot > 0 ? name.substring(0, dot) : name;
        StringBuilder usable = new StringBuilder(stem.length());
        stem.chars().map(c -> Character.isLetterOrDigit(c) ? c : '-').forEach(c -> usable.append((char) c));
        return usable.isEmpty() || stem.equals("-") ? "unnamed" : usable.toString();
    }

    private void collect(LldpSystem local, LldpOutput output, LldpSystems systems, List<Adjacency> into) {
        for (LldpNeighbor neighbor : output.neighbors()) {
            LldpSystem far = systems.of(neighbor);
            if (far == null) {
                collector.problem(neighbor.line(), "a neighbour without a chassis ID and without a name is left out");
            } else if (far == local) {
                collector.problem(
                        neighbor.line(), local + " hears itself on " + CablingCollector.printable(neighbor.netdev()));
            } else {
                into.add(
                        new Adjacency(new End(local, neighbor.netdev()), new End(far, far.portOf(neighbor)), neighbor));
                neighborsOf.computeIfAbsent(local, s -> new HashSet<>()).add(far);
                neighborsOf.computeIfAbsent(far, s -> new HashSet<>()).add(local);
            }
        }
    }

    /** Classifies each system as switch or host; where its capabilities do not tell, by its cables. */
    private void classify(LldpSystems systems) {
        systems.all().forEach(LldpSystem::classify);
        List<LldpSystem> hosts = new ArrayList<>(neighborsOf.keySet());
        hosts.sort(Comparator.comparingLong((LldpSystem s) -> -among(s, SystemKind.HOST))
                .thenComparing(LldpSystem::id));
        for (LldpSystem system : hosts) {
            // A computer has cables to switches; one that has them to several computers is a switch, whatever it says.
            if (system.kind == SystemKind.HOST && among(system, SystemKind.HOST) > 1) {
                system.kind = SystemKind.SWITCH;
            }
        }
        for (LldpSystem system : hosts) {
            if (system.kind == SystemKind.UNKNOWN && among(system, SystemKind.HOST) > 0) {
                system.kind = SystemKind.SWITCH;
            }
        }
        for (LldpSystem system : hosts) {
            if (system.kind == SystemKind.UNKNOWN) {
                int neighbors = neighborsOf.getOrDefault(system, Set.of()).size();
                system.kind = neighbors > 1 ? SystemKind.SWITCH : SystemKind.HOST;
            }
        }
    }

    private long among(LldpSystem system, SystemKind kind) {
        return neighborsOf.getOrDefault(system, Set.of()).stream()
                .filter(n -> n.kind == kind)
                .count();
    }

    /** Cables that both ends hear first, then those of systems that say who they are. */
    private void join(List<Adjacency> adjacencies) throws BadInputException {
        adjacencies.forEach(adjacency -> reported.add(adjacency.key()));
        List<Adjacency> order = new ArrayList<>(adjacencies);
        order.sort(Comparator.comparing((Adjacency h) -> !reported.contains(h.back()))
                .thenComparing(h -> h.neighbor().chassisName() == null)
                .thenComparing(h -> h.far().port() == null));
        Map<String, Adjacency> taken = new HashMap<>();
        Set<String> joined = new HashSet<>();
        int management = 0;
        for (Adjacency adjacency : order) {
            if (isManagement(adjacency.near()) || isManagement(adjacency.far())) {
                management++;
            } else if (!joined.contains(adjacency.back()) && joined.add(adjacency.key())) {
                Adjacency before = taken.get(adjacency.near().key());
                before = before == null && adjacency.far().port() != null
                        ? taken.get(adjacency.far().key())
                        : before;
                if (before == null) {
                    taken.put(adjacency.near().key(), adjacency);
                    taken.put(adjacency.far().key(), adjacency);
                    cable(adjacency);
                } else {
                    collector.problem(
                            adjacency.neighbor().line(),
                            describe(adjacency) + " is left out: line "
                                    + before.neighbor().line() + " has " + describe(before));
                }
            }
        }
        if (management > 0) {
            collector.problem(1, management + " neighbours of management ports of switches are left out");
        }
    }

    private static boolean isManagement(End end) {
        return end.port() != null && end.system().isManagementPort(end.port());
    }

    private static String describe(Adjacency adjacency) {
        return CablingCollector.printable("the cable from port "
                        + adjacency.near().port() + " of " + adjacency.near().system())
                + CablingCollector.printable(" to port " + adjacency.far().port() + " of "
                        + adjacency.far().system());
    }

    private void cable(Adjacency adjacency) throws BadInputException {
        int line = adjacency.neighbor().line();
        Port near = port(adjacency.near(), line);
        Port far = port(adjacency.far(), line);
        Long speed = adjacency.neighbor().speedBitsPerSecond();
        for (Port port : new Port[] {near, far}) {
            // Who hears a neighbour has a link.
            port.state = PortState.Active;
            port.speedBitsPerSecond = speed;
        }
        String contradiction = collector.join(near, far);
        if (contradiction != null) {
            collector.problem(line, contradiction);
        }
    }

    private Port port(End end, int line) throws BadInputException {
        LldpSystem system = end.system();
        String name = end.port();
        if (system.kind == SystemKind.SWITCH) {
            Node node = collector.node(system.id(), line);
            node.name = system.name();
            node.vendor = system.vendor();
            node.model = system.model();
            return collector.port(node, name != null && NodeId.isUsable(name) ? name : null, line);
        }
        String mac = name == null ? null : NodeId.mac(name);
        String host = system.name();
        String interfaceName = mac == null ? name : null;
        String id = mac != null ? mac : host == null || name == null ? system.id() : host + "/" + interfaceName;
        Node node = collector
                .node(NodeId.isUsable(id) ? id : NodeId.of(id.replaceAll("\\s", "-")), line)
                .asDevice();
        node.hostname = host;
        node.osName = interfaceName;
        return collector.port(node, null, line);
    }
}
