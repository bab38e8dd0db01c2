/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import static dev.fabricoperator.operator.model.Messages.count;
import static dev.fabricoperator.operator.model.Messages.some;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.model.Plane;
import dev.fabricoperator.operator.cluster.AgentFleet;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Reason;
import dev.fabricoperator.view.mapping.Drains;
import dev.fabricoperator.view.mapping.EndClaims;
import dev.fabricoperator.view.mapping.FabricMapper;
import dev.fabricoperator.view.mapping.SwitchMerge;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What is to be said of one Fabric. */
final class FabricConditions {
    private static final int MAXIMUM_FINDINGS = 64;
    private static final int MAXIMUM_CONTRADICTIONS = 3;

    private final FabricState state;
    private final Inventory inventory;
    private final Map<String, Set<String>> sourcesOf;
    private final PartOwners owners;
    private final SwitchMerge<SwitchFacts> map;
    private final EndClaims claims;
    private final Drains drains;
    private final Flaps flaps;
    private final Map<String, String> fabricOf;

    /**
     * @param sourcesOf by Fabric, the sources that its spec names
     * @param fabricOf by device, the Fabric that it is in
     */
    FabricConditions(
            FabricState state,
            Inventory inventory,
            Map<String, Set<String>> sourcesOf,
            PartOwners owners,
            SwitchMerge<SwitchFacts> map,
            EndClaims claims,
            Drains drains,
            Flaps flaps,
            Map<String, String> fabricOf) {
        this.state = state;
        this.inventory = inventory;
        this.sourcesOf = sourcesOf;
        this.owners = owners;
        this.map = map;
        this.claims = claims;
        this.drains = drains;
        this.flaps = flaps;
        this.fabricOf = fabricOf;
    }

    Findings findings() {
        List<ConditionDraft> drafts = new ArrayList<>();
        drafts.add(inventoryComplete());
        drafts.add(devicesCurrent());
        drafts.add(topologyKnown());
        if (state.sources().size() > 1) {
            drafts.add(sourcesAgree());
        }
        if (!isFlat()) {
            drafts.add(connected());
        }
        ConditionDraft impaired = new ImpairedPorts(state).condition();
        if (impaired != null) {
            drafts.add(impaired);
        }
        List<SwitchMerge.Contradiction> contradictions = contradictions();
        List<SourceState> sources = dependsOn();
        SourceReport report = SourceReport.of(state.facts(), sources);
        List<FindingStatus> found = new FabricFindings(state, inventory, claims, drains, flaps)
                .findings(
                        contradictions.stream().skip(MAXIMUM_CONTRADICTIONS).toList(),
                        LevelReport.findings(state.facts().spec().levels(), report.levels(), sources));
        return new Findings(
                drafts, List.copyOf(found.subList(0, Math.min(found.size(), MAXIMUM_FINDINGS))), found.size(), report);
    }

    private boolean isFlat() {
        return state.model().kind() == FabricKind.Flat;
    }

    private ConditionDraft inventoryComplete() {
        AgentFleet fleet = inventory.fleet();
        Integer expected = fleet.expected();
        if (expected == null) {
            return new ConditionDraft(
                    ConditionType.InventoryComplete,
                    ConditionStatus.Unknown,
                    Reason.NoDaemonSet,
                    "no DaemonSet of agents says on how many nodes they should run; "
                            + count(fleet.ready(), "agent is", "agents are") + " Ready");
        }
        if (fleet.ready() >= expected && expected > 0) {
            String ready = expected == 1 ? "the only agent is Ready" : "all " + expected + " agents are Ready";
            List<String> silent = fleet.silent();
            // A node may have no device, or its devices may have been deleted under an agent that has not seen that
            // yet.
            return silent.isEmpty()
                    ? new ConditionDraft(
                            ConditionType.InventoryComplete, ConditionStatus.True, Reason.AllAgentsReady, ready)
                    : new ConditionDraft(
                            ConditionType.InventoryComplete,
                            ConditionStatus.Unknown,
                            Reason.NothingPublished,
                            ready + ", and no device is published of " + count(silent.size(), "node", "nodes") + ": "
                                    + some(silent));
        }
        List<String> waiting = fleet.notReady();
        return new ConditionDraft(
                ConditionType.InventoryComplete,
                ConditionStatus.False,
                Reason.AgentsNotReady,
                fleet.ready() + " of " + expected + " agents are Ready"
                        + (waiting.isEmpty() ? "" : "; waiting for those on " + some(waiting)));
    }

