/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.lldp;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import dev.fabricoperator.fabric.cabling.CablingCollector.Node;
import dev.fabricoperator.fabric.cabling.CablingCollector.Port;
import dev.fabricoperator.fabric.cabling.NodeId;
import dev.fabricoperator.fabric.cabling.Problem;
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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Builds cabling from the neighbours that systems report. */
final class LldpCabling {
    private static final Pattern REPRESENTOR =
            Pattern.compile("(B[0-9a-f]+)?(c\\d+)?pf\\d+(hpf|vf\\d+|sf\\d+)|(B[0-9a-f]+)?c\\d+pf\\d+"
                    + "|en\\d+f\\d+(c\\d+)?pf\\d+sf\\d+");

    /** In names of ports: {@code TenGigabitEthernet 0/12}. */
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    private final CablingCollector collector;
    private final Map<LldpSystem, Set<LldpSystem>> neighborsOf = new LinkedHashMap<>();
    private final Set<String> reported = new HashSet<>();
    private int insideOfHosts;

    LldpCabling(CablingCollector collector) {
        this.collector = collector;
    }

    record End(LldpSystem system, @Nullable String port) {
        String key() {
            return system.id() + "\n" + port;
        }
    }

    /** {@code near} hears {@code far}. */
    record Adjacency(End near, End far, LldpNeighbor neighbor) {
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
        @Nullable LldpSystem[] localSystems = LocalSystems.of(outputs, systems, collector);
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
        classify(systems, adjacencies);
        join(withoutSharedMacs(CableMatch.of(adjacencies, collector)));
        List<Node> nodes = collector.nodes();
        if (!nodes.isEmpty() && nodes.stream().noneMatch(Node::isDevice)) {
            Node first = nodes.getFirst();
            collector.firstProblem(new Problem(
                    first.line(),
                    "no host is among the " + nodes.size() + " systems: all are taken for switches, such as "
                            + CablingCollector.printable(first.name == null ? first.id() : first.name)));
        }
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

    /** As a DPU calls its ends of what leads to the host that it sits in: no cable. */
    private static boolean isInsideOfHost(String port) {
        return REPRESENTOR.matcher(port).matches();
    }

    private void collect(LldpSystem local, LldpOutput output, LldpSystems systems, List<Adjacency> into) {
        for (LldpNeighbor neighbor : output.neighbors()) {
            LldpSystem far = systems.of(neighbor);
            if (far == null) {
                collector.problem(neighbor.line(), "a neighbour without a chassis ID and without a name is left out");
            } else if (far == local) {
                collector.problem(
                        neighbor.line(), local + " hears itself on " + CablingCollector.printable(neighbor.netdev()));
            } else if (isInsideOfHost(neighbor.netdev()) || isInsideOfHost(String.valueOf(far.portOf(neighbor)))) {
                insideOfHosts++;
            } else {
                into.add(
                        new Adjacency(new End(local, neighbor.netdev()), new End(far, far.portOf(neighbor)), neighbor));
                neighborsOf.computeIfAbsent(local, s -> new HashSet<>()).add(far);
                neighborsOf.computeIfAbsent(far, s -> new HashSet<>()).add(local);
            }
        }
    }

    /** Classifies each system as switch or host; where its words do not tell, by its cables. */
    private void classify(LldpSystems systems, List<Adjacency> adjacencies) {
        systems.all().forEach(LldpSystem::classify);
        List<LldpSystem> connected = new ArrayList<>(neighborsOf.keySet());
        connected.sort(Comparator.comparingLong((LldpSystem s) -> -among(s, SystemKind.HOST))
                .thenComparing(LldpSystem::id));
        for (LldpSystem system : connected) {
            // A computer has cables to switches; one that has them to several computers is a switch, whatever it says.
            if (system.kind == SystemKind.HOST && among(system, SystemKind.HOST) > 1) {
                system.kind = SystemKind.SWITCH;
            }
        }
        Map<LldpSystem, Integer> cablesOf = new HashMap<>();
        Set<End> ends = new HashSet<>();
        for (Adjacency adjacency : adjacencies) {
            if (ends.add(adjacency.near())) {
                cablesOf.merge(adjacency.near().system(), 1, Integer::sum);
            }
        }
        // Who has not answered has as many as others hear.
        Map<LldpSystem, Integer> heard = new HashMap<>();
        adjacencies.forEach(adjacency -> heard.merge(adjacency.far().system(), 1, Integer::sum));
        heard.forEach((system, cables) -> cablesOf.merge(system, cables, Math::max));
        tellGuessed(KindsByCables.tell(connected, neighborsOf, cablesOf));
    }

