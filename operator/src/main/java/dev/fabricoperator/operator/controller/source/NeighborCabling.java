/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import dev.fabricoperator.crds.FabricSwitchSpec;
import dev.fabricoperator.crds.NeighborRef;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.NodeId;
import dev.fabricoperator.fabric.cabling.NodeType;
import dev.fabricoperator.fabric.cabling.PortNumbers;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.model.NodeLimits;
import dev.fabricoperator.view.mapping.EndClaims;
import dev.fabricoperator.view.mapping.ObjectNames;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The cabling that hosts see: each switch that a device names as its neighbour, with the ports that devices are on. How
 * switches are cabled among each other no host sees.
 */
final class NeighborCabling {
    private static final String KIND = "lldp";
    /** What an object holds, see {@link FabricSwitchSpec#ports}. */
    static final int MAXIMUM_PORTS = 1024;

    private NeighborCabling() {}

    /**
     * A device on a port of a switch.
     *
     * @param port as the switch calls it
     * @param stood the port's number where the device had it before, {@code null} where it had not
     */
    private record OnPort(
            DeviceFacts device, String port, @Nullable Integer stood) {}

    /** A port on which a device was. */
    private record Former(String switchId, int number) {}

    /**
     * Of all devices whose neighbour is known, or was: a neighbour that is silent (lldpd starts again, the link is down) is
     * unknown, and its cable has not gone. It is gone when the device is, or names another neighbour.
     *
     * <p>A port that several devices name is that of the one that had it, else of the one that was published first: an agent can say
     * what it likes of its own node's devices, and takes no other node's cable by it. Nor does it change another's number, or keep
     * the source from being written.
     *
     * @param source the name of the source that it is
     * @param last what this source said of each switch before
     */
    static Cabling of(String source, List<DeviceFacts> devices, Collection<Switch> last) {
        Map<PortPeer, Former> before = new HashMap<>();
        Map<String, String> idOfObject = new HashMap<>();
        for (Switch fabricSwitch : last) {
            idOfObject.put(ObjectNames.fabricSwitch(source, fabricSwitch.id()), fabricSwitch.id());
            for (SwitchPort port : fabricSwitch.ports()) {
                if (port.peer() != null) {
                    before.put(port.peer(), new Former(fabricSwitch.id(), port.number()));
                }
            }
        }
        EndClaims claims = new EndClaims(devices);
        NodeLimits limits = new NodeLimits(devices, device -> before.containsKey(EndClaims.end(device)));
        List<Problem> problems = new ArrayList<>();
        SortedMap<String, List<OnPort>> bySwitch = new TreeMap<>();
        List<DeviceFacts> oldestFirst = new ArrayList<>(devices);
        oldestFirst.sort(Comparator.comparing(DeviceFacts::createdAt).thenComparing(DeviceFacts::name));
        for (DeviceFacts device : oldestFirst) {
            if (!mayHaveCable(device) || limits.isBeyond(device) || !isItself(device, claims)) {
                continue;
            }
            NeighborRef reported = device.link().neighbor();
            NeighborRef usable = reported != null && isId(reported.id()) ? reported : null;
            if (usable != null) {
                // An object's name is no id: of two ids that would share one the first has it.
                String object = ObjectNames.fabricSwitch(source, usable.id());
                idOfObject.putIfAbsent(object, usable.id());
                usable = usable.id().equals(idOfObject.get(object)) ? usable : null;
            }
            if (reported != null && usable == null) {
                problems.add(new Problem(
                        null,
                        device.name() + ": spec.neighbor.id is not that of a switch, which has neither blanks nor"
                                + " capitals, and an object of its own; what was known of its cable stays"));
            }
            Former former = before.get(EndClaims.end(device));
            Integer stood =
                    former != null && saysStill(device, former.switchId(), former.number()) ? former.number() : null;
            if (usable != null) {
                // Where the switch does not say what it calls the port, the device has one of its own.
                String port = Objects.requireNonNullElse(usable.port(), "?" + device.name());
                bySwitch.computeIfAbsent(usable.id(), id -> new ArrayList<>()).add(new OnPort(device, port, stood));
            } else if (former != null) {
                bySwitch.computeIfAbsent(former.switchId(), id -> new ArrayList<>())
                        .add(new OnPort(device, Integer.toString(former.number()), former.number()));
            }
        }
        List<Switch> switches = new ArrayList<>();
        bySwitch.forEach((id, on) -> switches.add(fabricSwitch(id, on, problems)));
        return new Cabling(KIND, switches, List.of(), 0, problems);
    }

