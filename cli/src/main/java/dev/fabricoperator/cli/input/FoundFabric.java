/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.crds.FabricSpec;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.query.FabricQuery;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A fabric that can be asked, from files or from a cluster.
 *
 * @param index the number of the fabric
 * @param generation 1 for files, which are read once and do not change
 * @param vendor of all of its devices; {@code null} where nobody knows, or there are several
 * @param switches ascending by id
 * @param judged what the operator finds, which sees changes and sources beside the wiring; {@code null} for files
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
        @Nullable Judged judged) {

    /**
     * Findings of a Fabric's status.
     *
     * @param whole whether they are all that there are, and of the objects that were read
     */
    public record Judged(List<FindingStatus> findings, boolean whole) {
        public Judged {
            findings = List.copyOf(findings);
        }
    }

    public FoundFabric {
        switches = List.copyOf(switches);
    }

    public FabricQuery query() {
        return new FabricQuery(model);
    }

    /**
     * What to look at: what the operator says where it says all of it, else that and what the wiring shows besides.
     */
    public List<FindingStatus> findings() {
        Set<FindingStatus> findings = new LinkedHashSet<>();
        if (judged != null) {
            findings.addAll(judged.findings());
        }
        if (judged == null || !judged.whole()) {
            model.findings()
                    .forEach(found ->
                            findings.add(new FindingStatus(found.type().name(), found.object(), found.message())));
        }
        return List.copyOf(findings);
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