    /** One warning for all systems that are in no words that are known. */
    private void tellGuessed(List<LldpSystem> guessed) {
        List<LldpSystem> asHosts = guessed.stream()
                .filter(s -> s.kind == SystemKind.HOST && s.name() != null)
                .toList();
        List<LldpSystem> asSwitches = guessed.stream()
                .filter(s -> s.kind == SystemKind.SWITCH && s.forwards())
                .toList();
        int count = asHosts.size() + asSwitches.size();
        if (count > 0) {
            collector.problem(
                    (asHosts.isEmpty() ? asSwitches : asHosts).getFirst().line(),
                    "no word that is known says whether " + count + (count == 1 ? " system is a" : " systems are")
                            + " switch or host: by cables" + taken(asHosts, "host") + taken(asSwitches, "switch"));
        }
    }

    private static String taken(List<LldpSystem> systems, String what) {
        return systems.isEmpty()
                ? ""
                : ", " + systems.size() + " taken for " + what + ", such as "
                        + CablingCollector.printable(systems.getFirst().toString());
    }

    /** A MAC that several ports of a system announce is the name of none of them. */
    private static List<Adjacency> withoutSharedMacs(List<Adjacency> adjacencies) {
        Map<String, End> nearOf = new HashMap<>();
        Set<String> shared = new HashSet<>();
        for (Adjacency adjacency : adjacencies) {
            End far = adjacency.far();
            if (far.port() != null && NodeId.mac(far.port()) != null) {
                End before = nearOf.putIfAbsent(far.key(), adjacency.near());
                if (before != null && !before.equals(adjacency.near())) {
                    shared.add(far.key());
                }
            }
        }
        return adjacencies.stream()
                .map(a -> shared.contains(a.far().key())
                        ? new Adjacency(a.near(), new End(a.far().system(), null), a.neighbor())
                        : a)
                .toList();
    }

    private long among(LldpSystem system, SystemKind kind) {
        return neighborsOf.getOrDefault(system, Set.of()).stream()
                .filter(n -> n.kind == kind)
                .count();
    }

    /** Cables that both ends hear first, then those of systems that say who they are. */
    private void join(List<Adjacency> adjacencies) throws BadInputException {
        adjacencies.forEach(adjacency -> reported.add(adjacency.key()));
        Set<String> ofOtherMembers = ofOtherMembers(adjacencies);
        List<Adjacency> order = new ArrayList<>(adjacencies);
        order.sort(Comparator.comparing((Adjacency h) -> !reported.contains(h.back()))
                .thenComparing(h -> h.neighbor().chassisName() == null)
                .thenComparing(h -> h.far().port() == null)
                .thenComparing(h -> ofOtherMembers.contains(h.key())));
        Map<String, Adjacency> taken = new HashMap<>();
        Set<String> joined = new HashSet<>();
        int management = 0;
        int byOthers = 0;
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
                } else if (ofOtherMembers.contains(adjacency.key())) {
                    byOthers++;
                } else {
                    collector.problem(
                            adjacency.neighbor().line(),
                            describe(adjacency) + " is left out: "
                                    + collector.where(before.neighbor().line()) + " has " + describe(before));
                }
            }
        }
        if (insideOfHosts > 0) {
            collector.problem(
                    1, insideOfHosts + " neighbours between DPUs and the hosts that they sit in are left out");
        }
        if (byOthers > 0) {
            collector.problem(
                    1,
                    byOthers
                            + " neighbours are left out that other interfaces of the same systems hear, too, as members of a bond do: each"
                            + " cable counts once, and which member has it is told by its switch alone");
        }
        if (management > 0) {
            collector.problem(1, management + " neighbours of management ports of switches are left out");
        }
    }

    /** Of what only hosts say. What both ends hear needs no guess, and neither does what its switch says. */
    private Set<String> ofOtherMembers(List<Adjacency> adjacencies) {
        Set<String> known = new HashSet<>();
        for (Adjacency adjacency : adjacencies) {
            if (reported.contains(adjacency.back())) {
                known.add(adjacency.near().key());
                known.add(adjacency.far().key());
            }
        }
        return BondMembers.notTheirs(adjacencies.stream()
                .filter(adjacency -> adjacency.near().system().kind == SystemKind.HOST
                        && adjacency.far().port() != null
                        && adjacency.neighbor().chassisName() != null
                        && !known.contains(adjacency.near().key())
                        && !known.contains(adjacency.far().key())
                        && !isManagement(adjacency.far()))
                .toList());
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
            String written = name == null ? "" : BLANKS.matcher(name).replaceAll("-");
            return collector.port(node, NodeId.isUsable(written) ? written : null, line);
        }
        String mac = name == null ? null : NodeId.mac(name);
        String host = system.name();
        String interfaceName = mac == null ? name : null;
        String id = mac != null ? mac : host == null || name == null ? system.id() : host + "/" + interfaceName;
        Node node = collector
                .node(NodeId.isUsable(id) ? id : NodeId.of(BLANKS.matcher(id).replaceAll("-")), line)
                .asDevice();
        node.hostname = host;
        node.osName = interfaceName;
        return collector.port(node, null, line);
    }
}
