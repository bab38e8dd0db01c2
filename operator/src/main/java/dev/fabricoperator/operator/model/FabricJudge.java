/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import static dev.fabricoperator.operator.model.Words.count;
import static dev.fabricoperator.operator.model.Words.some;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.crds.TopologySource;
import dev.fabricoperator.crds.mapping.Drains;
import dev.fabricoperator.crds.mapping.EndClaims;
import dev.fabricoperator.crds.mapping.FabricMember;
import dev.fabricoperator.crds.mapping.SwitchMerge;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.finding.Finding;
import dev.fabricoperator.fabric.finding.FindingType;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.operator.condition.ConditionType;
import dev.fabricoperator.operator.condition.Judgement;
import dev.fabricoperator.operator.condition.Reason;
import dev.fabricoperator.operator.inventory.AgentFleet;
import dev.fabricoperator.operator.inventory.DeviceFacts;
import dev.fabricoperator.operator.inventory.FabricFacts;
import dev.fabricoperator.operator.inventory.Inventory;
import dev.fabricoperator.operator.inventory.SwitchFacts;
import dev.fabricoperator.operator.source.SourceNames;
import dev.fabricoperator.operator.source.SourceProblem;
import dev.fabricoperator.operator.source.SourceState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What is to be said of one Fabric. */
final class FabricJudge {
    private static final int MAXIMUM_FINDINGS = 64;
    private static final int MAXIMUM_MESSAGE = 512;
    private static final int MAXIMUM_CONTRADICTIONS = 3;

    private final FabricState state;
    private final Inventory inventory;
    private final SwitchMerge<SwitchFacts> map;
    private final EndClaims claims;
    private final Drains drains;
    private final Flaps flaps;

    FabricJudge(
            FabricState state,
            Inventory inventory,
            SwitchMerge<SwitchFacts> map,
            EndClaims claims,
            Drains drains,
            Flaps flaps) {
        this.state = state;
        this.inventory = inventory;
        this.map = map;
        this.claims = claims;
        this.drains = drains;
        this.flaps = flaps;
    }

    Findings judge() {
        List<Judgement> judgements = new ArrayList<>();
        judgements.add(inventoryComplete());
        judgements.add(devicesCurrent());
        judgements.add(topologyKnown());
        if (state.sources().size() > 1) {
            judgements.add(sourcesAgree());
        }
        if (!isFlat()) {
            judgements.add(connected());
        }
        List<FindingStatus> found = findings();
        return new Findings(
                judgements,
                List.copyOf(found.subList(0, Math.min(found.size(), MAXIMUM_FINDINGS))),
                found.size(),
                SourceReport.of(state.facts(), dependsOn()));
    }

    private boolean isFlat() {
        return state.model().kind() == FabricKind.Flat;
    }

    private Judgement inventoryComplete() {
        AgentFleet fleet = inventory.fleet();
        Integer expected = fleet.expected();
        if (expected == null) {
            return new Judgement(
                    ConditionType.InventoryComplete,
                    ConditionStatus.Unknown,
                    Reason.NoDaemonSet,
                    "no DaemonSet of agents says on how many nodes they should run; "
                            + count(fleet.ready(), "agent is", "agents are") + " Ready");
        }
        if (fleet.ready() >= expected && expected > 0) {
            return new Judgement(
                    ConditionType.InventoryComplete,
                    ConditionStatus.True,
                    Reason.AllAgentsReady,
                    expected == 1 ? "the only agent is Ready" : "all " + expected + " agents are Ready");
        }
        List<String> waiting = fleet.notReady();
        return new Judgement(
                ConditionType.InventoryComplete,
                ConditionStatus.False,
                Reason.AgentsNotReady,
                fleet.ready() + " of " + expected + " agents are Ready"
                        + (waiting.isEmpty() ? "" : "; waiting for those on " + some(waiting)));
    }

