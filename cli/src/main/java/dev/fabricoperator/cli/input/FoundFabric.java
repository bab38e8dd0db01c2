/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.crds.FabricSpec;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.query.FabricQuery;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fabric that can be asked, from files or from a cluster.
 *
 * @param index the number of the fabric
 * @param generation 1 for files, which are read once and do not change
 * @param vendor of all of its devices; {@code null} where nobody knows, or there are several
 * @param switches ascending by id
 */
public record FoundFabric(
        String name,
        int index,
        long generation,
        @Nullable String vendor,
        String identifier,
        FabricSpec spec,
        List<Switch> switches,
        FabricModel model) {
    public FoundFabric {
        switches = List.copyOf(switches);
    }

    public FabricQuery query() {
        return new FabricQuery(model);
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
}
