/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.ReadFailure;
import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.operator.cluster.AgentFleet;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.model.condition.Reason;
import dev.fabricoperator.view.mapping.EndClaims;
import dev.fabricoperator.view.mapping.FabricMember;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Conditions of a FabricDevice.
 *
 * <p>A condition appears when there is first something to say, and stays with its good status when it is over. A healthy device
 * has none: there are 80,000 of them.
 */
final class DeviceConditions {
    private final AgentFleet fleet;
    private final EndClaims claims;
    private final Map<String, Membership.LeftOut> leftOut;

    /** @param leftOut by device, why it is in no Fabric */
    DeviceConditions(AgentFleet fleet, EndClaims claims, Map<String, Membership.LeftOut> leftOut) {
        this.fleet = fleet;
        this.claims = claims;
        this.leftOut = leftOut;
    }

    List<Condition> conditions(DeviceFacts device, List<Condition> existing, Conditions factory) {
        if (existing.isEmpty()
                && device.readErrors().isEmpty()
                && device.impairments().isEmpty()
                && claims.rivals(device).isEmpty()
                && !leftOut.containsKey(device.name())
                && fleet.watch(device.nodeName()) == AgentFleet.Watch.Current) {
            return List.of();
        }
        List<ConditionDraft> drafts = new ArrayList<>();
        for (ConditionDraft draft : List.of(
                hostReadable(device), identityUnique(device), counted(device), stateKnown(device), impaired(device))) {
            if (draft.status() != Condition.good(draft.type().name())
                    || Conditions.find(existing, draft.type()) != null) {
                drafts.add(draft);
            }
        }
        return drafts.isEmpty() ? List.of() : factory.of(drafts, existing, null);
    }

    private static ConditionDraft hostReadable(DeviceFacts device) {
        List<ReadFailure> errors = device.readErrors();
        if (errors.isEmpty()) {
            return new ConditionDraft(
                    ConditionType.HostReadable, ConditionStatus.True, Reason.NoReadErrors, "everything could be read");
        }
        ReadFailure first = errors.getFirst();
        String more = errors.size() == 1 ? "" : " (and " + (errors.size() - 1) + " more, see spec.readErrors)";
        return new ConditionDraft(
                ConditionType.HostReadable,
                ConditionStatus.False,
                Reason.ReadErrors,
                first.file() + ": " + first.reason() + more + "; the last good values stay");
    }

    private static ConditionDraft impaired(DeviceFacts device) {
        List<Impairment> signs = device.impairments();
        if (signs.isEmpty()) {
            return new ConditionDraft(
                    ConditionType.Impaired,
                    ConditionStatus.False,
                    Reason.LinksWell,
                    "its counters and temperatures are within their limits");
        }
        String more = signs.size() == 1 ? "" : " (and " + (signs.size() - 1) + " more, see spec.impairments)";
        return new ConditionDraft(
                ConditionType.Impaired,
                ConditionStatus.True,
                ImpairedPorts.reason(signs),
                signs.getFirst().evidence() + more);
    }

    private ConditionDraft identityUnique(DeviceFacts device) {
        List<FabricMember> rivals = claims.rivals(device);
        if (rivals.isEmpty()) {
            return new ConditionDraft(
                    ConditionType.IdentityUnique, ConditionStatus.True, Reason.ClaimedOnce, "no other node claims it");
        }
        return new ConditionDraft(
                ConditionType.IdentityUnique,
                ConditionStatus.False,
                Reason.GuidClaimedTwice,
                "node GUID " + device.endId() + " port " + device.port() + " is also claimed by "
                        + Messages.some(rivals.stream().map(FabricMember::name).toList())
                        + (claims.holds(device)
                                ? "; the cable counts as this one's, which had it before"
                                : "; the cable counts as the other's, which had it before; this one keeps its index"));
    }

    private ConditionDraft counted(DeviceFacts device) {
        Membership.LeftOut why = leftOut.get(device.name());
        return switch (why) {
            case null ->
                new ConditionDraft(
                        ConditionType.Counted,
                        ConditionStatus.True,
                        Reason.WithinLimits,
                        "within the limits of its node");
            case DeviceOfNode ->
                new ConditionDraft(
                        ConditionType.Counted,
                        ConditionStatus.False,
                        Reason.TooManyDevices,
                        "node " + device.nodeName() + " publishes more than " + NodeLimits.DEVICES
                                + " devices, and those that came last are in no Fabric: see what its agent reads, and"
                                + " who has its token");
            case FabricOfNode ->
                new ConditionDraft(
                        ConditionType.Counted,
                        ConditionStatus.False,
                        Reason.TooManyFabrics,
                        "node " + device.nodeName() + " alone has " + NodeLimits.FABRICS_OF_NODE
                                + " Fabrics that were made for its devices, and no more are: create a Fabric that"
                                + " selects this one where it should have one");
            case Fabric ->
                new ConditionDraft(
                        ConditionType.Counted,
                        ConditionStatus.False,
                        Reason.TooManyFabrics,
                        "no more Fabrics are made without a person: there may be " + NodeLimits.FABRICS + ", "
                                + NodeLimits.SHARED_FABRICS
                                + " of them for devices of several nodes only; create one that selects"
                                + " this device of node " + device.nodeName()
                                + ", or give a source that knows its cable");
        };
    }

    private ConditionDraft stateKnown(DeviceFacts device) {
        return switch (fleet.watch(device.nodeName())) {
            case Current ->
                new ConditionDraft(
                        ConditionType.StateKnown,
                        ConditionStatus.True,
                        Reason.AgentReady,
                        "the agent on " + device.nodeName() + " is Ready");
            case NodeNotReady ->
                new ConditionDraft(
                        ConditionType.StateKnown,
                        ConditionStatus.Unknown,
                        Reason.NodeNotReady,
                        "node " + device.nodeName() + " is not Ready; spec is what was seen last");
            case AgentNotReady ->
                new ConditionDraft(
                        ConditionType.StateKnown,
                        ConditionStatus.Unknown,
                        Reason.AgentNotReady,
                        "no Ready agent on node " + device.nodeName() + "; spec is what was seen last");
        };
    }
}
