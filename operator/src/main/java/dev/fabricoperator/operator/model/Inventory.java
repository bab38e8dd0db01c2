/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.operator.cluster.AgentFleet;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.Fact;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.PortChanges.PortChange;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * One look at everything that the model depends on.
 *
 * @param devices ascending by name
 * @param switches ascending by name
 * @param fabrics ascending by name
 * @param sources ascending by name
 * @param portChanges ascending by number
 * @param time of the look, by the clock of the changes
 */
@RecordBuilder
public record Inventory(
        List<DeviceFacts> devices,
        List<SwitchFacts> switches,
        List<FabricFacts> fabrics,
        AgentFleet fleet,
        List<SourceState> sources,
        List<PortChange> portChanges,
        Instant time) {

    public Inventory {
        devices = sorted(devices);
        switches = sorted(switches);
        fabrics = sorted(fabrics);
        sources = List.copyOf(sources);
        portChanges = List.copyOf(portChanges);
    }

    /** Everything as it is now. */
    public static Inventory of(FactStores stores, List<SourceState> sources) {
        return new Inventory(
                stores.devices().facts(),
                stores.switches().facts(),
                stores.fabrics().facts(),
                stores.fleet(),
                sources,
                stores.portChanges(),
                stores.now());
    }

    private static <F extends Fact> List<F> sorted(List<F> facts) {
        return facts.stream().sorted(Comparator.comparing(Fact::name)).toList();
    }

    /** Without a walk over all objects. */
    @Override
    public int hashCode() {
        return Objects.hash(devices.size(), switches.size(), fabrics.size(), sources.size());
    }
}