    /**
     * Whether a device that was on a port says so now, or says nothing usable: by its own word it is not elsewhere.
     *
     * @param number the port's number, made of the name that it had then
     */
    static boolean saysStill(DeviceFacts device, String switchId, int number) {
        NeighborRef reported = device.link().neighbor();
        if (!mayHaveCable(device)) {
            return false;
        }
        if (reported == null || !isId(reported.id())) {
            return true;
        }
        return reported.id().equals(switchId)
                && (reported.port() == null || PortNumbers.mayBe(reported.port(), number));
    }

    /** A virtual function, and software, share the cable of a physical function, which says so itself. */
    private static boolean mayHaveCable(DeviceFacts device) {
        return device.function() != Function.Virtual && device.function() != Function.Software;
    }

    /** Whether an object takes it, see {@link FabricSwitchSpec#id}: of a neighbour's id the API server bounds the length only. */
    private static boolean isId(String id) {
        return NodeId.isUsable(id) && id.chars().noneMatch(c -> c >= 'A' && c <= 'Z');
    }

    /** Whether no device of another node has a better claim to the identity by which the cable would be told. */
    private static boolean isItself(DeviceFacts device, EndClaims claims) {
        return claims.holds(device) || claims.rivals(device).isEmpty();
    }

    private static Switch fabricSwitch(String id, List<OnPort> cables, List<Problem> problems) {
        cables.sort(Comparator.comparing((OnPort cable) -> cable.stood() == null)
                .thenComparing(cable -> cable.device().createdAt())
                .thenComparing(cable -> cable.device().name()));
        Map<String, Integer> numbers = numbers(cables);
        Map<Integer, SwitchPort> ports = new HashMap<>();
        int beyond = 0;
        for (OnPort cable : cables) {
            DeviceFacts device = cable.device();
            Integer number = cable.stood() != null ? cable.stood() : numbers.get(cable.port());
            if (number == null) {
                beyond++;
                continue;
            }
            SwitchPort port = new SwitchPort(
                    number,
                    EndClaims.end(device),
                    device.state(),
                    device.link().speedBitsPerSecond(),
                    null,
                    null,
                    device.hostname(),
                    device.osName(),
                    NodeType.Device);
            SwitchPort held = ports.putIfAbsent(number, port);
            if (held != null) {
                problems.add(new Problem(
                        null,
                        device.name() + " names port " + cable.port() + " of " + id + " as its neighbour, which "
                                + held.peerHost() + "/" + held.peerOsName() + " had before; it counts as the other's"));
            }
        }
        if (beyond > 0) {
            problems.add(new Problem(
                    null,
                    id + ": devices name more than " + MAXIMUM_PORTS + " ports of it; " + beyond
                            + " devices that came last have no cable"));
        }
        return new Switch(
                id,
                null,
                null,
                null,
                null,
                KIND,
                ports.values().stream()
                        .sorted(Comparator.comparingInt(SwitchPort::number))
                        .toList());
    }

    /**
     * Numbers of ports by name: that of the device that stands there, and for the others what these leave.
     *
     * @param cables those that stand first
     */
    private static Map<String, Integer> numbers(List<OnPort> cables) {
        Map<String, Integer> numbers = new HashMap<>();
        Set<Integer> taken = new HashSet<>();
        Set<String> others = new HashSet<>();
        for (OnPort cable : cables) {
            if (cable.stood() != null) {
                taken.add(cable.stood());
                numbers.putIfAbsent(cable.port(), cable.stood());
            } else if (!numbers.containsKey(cable.port()) && taken.size() + others.size() < MAXIMUM_PORTS) {
                others.add(cable.port());
            }
        }
        numbers.putAll(PortNumbers.of(others, taken));
        return numbers;
    }
}
