/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import static dev.fabricoperator.operator.model.Messages.some;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.model.DevicePosition;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.fabric.traffic.LinkFault;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.model.condition.Reason;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Devices and ports of switches of one Fabric whose links are about to fail, as their hosts and sources see it: the two ends of a cable beside one another. */
public final class ImpairedPorts {
    /** More are counted only: where the cooling of a room fails, its findings must leave room for others. */
    private static final int MOST_FINDINGS = 16;

    private final FabricState state;
    /** By slot. */
    private final SortedMap<Integer, DeviceFacts> impaired = new TreeMap<>();

    private final Map<PortPeer, ImpairedPort> ports = new LinkedHashMap<>();

    ImpairedPorts(FabricState state) {
        this.state = state;
        state.members().forEach((slot, device) -> {
            if (!device.impairments().isEmpty()) {
                impaired.put(slot, device);
            }
        });
        state.impairedPorts().forEach(port -> ports.put(new PortPeer(port.switchId(), port.port()), port));
    }

    /** How many devices and ports of switches of a Fabric are impaired. O(devices). */
    public static long count(FabricState state) {
        return state.members().values().stream()
                        .filter(device -> !device.impairments().isEmpty())
                        .count()
                + state.impairedPorts().size();
    }

    /** Why, in one word, by all signs together. */
    public static Reason reason(List<Impairment> signs) {
        return signs.stream().allMatch(sign -> sign.kind() == LinkFault.Temperature)
                ? Reason.TooHot
                : Reason.LinkErrors;
    }

    static ConditionDraft well(String message) {
        return new ConditionDraft(ConditionType.Impaired, ConditionStatus.False, Reason.LinksWell, message);
    }

    /** {@code null} where there is none, and has not been any. */
    @Nullable
    ConditionDraft condition() {
        if (impaired.isEmpty() && ports.isEmpty()) {
            boolean said = state.facts().status() != null
                    && Conditions.find(state.facts().status().conditions(), ConditionType.Impaired) != null;
            return said ? well("no host and no switch sees a link that is about to fail") : null;
        }
        List<String> names = new ArrayList<>();
        List<Impairment> signs = new ArrayList<>();
        impaired.values().forEach(device -> {
            names.add(device.name());
            signs.addAll(device.impairments());
        });
        ports.values().forEach(port -> {
            names.add(name(port));
            signs.addAll(port.signs());
        });
        String devices = impaired.isEmpty() ? "" : Messages.count(impaired.size(), "device", "devices");
        String ends = ports.isEmpty() ? "" : Messages.count(ports.size(), "port of a switch", "ports of switches");
        return new ConditionDraft(
                ConditionType.Impaired,
                ConditionStatus.True,
                reason(signs),
                devices + (devices.isEmpty() || ends.isEmpty() ? "" : " and ") + ends
                        + (names.size() == 1 ? " has a link" : " have links") + " that may be about to fail: "
                        + some(names) + "; the first: " + signs.getFirst().words());
    }

    /** Of one switch; {@code null} where none of its ports is impaired. */
    @Nullable
    ConditionDraft condition(String switchId) {
        List<ImpairedPort> own = state.impairedPorts().stream()
                .filter(port -> port.switchId().equals(switchId))
                .toList();
        if (own.isEmpty()) {
            return null;
        }
        ImpairedPort first = own.getFirst();
        return new ConditionDraft(
                ConditionType.Impaired,
                ConditionStatus.True,
                reason(own.stream().flatMap(port -> port.signs().stream()).toList()),
                "port " + first.port() + ": " + first.signs().getFirst().evidence() + farEnd(first)
                        + (own.size() == 1
                                ? ""
                                : " (and " + (own.size() - 1) + " more, see spec.ports[].impairments)"));
    }

    List<FindingStatus> findings() {
        List<FindingStatus> findings = new ArrayList<>();
        Set<PortPeer> told = new HashSet<>();
        impaired.forEach((slot, device) -> {
            DevicePosition place = state.model().device(slot);
            if (place != null && place.switchId() != null && place.switchPort() != null) {
                told.add(new PortPeer(place.switchId(), place.switchPort()));
            }
            findings.add(finding(device, place));
        });
        for (ImpairedPort port : ports.values()) {
            if (told.add(new PortPeer(port.switchId(), port.port()))) {
                PortPeer peer = peer(port);
                if (peer != null && ports.containsKey(peer)) {
                    told.add(peer);
                }
                findings.add(FindingStatus.of(
                                Reason.ImpairedLink.name(),
                                port.switchId(),
                                "by its port " + port.port() + " "
                                        + port.signs().getFirst().evidence() + farEnd(port))
                        .at(List.of(port.switchId()), List.of(nameOf(port.switchId())), List.of(port.port()), ""));
            }
        }
        return findings.stream().limit(MOST_FINDINGS).toList();
    }

    private FindingStatus finding(DeviceFacts device, @Nullable DevicePosition place) {
        String id = place == null ? null : place.switchId();
        Integer port = place == null ? null : place.switchPort();
        String evidence = device.impairments().getFirst().evidence();
        FindingStatus finding = FindingStatus.of(
                Reason.ImpairedLink.name(), device.name(), "by its host " + evidence + farEnd(id, port));
        return id == null || port == null
                ? finding
                : finding.at(List.of(id), List.of(nameOf(id)), List.of(port), device.hostname());
    }

    /** What is said at the other side of a device's cable. */
    private String farEnd(@Nullable String id, @Nullable Integer port) {
        if (id == null || port == null) {
            return "; no source knows its cable";
        }
        return "; the other end is " + nameOf(id) + " port " + port + said(ports.get(new PortPeer(id, port)));
    }

    /** What is said at the other side of a switch's cable. */
    private String farEnd(ImpairedPort port) {
        PortPeer peer = peer(port);
        if (peer == null) {
            return "; nobody knows the other end";
        }
        if (state.model().topology().switchIndex(peer.id()) >= 0) {
            return "; the other end is " + nameOf(peer.id()) + " port " + peer.port() + said(ports.get(peer));
        }
        DeviceFacts device = state.members().values().stream()
                .filter(each -> each.endId().equals(peer.id()) && (each.port() == 0 || each.port() == peer.port()))
                .findFirst()
                .orElse(null);
        return device == null
                ? "; the other end is port " + peer.port() + " of " + peer.id() + ", which is no device of this Fabric"
                : "; the other end is " + device.osName() + " of " + device.hostname()
                        + (device.impairments().isEmpty()
                                ? ", whose host sees no sign of it"
                                : ", whose host sees "
                                        + device.impairments().getFirst().words());
    }

    private static String said(@Nullable ImpairedPort port) {
        return port == null
                ? ", where no source sees a sign of it"
                : ", which counts " + port.signs().getFirst().words();
    }

    private @Nullable PortPeer peer(ImpairedPort port) {
        return state.switches().stream()
                .filter(each -> each.id().equals(port.switchId()))
                .flatMap(each -> each.ports().stream())
                .filter(each -> each.number() == port.port())
                .map(SwitchPort::peer)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private String name(ImpairedPort port) {
        return nameOf(port.switchId()) + " port " + port.port();
    }

    private String nameOf(String id) {
        Topology topology = state.model().topology();
        int at = topology.switchIndex(id);
        return at < 0 ? id : topology.switchName(at);
    }
}
