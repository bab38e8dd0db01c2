/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import static dev.fabricoperator.operator.model.Messages.count;
import static dev.fabricoperator.operator.model.Messages.some;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.crds.HostPreparation;
import dev.fabricoperator.crds.PortRef;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.finding.Finding;
import dev.fabricoperator.fabric.finding.FindingType;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.model.condition.Reason;
import dev.fabricoperator.view.mapping.Drains;
import dev.fabricoperator.view.mapping.EndClaims;
import dev.fabricoperator.view.mapping.FabricMember;
import dev.fabricoperator.view.mapping.FindingMapper;
import dev.fabricoperator.view.mapping.SwitchMerge;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What an administrator should look at in one Fabric, each thing once. */
final class FabricFindings {
    private final FabricState state;
    private final Inventory inventory;
    private final EndClaims claims;
    private final Drains drains;
    private final Flaps flaps;

    FabricFindings(FabricState state, Inventory inventory, EndClaims claims, Drains drains, Flaps flaps) {
        this.state = state;
        this.inventory = inventory;
        this.claims = claims;
        this.drains = drains;
        this.flaps = flaps;
    }

    /**
     * @param contradictions those that no condition tells
     * @param levels what is to be said of levels of service
     */
    List<FindingStatus> findings(List<SwitchMerge.Contradiction> contradictions, List<FindingStatus> levels) {
        List<FindingStatus> findings = new ArrayList<>();
        Set<String> losers = guidsClaimedTwice(findings);
        List<String> unreadable = state.members().values().stream()
                .filter(d -> !d.readErrors().isEmpty())
                .map(DeviceFacts::name)
                .toList();
        if (!unreadable.isEmpty()) {
            findings.add(FindingStatus.of(
                    Reason.ReadErrors.name(),
                    unreadable.getFirst(),
                    count(unreadable.size(), "device has", "devices have") + " files that could not be read: "
                            + some(unreadable)));
        }
        HostPreparation preparation = state.facts().spec().hostPreparation();
        if (preparation != null) {
            preparation
                    .refusedEnv()
                    .forEach(name -> findings.add(FindingStatus.of(
                            Reason.VariableRefused.name(),
                            name,
                            "spec.hostPreparation.env." + name
                                    + ": by such a variable a process is told what to run or load,"
                                    + " and no rank gets it; take it out")));
        }
        for (String wrong : state.model().exempt().problems()) {
            findings.add(FindingStatus.of(
                    Reason.HostListNotUnderstood.name(),
                    null,
                    "spec.exemptHosts: " + wrong + "; write it as login[1-4] or stor*"));
        }
        inventory.sources().stream()
                .filter(source -> state.sources().contains(source.name()))
                .forEach(source -> source.warnings()
                        .forEach(text ->
                                findings.add(FindingStatus.of(Reason.SourceWarning.name(), source.name(), text))));
        findings.addAll(levels);
        contradictions.forEach(
                c -> findings.add(FindingStatus.of(Reason.SourcesContradict.name(), c.switchId(), c.text())));
        flapping(findings);
        findings.addAll(new ImpairedPorts(state).findings());
        drains.mistakes().forEach((id, text) -> {
            if (state.model().switchPosition(id) != null) {
                findings.add(FindingStatus.of(
                        Reason.DrainNotUnderstood.name(),
                        id,
                        "the annotation " + FabricApi.ANNOTATION_DRAIN + " of switch " + id + " is neither \"all\" nor"
                                + " numbers of ports with commas between them, and drains nothing: \"" + text + "\""));
            }
        });
        Set<String> reported = damped();
        reported.addAll(losers);
        for (Finding found : state.model().findings()) {
            if (!reported.contains(found.type() + " " + found.object())) {
                findings.add(FindingMapper.toStatus(found));
            }
        }
        findings.sort(FindingMapper.CAUSES_FIRST);
        return findings;
    }

    /** What the model finds only because a link is held down: type and object. */
    private Set<String> damped() {
        Set<String> consequences = new HashSet<>();
        for (PortRef port : state.damped()) {
            consequences.add(FindingType.PortDown + " " + end(port.switchId(), port.port()));
        }
        for (Flaps.Link link : flaps.links()) {
            String one = link.one().id();
            String other = link.other().id();
            consequences.add(FindingType.MissingUplink + " " + one + " to " + other);
            consequences.add(FindingType.MissingUplink + " " + other + " to " + one);
        }
        return consequences;
    }

    /** One finding for each GUID; type and object of what the model finds because of it. */
    private Set<String> guidsClaimedTwice(List<FindingStatus> findings) {
        Set<String> losers = new HashSet<>();
        Set<PortPeer> reported = new HashSet<>();
        for (DeviceFacts device : state.members().values()) {
            List<FabricMember> rivals = claims.rivals(device);
            if (rivals.isEmpty()) {
                continue;
            }
            if (!claims.holds(device)) {
                losers.add(FindingType.Uncabled + " " + end(claims.endId(device), device.port()));
            }
            if (reported.add(EndClaims.end(device))) {
                List<String> names = Stream.concat(Stream.of(device), rivals.stream())
                        .map(FabricMember::name)
                        .sorted()
                        .toList();
                String holder = Stream.concat(Stream.of(device), rivals.stream())
                        .filter(claims::holds)
                        .map(FabricMember::name)
                        .findFirst()
                        .orElse("none of them");
                findings.add(FindingStatus.of(
                        Reason.GuidClaimedTwice.name(),
                        device.name(),
                        "node GUID " + device.endId() + " is claimed by " + some(names) + "; the cable counts for "
                                + holder));
            }
        }
        return losers;
    }

    private String words(PortPeer port) {
        return end(nameOf(port.id()), port.port());
    }

    private String nameOf(String id) {
        Topology topology = state.model().topology();
        int at = topology.switchIndex(id);
        return at < 0 ? id : topology.switchName(at);
    }

    private static String end(String id, int port) {
        return id + " port " + port;
    }

    private void flapping(List<FindingStatus> findings) {
        for (Flaps.Link link : flaps.links()) {
            if (state.model().switchPosition(link.one().id()) != null
                    || state.model().switchPosition(link.other().id()) != null) {
                List<PortPeer> switches = Stream.of(link.one(), link.other())
                        .filter(port -> state.model().switchPosition(port.id()) != null)
                        .toList();
                findings.add(FindingStatus.of(
                                FindingType.FlappingLink.name(),
                                end(link.one().id(), link.one().port()),
                                words(link.one()) + " to " + words(link.other())
                                        + ": the link goes up and down; it counts as down until it stays as it is")
                        .at(
                                switches.stream().map(PortPeer::id).toList(),
                                switches.stream().map(port -> nameOf(port.id())).toList(),
                                switches.stream().map(PortPeer::port).toList(),
                                ""));
            }
        }
        for (String device : flaps.devices()) {
            if (memberNames().contains(device)) {
                findings.add(FindingStatus.of(
                        FindingType.FlappingLink.name(), device, "the port of " + device + " goes up and down"));
            }
        }
    }

    private Set<String> memberNames() {
        Set<String> names = new HashSet<>();
        state.members().values().forEach(device -> names.add(device.name()));
        return names;
    }
}
