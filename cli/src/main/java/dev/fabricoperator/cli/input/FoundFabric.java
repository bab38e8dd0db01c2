/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.crds.FabricSpec;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.finding.Finding;
import dev.fabricoperator.fabric.finding.FindingType;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.query.FabricQuery;
import dev.fabricoperator.fabric.route.Routes;
import dev.fabricoperator.view.mapping.FindingMapper;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A fabric that can be asked, from files or from a cluster.
 *
 * @param index the number of the fabric
 * @param generation 1 for files, which are read once and do not change
 * @param vendor of all of its devices; {@code null} where nobody knows, or there are several
 * @param switches ascending by id
 * @param statusFindings what the operator finds, which sees changes and sources beside the wiring; {@code null} for files
 * @param routes the ways of packets; {@code null} where no forwarding tables are known
 */
public record FoundFabric(
        String name,
        int index,
        long generation,
        @Nullable String vendor,
        String identifier,
        FabricSpec spec,
        List<Switch> switches,
        FabricModel model,
        @Nullable StatusFindings statusFindings,
        @Nullable Routes routes) {

    private static final StatusFindings NO_STATUS = new StatusFindings(List.of(), false, false);

    /** Types of the findings that a model makes anew of the objects that were read. */
    private static final Set<String> OF_THE_WIRING =
            Arrays.stream(FindingType.values()).map(Enum::name).collect(Collectors.toUnmodifiableSet());

    /**
     * Findings of a Fabric's status.
     *
     * @param complete whether the status has all that there are
     * @param current whether they are of the objects that were read
     */
    public record StatusFindings(List<FindingStatus> findings, boolean complete, boolean current) {
        public StatusFindings {
            findings = List.copyOf(findings);
        }
    }

    public FoundFabric {
        switches = List.copyOf(switches);
    }

    public FabricQuery query() {
        return new FabricQuery(model, routes);
    }

    /**
     * What to look at, each thing once: what the operator says where it says all of it; else also what the wiring shows,
     * which counts where the operator spoke of other objects.
     */
    public List<FindingStatus> findings() {
        StatusFindings status = Objects.requireNonNullElse(statusFindings, NO_STATUS);
        Set<FindingStatus> findings = new LinkedHashSet<>();
        Set<String> flapping = new HashSet<>();
        for (FindingStatus finding : status.findings()) {
            boolean flaps = finding.type().equals(FindingType.FlappingLink.name());
            if (flaps) {
                flapping.add(String.valueOf(finding.object()));
            }
            if (status.current() || flaps || !OF_THE_WIRING.contains(finding.type())) {
                findings.add(finding);
            }
        }
        if (!status.complete() || !status.current()) {
            for (Finding found : model.findings()) {
                // A link that is held down because it flaps is down in the model too.
                if (found.type() != FindingType.PortDown || !flapping.contains(found.object())) {
                    findings.add(FindingMapper.toStatus(found));
                }
            }
        }
        return findings.stream().sorted(FindingMapper.CAUSES_FIRST).toList();
    }

    /** What people call a switch; {@code null} where nobody says. */
    public @Nullable String switchName(String id) {
        for (Switch found : switches) {
            if (found.id().equals(id)) {
                return found.name();
            }
        }
        return null;
    }

    /** Two are never the same fabric: a comparison would walk over all of it. */
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
