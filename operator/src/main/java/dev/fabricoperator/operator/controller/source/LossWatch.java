/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.fabric.cabling.LossGuard;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.model.SourceProblem;
import dev.fabricoperator.view.mapping.EndClaims;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Readings that lost much of a fabric, held until agents, repetition or a person confirm the loss.
 *
 * <p>For one thread.
 *
 * @see LossGuard
 */
@ApplicationScoped
public class LossWatch {
    private final Map<String, LossGuard> guards = new HashMap<>();
    private final Map<String, Held> held = new HashMap<>();

    private record Held(Reading.Success reading, String lossId) {}

    /**
     * Whether a reading counts.
     *
     * @param before what the source said last that was believed
     * @param requested whether a person asked for this reading; of a record that confirms what is held
     * @return why what was said before stays, {@code null} if the reading counts
     */
    @Nullable
    SourceProblem decide(String name, Reading.Success good, List<Switch> before, FactStores stores, boolean requested) {
        List<Switch> expected = switch (good.evidence()) {
            case Agents -> withDevicesThatSayStill(before, stores);
            case Nodes -> NodeLabelReading.withNodesThatAreThere(before, stores);
            case Record, Polled -> before;
        };
        Map<String, Boolean> links = links(stores);
        Set<String> accepted = accepted(stores);
        Held last = held.get(name);
        // Labels are read again at each change of one: who takes them away would confirm it with the next.
        boolean asked = good.evidence() != Reading.Evidence.Record && good.evidence() != Reading.Evidence.Nodes;
        if (requested && !asked && last != null) {
            accepted.add(last.lossId());
        }
        LossGuard.Decision decision = guards.computeIfAbsent(name, n -> new LossGuard())
                .decide(expected, good.cabling().switches(), links::get, accepted::contains, asked);
        if (decision instanceof LossGuard.Decision.Held holds) {
            held.put(name, new Held(good, holds.loss().digest()));
            return new SourceProblem(
                    SourceProblem.Kind.Shrunk,
                    good.file() + ": " + holds.why() + "; if that is true, annotate a Fabric with "
                            + FabricApi.ANNOTATION_ACCEPT_LOSS + "="
                            + holds.loss().digest());
        }
        held.remove(name);
        return null;
    }

    /**
     * Where agents say themselves who is at which port, a device that is gone, or names another neighbour, has taken its cable
     * along, and nothing was lost.
     */
    private static List<Switch> withDevicesThatSayStill(List<Switch> before, FactStores stores) {
        Map<PortPeer, List<DeviceFacts>> byEnd =
                stores.devices().facts().stream().collect(Collectors.groupingBy(EndClaims::end));
        return before.stream()
                .map(said -> SwitchBuilder.from(said)
                        .withPorts(said.ports().stream()
                                .filter(port -> port.peer() != null
                                        && byEnd.getOrDefault(port.peer(), List.of()).stream()
                                                .anyMatch(device ->
                                                        NeighborCabling.saysStill(device, said.id(), port.number())))
                                .toList()))
                .filter(said -> !said.ports().isEmpty())
                .toList();
    }

    /** What is held of a source, if it may be reading anew: it has been accepted, or is a record that agents may confirm. */
    @Nullable
    Reading acceptedByNow(String name, FactStores stores) {
        Held last = held.get(name);
        if (last == null) {
            return null;
        }
        boolean again = last.reading().evidence() == Reading.Evidence.Record
                || accepted(stores).contains(last.lossId());
        return again ? last.reading() : null;
    }

    void forget(String name) {
        guards.remove(name);
        held.remove(name);
    }

    private static Set<String> accepted(FactStores stores) {
        Set<String> lossIds = new HashSet<>();
        for (FabricFacts fabric : stores.fabrics().facts()) {
            lossIds.addAll(Arrays.asList(fabric.acceptLoss().split("[,\\s]+")));
        }
        return lossIds;
    }

    /** Of two ports of one device one that is up is enough. */
    private static Map<String, Boolean> links(FactStores stores) {
        Map<String, Boolean> links = new HashMap<>();
        for (DeviceFacts device : stores.devices().facts()) {
            if (device.state() != PortState.Unknown) {
                links.merge(device.endId(), device.state() == PortState.Active, Boolean::logicalOr);
            }
        }
        return links;
    }
}
