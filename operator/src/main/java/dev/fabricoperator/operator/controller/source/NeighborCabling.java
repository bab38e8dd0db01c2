/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import dev.fabricoperator.crds.NeighborRef;
import dev.fabricoperator.crds.mapping.EndClaims;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.NodeType;
import dev.fabricoperator.fabric.cabling.PortNumbers;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The cabling that hosts see: each switch that a device names as its neighbour, with the ports that devices are on. How
 * switches are cabled among each other no host sees.
 */
final class NeighborCabling {
    private static final String KIND = "lldp";

    private NeighborCabling() {}

    /** A device on a port of a switch, as the switch calls it. */
    private record OnPort(DeviceFacts device, String port) {}

    /**
     * Of all devices whose neighbour is known, or was: a neighbour that is silent (lldpd starts again, the link is down) is
     * unknown, and its cable has not gone. It is gone when the device is, or names another neighbour.
     *
     * <p>A port that several devices name is that of the one that had it, else of the one that was published first: an agent can say
     * what it likes of its own node's devices, and takes no other node's cable by it.
     *
     * @param last what this source said of each switch before
     */
    static Cabling of(Collection<DeviceFacts> devices, Collection<Switch> last) {
        Map<PortPeer, NeighborRef> before = new HashMap<>();
        for (Switch fabricSwitch : last) {
            for (SwitchPort port : fabricSwitch.ports()) {
                if (port.peer() != null) {
                    before.put(port.peer(), new NeighborRef(fabricSwitch.id(), Integer.toString(port.number()), KIND));
                }
            }
        }
        EndClaims claims = new EndClaims(devices);
        SortedMap<String, List<OnPort>> bySwitch = new TreeMap<>();
        for (DeviceFacts device : devices) {
            NeighborRef reported = device.link().neighbor();
            NeighborRef neighbor = reported != null ? reported : before.get(end(device));
            // A virtual function, and software, share the cable of a physical function, which says so itself.
            if (neighbor != null
                    && device.function() != Function.Virtual
                    && device.function() != Function.Software
                    && isItself(device, claims)) {
                // Where the switch does not say what it calls the port, the device has one of its own.
                String port = Objects.requireNonNullElse(neighbor.port(), "?" + device.name());
                bySwitch.computeIfAbsent(neighbor.id(), id -> new ArrayList<>()).add(new OnPort(device, port));
            }
        }
        List<Switch> switches = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        bySwitch.forEach((id, on) -> switches.add(fabricSwitch(id, on, before, problems)));
        return new Cabling(KIND, switches, List.of(), 0, problems);
    }

    /** Whether no device of another node has a better claim to the identity by which the cable would be told. */
    private static boolean isItself(DeviceFacts device, EndClaims claims) {
        return claims.holds(device) || claims.rivals(device).isEmpty();
    }

    private static PortPeer end(DeviceFacts device) {
        return EndClaims.end(device);
    }

    private static Switch fabricSwitch(
            String id, List<OnPort> cables, Map<PortPeer, NeighborRef> before, List<Problem> problems) {
        cables.sort(Comparator.comparing(cable -> cable.device().name()));
        Map<String, Integer> numbers =
                PortNumbers.of(cables.stream().map(OnPort::port).toList());
        // A sort that is stable: of devices of one age the one with the lower name.
        cables.sort(Comparator.comparing((OnPort cable) -> {
                    NeighborRef stood = before.get(end(cable.device()));
                    return stood == null
                            || !stood.id().equals(id)
                            || !String.valueOf(numbers.get(cable.port())).equals(stood.port());
                })
                .thenComparing(cable -> cable.device().createdAt()));
        Map<Integer, SwitchPort> ports = new HashMap<>();
        for (OnPort cable : cables) {
            DeviceFacts device = cable.device();
            int number = Objects.requireNonNull(numbers.get(cable.port()));
            SwitchPort port = new SwitchPort(
                    number,
                    end(device),
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
}