    private Judgement devicesCurrent() {
        TreeSet<String> deadNodes = new TreeSet<>();
        TreeSet<String> deadAgents = new TreeSet<>();
        int unknown = 0;
        for (DeviceFacts device : state.members().values()) {
            switch (inventory.fleet().watch(device.nodeName())) {
                case Current -> {}
                case NodeNotReady -> {
                    deadNodes.add(device.nodeName());
                    unknown++;
                }
                case AgentNotReady -> {
                    deadAgents.add(device.nodeName());
                    unknown++;
                }
            }
        }
        int all = state.members().size();
        if (unknown == 0) {
            return new Judgement(
                    ConditionType.DevicesCurrent,
                    ConditionStatus.True,
                    Reason.AllCurrent,
                    count(all, "device is", "devices are") + " current");
        }
        List<String> why = new ArrayList<>();
        if (!deadNodes.isEmpty()) {
            why.add(count(deadNodes.size(), "node is", "nodes are") + " not Ready (" + some(List.copyOf(deadNodes))
                    + ")");
        }
        if (!deadAgents.isEmpty()) {
            why.add("no Ready agent on " + count(deadAgents.size(), "node", "nodes") + " ("
                    + some(List.copyOf(deadAgents)) + ")");
        }
        return new Judgement(
                ConditionType.DevicesCurrent,
                ConditionStatus.False,
                deadNodes.isEmpty() ? Reason.AgentsNotReady : Reason.NodesNotReady,
                unknown + " of " + count(all, "device counts", "devices count") + " as Unknown: "
                        + String.join("; ", why));
    }

    private Judgement topologyKnown() {
        SourceProblem problem = firstProblem();
        if (isFlat()) {
            return problem == null
                    ? new Judgement(
                            ConditionType.TopologyKnown,
                            ConditionStatus.False,
                            Reason.NoSource,
                            "no topology source names the switches of "
                                    + count(state.members().size(), "device", "devices")
                                    + ", so every pair costs the same; give the output of ibnetdiscover with"
                                    + " \"kubectl fabric upload FILE\", or name a ConfigMap or file in spec.sources")
                    : new Judgement(
                            ConditionType.TopologyKnown,
                            ConditionStatus.False,
                            SourceReport.reason(problem),
                            problem.message());
        }
        if (problem != null) {
            return new Judgement(
                    ConditionType.TopologyKnown,
                    problem.kind() == SourceProblem.Kind.InProgress ? ConditionStatus.True : ConditionStatus.Unknown,
                    SourceReport.reason(problem),
                    problem.message() + "; the last good state stays");
        }
        FabricModel model = state.model();
        List<String> sources = state.sources().stream()
                .map(s -> s.isEmpty() ? "FabricSwitch objects" : s)
                .toList();
        return new Judgement(
                ConditionType.TopologyKnown,
                ConditionStatus.True,
                Reason.SourceRead,
                count(model.switches(), "switch", "switches") + " and " + count(model.links(), "link", "links")
                        + " from "
                        + some(sources)
                        + (state.uncabled() == 0
                                ? ""
                                : "; " + count(state.uncabled(), "device is", "devices are") + " not in it"));
    }

    /** Of the sources that this Fabric depends on. */
    private @Nullable SourceProblem firstProblem() {
        return dependsOn().stream()
                .map(SourceState::problem)
                .filter(Objects::nonNull)
                .min(Comparator.comparing((SourceProblem p) -> -p.kind().ordinal())
                        .thenComparing(SourceProblem::message))
                .orElse(null);
    }

    /** Sources that wrote its switches, that its spec names, or that nobody names and that might be meant for it. */
    private List<SourceState> dependsOn() {
        Set<String> own = new HashSet<>(state.sources());
        state.facts().spec().sources().stream().map(SourceNames::of).forEach(own::add);
        Set<String> named = new HashSet<>();
        for (FabricFacts fabric : inventory.fabrics()) {
            for (TopologySource source : fabric.spec().sources()) {
                named.add(SourceNames.of(source));
            }
        }
        return inventory.sources().stream()
                .filter(s -> own.contains(s.name())
                        || (s.problem() != null && !named.contains(s.name()) && speaksOfInfiniBand()))
                .toList();
    }

    private boolean speaksOfInfiniBand() {
        return state.members().values().stream()
                .anyMatch(d -> d.family() == Family.InfiniBand || d.family() == Family.OmniPath);
    }

