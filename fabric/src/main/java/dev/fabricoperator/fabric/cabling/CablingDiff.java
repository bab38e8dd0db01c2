/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What changed between two descriptions of one fabric. Nodes are switches and adapters by id; a link reads
 * {@code id[port]<->id[port]} with the smaller end first, and counts where at least one of its ends names it.
 * Aggregation nodes and their cables are no part of it. All lists are ascending.
 */
public final class CablingDiff {
    private final List<String> nodesLost;
    private final List<String> nodesGained;
    private final List<String> linksLost;
    private final List<String> linksGained;

    private final List<Change> changes = new ArrayList<>();
    private final Map<String, String> nameById = new HashMap<>();
    private final Set<String> switchIds = new HashSet<>();

    /** What a change is about. */
    public enum Kind {
        Switch,
        Device,
        Link
    }

    /**
     * An end of a link, or a node.
     *
     * @param name what people call it: a switch's name, {@code host/osName} of a device; its id where nobody says
     * @param port 0 for a node as a whole
     */
    public record End(String id, String name, int port) {
        public String words() {
            return port > 0 ? name + " port " + port : name;
        }
    }

    /**
     * Something that was lost or gained: a node together with its links, or a link between two nodes that are there before and
     * after.
     *
     * @param ends one of a node, two of a link
     * @param links how many there are of it
     */
    public record Change(boolean lost, Kind kind, List<End> ends, int links) {
        private static final Comparator<Change> ORDER = Comparator.comparing((Change change) -> !change.lost())
                .thenComparing(Change::kind)
                .thenComparing(change -> change.ends().getFirst().words(), NaturalOrder.INSTANCE)
                .thenComparing(change -> change.ends().getLast().words(), NaturalOrder.INSTANCE);
    }

    private CablingDiff(Cabling old, Cabling current) {
        addNames(current);
        addNames(old);
        SortedSet<String> oldNodes = nodes(old);
        SortedSet<String> currentNodes = nodes(current);
        SortedMap<String, List<PortPeer>> lost = links(old);
        SortedMap<String, List<PortPeer>> gained = links(current);
        Set<String> kept = new HashSet<>(lost.keySet());
        kept.retainAll(gained.keySet());
        lost.keySet().removeAll(kept);
        gained.keySet().removeAll(kept);
        nodesLost = without(oldNodes, currentNodes);
        nodesGained = without(currentNodes, oldNodes);
        linksLost = List.copyOf(lost.keySet());
        linksGained = List.copyOf(gained.keySet());
        addChanges(true, nodesLost, lost.values());
        addChanges(false, nodesGained, gained.values());
        changes.sort(Change.ORDER);
    }

    private void addNames(Cabling cabling) {
        for (Switch node : cabling.switches()) {
            switchIds.add(node.id());
            if (node.name() != null) {
                nameById.putIfAbsent(node.id(), node.name());
            }
            for (SwitchPort port : node.ports()) {
                if (port.peer() != null && port.peerHost() != null && port.peerOsName() != null) {
                    nameById.putIfAbsent(port.peer().id(), port.peerHost() + "/" + port.peerOsName());
                }
            }
        }
        for (Adapter node : cabling.adapters()) {
            if (node.hostname() != null && node.osName() != null) {
                nameById.putIfAbsent(node.id(), node.hostname() + "/" + node.osName());
            }
        }
    }

    private void addChanges(boolean lost, List<String> nodes, Collection<List<PortPeer>> links) {
        Map<String, Integer> linksOfNode = new HashMap<>();
        nodes.forEach(id -> linksOfNode.put(id, 0));
        for (List<PortPeer> link : links) {
            List<End> ends = ends(link);
            boolean ofNode = false;
            for (End end : ends) {
                ofNode |= linksOfNode.computeIfPresent(end.id(), (id, count) -> count + 1) != null;
            }
            if (!ofNode) {
                changes.add(new Change(lost, Kind.Link, ends, 1));
            }
        }
        linksOfNode.forEach((id, count) -> changes.add(
                new Change(lost, switchIds.contains(id) ? Kind.Switch : Kind.Device, List.of(end(id, 0)), count)));
    }

    private End end(String id, int port) {
        return new End(id, nameById.getOrDefault(id, id), port);
    }

    /** The switch stands before the device. */
    private List<End> ends(List<PortPeer> link) {
        End one = end(link.getFirst().id(), link.getFirst().port());
        End other = end(link.getLast().id(), link.getLast().port());
        boolean turn = !switchIds.contains(one.id()) && switchIds.contains(other.id())
                || switchIds.contains(one.id()) == switchIds.contains(other.id())
                        && NaturalOrder.INSTANCE.compare(one.name(), other.name()) > 0;
        return turn ? List.of(other, one) : List.of(one, other);
    }

    /** What was lost, then what was gained: switches, devices, and links of nodes that stayed, in natural order. */
    public List<Change> changes() {
        return List.copyOf(changes);
    }

    public static CablingDiff between(Cabling old, Cabling current) {
        return new CablingDiff(old, current);
    }

    public List<String> nodesLost() {
        return nodesLost;
    }

    public List<String> nodesGained() {
        return nodesGained;
    }

    public List<String> linksLost() {
        return linksLost;
    }

    public List<String> linksGained() {
        return linksGained;
    }

    private static SortedSet<String> nodes(Cabling cabling) {
        SortedSet<String> ids = new TreeSet<>();
        cabling.switches().forEach(s -> ids.add(s.id()));
        cabling.adapters().forEach(a -> ids.add(a.id()));
        return ids;
    }

    /** Both ends of each link by its text. */
    private static SortedMap<String, List<PortPeer>> links(Cabling cabling) {
        SortedMap<String, List<PortPeer>> links = new TreeMap<>();
        for (Switch node : cabling.switches()) {
            for (SwitchPort port : node.ports()) {
                addLink(links, new PortPeer(node.id(), port.number()), port.peer());
            }
        }
        for (Adapter node : cabling.adapters()) {
            for (AdapterPort port : node.ports()) {
                addLink(links, new PortPeer(node.id(), port.number()), port.peer());
            }
        }
        return links;
    }

    private static void addLink(SortedMap<String, List<PortPeer>> links, PortPeer here, @Nullable PortPeer there) {
        if (there == null) {
            return;
        }
        boolean hereFirst = here.id().equals(there.id())
                ? here.port() <= there.port()
                : here.id().compareTo(there.id()) < 0;
        PortPeer one = hereFirst ? here : there;
        PortPeer other = hereFirst ? there : here;
        links.put(one.id() + "[" + one.port() + "]<->" + other.id() + "[" + other.port() + "]", List.of(one, other));
    }

    private static List<String> without(SortedSet<String> all, SortedSet<String> removed) {
        List<String> rest = new ArrayList<>();
        for (String one : all) {
            if (!removed.contains(one)) {
                rest.add(one);
            }
        }
        return List.copyOf(rest);
    }
}