    private ConditionDraft devicesCurrent() {
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
            return new ConditionDraft(
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
        return new ConditionDraft(
                ConditionType.DevicesCurrent,
                ConditionStatus.False,
                deadNodes.isEmpty() ? Reason.AgentsNotReady : Reason.NodesNotReady,
                unknown + " of " + count(all, "device counts", "devices count") + " as Unknown: "
                        + String.join("; ", why));
    }

    private ConditionDraft topologyKnown() {
        SourceProblem problem = firstProblem();
        if (isFlat()) {
            return problem == null
                    ? new ConditionDraft(
                            ConditionType.TopologyKnown,
                            ConditionStatus.False,
                            Reason.NoSource,
                            "no topology source names the switches of "
                                    + count(state.members().size(), "device", "devices")
                                    + ", so every pair costs the same" + elsewhere()
                                    + "; give the output of ibnetdiscover with"
                                    + " \"kubectl fabric upload FILE\", or name a ConfigMap or file in spec.sources")
                    : new ConditionDraft(
                            ConditionType.TopologyKnown,
                            ConditionStatus.False,
                            SourceReport.reason(problem),
                            problem.message());
        }
        if (problem != null) {
            return new ConditionDraft(
                    ConditionType.TopologyKnown,
                    problem.kind() == SourceProblem.Kind.InProgress ? ConditionStatus.True : ConditionStatus.Unknown,
                    SourceReport.reason(problem),
                    problem.message() + "; the last good state stays");
        }
        FabricModel model = state.model();
        List<String> sources = state.sources().stream()
                .map(s -> s.isEmpty() ? "FabricSwitch objects" : s)
                .toList();
        return new ConditionDraft(
                ConditionType.TopologyKnown,
                ConditionStatus.True,
                Reason.SourceRead,
                count(model.switches(), "switch", "switches") + " and " + count(model.links(), "link", "links")
                        + " from "
                        + some(sources)
                        + (state.uncabled() == 0
                                ? ""
                                : "; " + count(state.uncabled(), "device is", "devices are") + " not in it")
                        + common(model.classification().common())
                        + unresolved(model)
                        + planesApart());
    }

    private static String common(Classification.Common common) {
        return common.devices() == 0
                ? ""
                : "; " + count(common.devices(), "device", "devices") + " on "
                        + count(common.switches(), "switch", "switches")
                        + " are for what all nodes share, such as storage, and do not say where a node is (label "
                        + FabricApi.LABEL_PURPOSE + " of a FabricDevice says otherwise)";
    }

    private static String unresolved(FabricModel model) {
        return model.unresolved().stream().map(sentence -> "; " + sentence).collect(Collectors.joining());
    }

    /** Of adapters that have ports in other Fabrics too, as those of a network of planes that nothing joins. */
    private String planesApart() {
        Set<String> adapters = new HashSet<>();
        for (DeviceFacts device : state.members().values()) {
            if (device.hasGuid() && device.port() > 0) {
                adapters.add(device.endId());
            }
        }
        Set<String> across = new HashSet<>();
        Set<String> others = new TreeSet<>();
        for (DeviceFacts device : inventory.devices()) {
            String fabric = fabricOf.get(device.name());
            if (device.port() > 0
                    && fabric != null
                    && !fabric.equals(state.name())
                    && adapters.contains(device.endId())) {
                across.add(device.endId());
                others.add(fabric);
            }
        }
        return across.isEmpty()
                ? ""
                : "; " + count(across.size(), "adapter has", "adapters have")
                        + " ports in other Fabrics, which no cable joins to this one (" + some(List.copyOf(others))
                        + "): if these are planes of one network, a Fabric with a selector for both joins them";
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
        Set<String> own = own();
        Set<String> named = named();
        return inventory.sources().stream()
                .filter(s -> own.contains(s.name()) || (s.problem() != null && mayBeMeant(s.name(), named)))
                .toList();
    }

    /** Those that wrote its switches, or that its spec names. */
    private Set<String> own() {
        Set<String> own = new HashSet<>(state.sources());
        own.addAll(sourcesOf.getOrDefault(state.name(), Set.of()));
        return own;
    }

    private Set<String> named() {
        Set<String> named = new HashSet<>();
        sourcesOf.values().forEach(named::addAll);
        return named;
    }

    private boolean mayBeMeant(String source, Set<String> named) {
        return !named.contains(source) && hasInfiniBand();
    }

    /** The dump of another subnet, or one without the hosts, is read well and changes nothing: whoever gave it wants to hear of it. */
    private String elsewhere() {
        Set<String> own = own();
        Set<String> named = named();
        List<String> sources = inventory.switches().stream()
                .filter(object -> owners.ownerOf(object.cabling().id()) == null)
                .map(SwitchFacts::source)
                .filter(source -> !source.isEmpty() && (own.contains(source) || mayBeMeant(source, named)))
                .distinct()
                .sorted()
                .toList();
        return sources.isEmpty()
                ? ""
                : "; the switches that " + some(sources) + (sources.size() == 1 ? " names" : " name")
                        + " are cabled to none of them";
    }

    private boolean hasInfiniBand() {
        return state.members().values().stream()
                .anyMatch(d -> d.family() == Family.InfiniBand || d.family() == Family.OmniPath);
    }

    private ConditionDraft sourcesAgree() {
        List<String> contradictions =
                contradictions().stream().map(SwitchMerge.Contradiction::text).toList();
        if (contradictions.isEmpty()) {
            return new ConditionDraft(
                    ConditionType.SourcesAgree,
                    ConditionStatus.True,
                    Reason.NoContradiction,
                    count(state.sources().size(), "source", "sources") + " agree about every cable");
        }
        int shown = Math.min(contradictions.size(), MAXIMUM_CONTRADICTIONS);
        return new ConditionDraft(
                ConditionType.SourcesAgree,
                ConditionStatus.False,
                Reason.SourcesContradict,
                count(contradictions.size(), "contradiction: ", "contradictions: ")
                        + String.join("; ", contradictions.subList(0, shown))
                        + (shown == contradictions.size() ? "" : "; and " + (contradictions.size() - shown) + " more"));
    }

    private List<SwitchMerge.Contradiction> contradictions() {
        return map.contradictions().stream()
                .filter(c -> state.model().switchPosition(c.switchId()) != null)
                .toList();
    }

    private ConditionDraft connected() {
        List<Plane> planes = state.model().planes();
        List<Plane> lost = planes.stream()
                .filter(plane -> planes.size() > 1 && plane.switches() == 0)
                .toList();
        if (!lost.isEmpty()) {
            List<String> names = state.facts().spec().planes();
            return new ConditionDraft(
                    ConditionType.Connected,
                    ConditionStatus.False,
                    Reason.PlaneLost,
                    "no cable leads to " + count(lost.size(), "plane", "planes") + " of " + planes.size() + ": "
                            + lost.stream()
                                    .map(plane -> FabricMapper.planeName(names, plane.id()) + " ("
                                            + count(plane.devices(), "device", "devices") + ")")
                                    .collect(Collectors.joining(", ")));
        }
        int partitions = state.model().partitions();
        return partitions <= 1
                ? new ConditionDraft(
                        ConditionType.Connected,
                        ConditionStatus.True,
                        Reason.AllConnected,
                        "every cabled device can reach every other"
                                + (state.model().topology().isOfCliques()
                                        ? " of its clique"
                                        : planes.size() > 1 ? " of its plane" : ""))
                : new ConditionDraft(
                        ConditionType.Connected,
                        ConditionStatus.False,
                        Reason.Partitioned,
                        partitions + " parts that hold devices cannot reach each other");
    }
}