    private Judgement sourcesAgree() {
        List<String> contradictions = contradictions();
        if (contradictions.isEmpty()) {
            return new Judgement(
                    ConditionType.SourcesAgree,
                    ConditionStatus.True,
                    Reason.NoContradiction,
                    count(state.sources().size(), "source", "sources") + " agree about every cable");
        }
        int shown = Math.min(contradictions.size(), MAXIMUM_CONTRADICTIONS);
        return new Judgement(
                ConditionType.SourcesAgree,
                ConditionStatus.False,
                Reason.SourcesContradict,
                count(contradictions.size(), "contradiction: ", "contradictions: ")
                        + String.join("; ", contradictions.subList(0, shown))
                        + (shown == contradictions.size() ? "" : "; and " + (contradictions.size() - shown) + " more"));
    }

    private List<String> contradictions() {
        return map.contradictions().stream()
                .filter(c -> state.model().switchPlace(c.switchId()) != null)
                .map(SwitchMerge.Contradiction::text)
                .toList();
    }

    private Judgement connected() {
        int partitions = state.model().partitions();
        return partitions <= 1
                ? new Judgement(
                        ConditionType.Connected,
                        ConditionStatus.True,
                        Reason.AllConnected,
                        "every cabled device can reach every other")
                : new Judgement(
                        ConditionType.Connected,
                        ConditionStatus.False,
                        Reason.Partitioned,
                        partitions + " parts that hold devices cannot reach each other");
    }

    private List<FindingStatus> findings() {
        List<FindingStatus> findings = new ArrayList<>();
        for (DeviceFacts device : state.members().values()) {
            if (!claims.rivals(device).isEmpty()) {
                findings.add(finding(
                        Reason.GuidClaimedTwice.name(),
                        device.name(),
                        "node GUID " + device.endId() + " is also claimed by "
                                + some(claims.rivals(device).stream()
                                        .map(FabricMember::name)
                                        .toList())));
            }
        }
        List<String> unreadable = state.members().values().stream()
                .filter(d -> !d.readErrors().isEmpty())
                .map(DeviceFacts::name)
                .toList();
        if (!unreadable.isEmpty()) {
            findings.add(finding(
                    Reason.ReadErrors.name(),
                    unreadable.getFirst(),
                    count(unreadable.size(), "device has", "devices have") + " files that could not be read: "
                            + some(unreadable)));
        }
        inventory.sources().stream()
                .filter(source -> state.sources().contains(source.name()))
                .forEach(source ->
                        source.oddities().forEach(text -> findings.add(finding("SourceOddity", source.name(), text))));
        map.contradictions().stream()
                .filter(c -> state.model().switchPlace(c.switchId()) != null)
                .forEach(c -> findings.add(finding("SourcesContradict", c.switchId(), c.text())));
        flapping(findings);
        drains.mistakes().forEach((id, text) -> {
            if (state.model().switchPlace(id) != null) {
                findings.add(finding(
                        Reason.DrainNotUnderstood.name(),
                        id,
                        "the annotation " + FabricApi.ANNOTATION_DRAIN + " of switch " + id + " is neither \"all\" nor"
                                + " numbers of ports with commas between them, and drains nothing: \"" + text + "\""));
            }
        });
        for (Finding found : state.model().findings()) {
            findings.add(finding(found.type().name(), found.object(), found.message()));
        }
        return findings;
    }

    private void flapping(List<FindingStatus> findings) {
        for (Flaps.Link link : flaps.links()) {
            if (state.model().switchPlace(link.one().id()) != null
                    || state.model().switchPlace(link.other().id()) != null) {
                findings.add(finding(
                        FindingType.FlappingLink.name(),
                        link.one().id() + " port " + link.one().port(),
                        "the link " + link + " goes up and down; it counts as down until it stays as it is"));
            }
        }
        for (String device : flaps.devices()) {
            if (memberNames().contains(device)) {
                findings.add(finding(
                        FindingType.FlappingLink.name(), device, "the port of " + device + " goes up and down"));
            }
        }
    }

    private Set<String> memberNames() {
        Set<String> names = new HashSet<>();
        state.members().values().forEach(device -> names.add(device.name()));
        return names;
    }

    private static FindingStatus finding(String type, @Nullable String object, String message) {
        return new FindingStatus(
                type, object, message.length() <= MAXIMUM_MESSAGE ? message : message.substring(0, MAXIMUM_MESSAGE));
    }
}
