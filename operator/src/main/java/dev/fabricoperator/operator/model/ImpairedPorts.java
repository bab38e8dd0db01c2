/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import static dev.fabricoperator.operator.model.Messages.some;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.fabric.model.DevicePosition;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.fabric.traffic.LinkFault;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.model.condition.Reason;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Devices of one Fabric whose links are about to fail, as their hosts see it. */
public final class ImpairedPorts {
    /** More are counted only: where the cooling of a room fails, its findings must leave room for others. */
    private static final int MOST_FINDINGS = 16;

    private final FabricState state;
    /** By slot. */
    private final SortedMap<Integer, DeviceFacts> impaired = new TreeMap<>();

    ImpairedPorts(FabricState state) {
        this.state = state;
        state.members().forEach((slot, device) -> {
            if (!device.impairments().isEmpty()) {
                impaired.put(slot, device);
            }
        });
    }

    /** How many devices of a Fabric are impaired. O(devices). */
    public static long count(FabricState state) {
        return state.members().values().stream()
                .filter(device -> !device.impairments().isEmpty())
                .count();
    }

    /** Why, in one word, by all signs together. */
    public static Reason reason(List<Impairment> signs) {
        return signs.stream().allMatch(sign -> sign.kind() == LinkFault.Temperature)
                ? Reason.TooHot
                : Reason.LinkErrors;
    }

    /** {@code null} where there is none, and has not been any. */
    @Nullable
    ConditionDraft condition() {
        if (impaired.isEmpty()) {
            boolean said = state.facts().status() != null
                    && Conditions.find(state.facts().status().conditions(), ConditionType.Impaired) != null;
            return said
                    ? new ConditionDraft(
                            ConditionType.Impaired,
                            ConditionStatus.False,
                            Reason.LinksWell,
                            "no host sees a link that is about to fail")
                    : null;
        }
        List<DeviceFacts> devices = List.copyOf(impaired.values());
        return new ConditionDraft(
                ConditionType.Impaired,
                ConditionStatus.True,
                reason(devices.stream()
                        .flatMap(device -> device.impairments().stream())
                        .toList()),
                Messages.count(devices.size(), "device has a link", "devices have links")
                        + " that may be about to fail: "
                        + some(devices.stream().map(DeviceFacts::name).toList()) + "; the first: "
                        + devices.getFirst().impairments().getFirst().words());
    }

    List<FindingStatus> findings() {
        return impaired.entrySet().stream()
                .limit(MOST_FINDINGS)
                .map(each -> finding(each.getKey(), each.getValue()))
                .toList();
    }

    private FindingStatus finding(int slot, DeviceFacts device) {
        DevicePosition place = state.model().device(slot);
        String id = place == null ? null : place.switchId();
        Integer port = place == null ? null : place.switchPort();
        String evidence = device.impairments().getFirst().evidence();
        FindingStatus finding = FindingStatus.of(
                Reason.ImpairedLink.name(), device.name(), "by its host " + evidence + farEnd(id, port));
        return id == null || port == null
                ? finding
                : finding.at(List.of(id), List.of(nameOf(id)), List.of(port), device.hostname());
    }

    /** The other side of the cable. No source tells yet what a switch counts, so that the host's side stands alone. */
    private String farEnd(@Nullable String id, @Nullable Integer port) {
        return id == null || port == null
                ? "; no source knows its cable"
                : "; the other end is " + nameOf(id) + " port " + port + ", and the switch's side is not known";
    }

    private String nameOf(String id) {
        Topology topology = state.model().topology();
        int at = topology.switchIndex(id);
        return at < 0 ? id : topology.switchName(at);
    }
}
