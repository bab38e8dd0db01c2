/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.ReadFailure;
import dev.fabricoperator.crds.mapping.EndClaims;
import dev.fabricoperator.crds.mapping.FabricMember;
import dev.fabricoperator.operator.cluster.AgentFleet;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.model.condition.Judgement;
import dev.fabricoperator.operator.model.condition.Reason;
import java.util.ArrayList;
import java.util.List;

/**
 * Conditions of a FabricDevice.
 *
 * <p>A condition appears when there is first something to say, and stays with status True when it is over. A healthy device
 * has none: there are 80,000 of them.
 */
final class DeviceJudge {
    private final AgentFleet fleet;
    private final EndClaims claims;

    DeviceJudge(AgentFleet fleet, EndClaims claims) {
        this.fleet = fleet;
        this.claims = claims;
    }

    List<Condition> conditions(DeviceFacts device, List<Condition> existing, Conditions factory) {
        if (existing.isEmpty()
                && device.readErrors().isEmpty()
                && claims.rivals(device).isEmpty()
                && fleet.watch(device.nodeName()) == AgentFleet.Watch.Current) {
            return List.of();
        }
        List<Judgement> judgements = new ArrayList<>();
        for (Judgement judgement : List.of(hostReadable(device), identityUnique(device), stateKnown(device))) {
            if (judgement.status() != ConditionStatus.True || Conditions.find(existing, judgement.type()) != null) {
                judgements.add(judgement);
            }
        }
        return judgements.isEmpty() ? List.of() : factory.of(judgements, existing, null);
    }

    private static Judgement hostReadable(DeviceFacts device) {
        List<ReadFailure> errors = device.readErrors();
        if (errors.isEmpty()) {
            return new Judgement(
                    ConditionType.HostReadable, ConditionStatus.True, Reason.NoReadErrors, "everything could be read");
        }
        ReadFailure first = errors.getFirst();
        String more = errors.size() == 1 ? "" : " (and " + (errors.size() - 1) + " more, see spec.readErrors)";
        return new Judgement(
                ConditionType.HostReadable,
                ConditionStatus.False,
                Reason.ReadErrors,
                first.file() + ": " + first.reason() + more + "; the last good values stay");
    }

    private Judgement identityUnique(DeviceFacts device) {
        List<FabricMember> rivals = claims.rivals(device);
        if (rivals.isEmpty()) {
            return new Judgement(
                    ConditionType.IdentityUnique, ConditionStatus.True, Reason.ClaimedOnce, "no other node claims it");
        }
        return new Judgement(
                ConditionType.IdentityUnique,
                ConditionStatus.False,
                Reason.GuidClaimedTwice,
                "node GUID " + device.endId() + " port " + device.port() + " is also claimed by "
                        + Words.some(rivals.stream().map(FabricMember::name).toList())
                        + (claims.holds(device)
                                ? "; the cable counts as this one's, which had it before"
                                : "; the cable counts as the other's, which had it before; this one keeps its index"));
    }

    private Judgement stateKnown(DeviceFacts device) {
        return switch (fleet.watch(device.nodeName())) {
            case Current ->
                new Judgement(
                        ConditionType.StateKnown,
                        ConditionStatus.True,
                        Reason.AgentReady,
                        "the agent on " + device.nodeName() + " is Ready");
            case NodeNotReady ->
                new Judgement(
                        ConditionType.StateKnown,
                        ConditionStatus.Unknown,
                        Reason.NodeNotReady,
                        "node " + device.nodeName() + " is not Ready; spec is what was seen last");
            case AgentNotReady ->
                new Judgement(
                        ConditionType.StateKnown,
                        ConditionStatus.Unknown,
                        Reason.AgentNotReady,
                        "no Ready agent on node " + device.nodeName() + "; spec is what was seen last");
        };
    }
}
