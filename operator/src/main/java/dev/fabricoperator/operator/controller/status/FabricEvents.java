/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.status;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricChange;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.fabric.finding.FindingType;
import dev.fabricoperator.operator.cluster.EventWriter;
import dev.fabricoperator.operator.model.Messages;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.model.condition.Reason;
import dev.fabricoperator.view.mapping.FindingMapper;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Events of a Fabric: what a status that was written says and the one before did not. */
@Singleton
public final class FabricEvents {
    private final EventWriter events;

    public FabricEvents(EventWriter events) {
        this.events = events;
    }

    /** @param written status that the API server has accepted */
    public void tell(Fabric fabric, @Nullable FabricStatus before, FabricStatus written) {
        List<Condition> conditions = before == null ? List.of() : before.conditions();
        events.transitions(fabric, Conditions.transitions(conditions, written.conditions(), null));
        List<FabricChange> known = before == null ? List.of() : before.changes();
        for (FabricChange change : written.changes()) {
            if (!known.contains(change)) {
                events.normal(fabric, Reason.FabricChanged, describe(change));
            }
        }
        String refreshed = written.refreshed();
        if (refreshed != null && !refreshed.equals(before == null ? null : before.refreshed())) {
            events.normal(
                    fabric,
                    Reason.SourcesRefreshed,
                    Messages.count(written.sources().size(), "source", "sources")
                            + " read once more, as asked for by refresh=" + refreshed);
        }
        Integer total = written.findingsTotal();
        boolean isWhole = FindingMapper.hasAllFlapping(written.findings(), total == null ? 0 : total);
        tellFlapping(fabric, before == null ? List.of() : flapping(before), flapping(written), isWhole);
    }

    /** @param isWhole whether {@code now} has all links that flap: of others nobody knows that they are steady */
    private void tellFlapping(Fabric fabric, List<FindingStatus> before, List<FindingStatus> now, boolean isWhole) {
        for (FindingStatus link : now) {
            if (!isOf(before, link)) {
                events.warning(fabric, Reason.FlappingLink, link.message());
            }
        }
        for (FindingStatus link : before) {
            if (isWhole && !isOf(now, link)) {
                events.normal(fabric, Reason.LinkSteady, link.object() + " no longer goes up and down");
            }
        }
    }

    /** By its object: a finding also has names, which may change while a link flaps. */
    private static boolean isOf(List<FindingStatus> links, FindingStatus link) {
        return links.stream().anyMatch(one -> Objects.equals(one.object(), link.object()));
    }

    private static List<FindingStatus> flapping(FabricStatus status) {
        return status.findings().stream()
                .filter(finding -> finding.type().equals(FindingType.FlappingLink.name()))
                .toList();
    }

    /** What a generation brought, in one sentence. */
    private static String describe(FabricChange change) {
        List<String> counts = new ArrayList<>();
        add(counts, change.switchesLost(), "switch", "switches", " lost");
        add(counts, change.devicesLost(), "device", "devices", " lost");
        add(counts, change.linksLost(), "link", "links", " lost");
        add(counts, change.switchesGained(), "switch", "switches", " gained");
        add(counts, change.devicesGained(), "device", "devices", " gained");
        add(counts, change.linksGained(), "link", "links", " gained");
        return "generation " + change.generation()
                + (counts.isEmpty() ? "" : ": " + String.join(", ", counts))
                + (change.names().isEmpty() ? "" : " (" + String.join(", ", change.names()) + ")");
    }

    private static void add(List<String> counts, @Nullable Integer number, String one, String many, String what) {
        if (number != null) {
            counts.add(Messages.count(number, one, many) + what);
        }
    }
}
