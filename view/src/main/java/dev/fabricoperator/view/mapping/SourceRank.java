/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import dev.fabricoperator.crds.FabricApi;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whose statement goes first where several sources speak of one switch; the order of the constants is that of cabling. */
enum SourceRank {
    /** A FabricSwitch object that no source wrote. */
    Person,
    /** A sweep of the subnet itself. */
    Live,
    /** The subnet's manager says so. */
    Ufm,
    /** Neighbours tell each other. */
    Lldp,
    /** The record of a sweep. */
    Ibnetdiscover,
    Cables,
    Slurm,
    /** Blocks that labels of nodes name, without ports. */
    NodeLabels;

    /** For what was measured a person's object is a record, too: newer than a dump at best. */
    private static final List<SourceRank> BY_FRESHNESS =
            List.of(Live, Ufm, Lldp, Person, Ibnetdiscover, Cables, Slurm, NodeLabels);

    /** Who says where cables lead and what switches are called: rank, then names of source and object. */
    static final Comparator<SwitchStatement> CABLING = Comparator.comparing(SourceRank::of)
            .thenComparing(SwitchStatement::source)
            .thenComparing(SwitchStatement::name);

    /** Who says how a port is now. */
    static final Comparator<SwitchStatement> MEASUREMENT = Comparator.comparingInt(
                    (SwitchStatement statement) -> BY_FRESHNESS.indexOf(of(statement)))
            .thenComparing(CABLING);

    static SourceRank of(SwitchStatement statement) {
        if (statement.source().isEmpty()) {
            return Person;
        }
        String origin = statement.origin();
        if (FabricApi.ORIGIN_LIVE.equals(origin)) {
            return Live;
        }
        SourceRank rank = byName(origin);
        return rank == null ? Ibnetdiscover : rank;
    }

    /**
     * Whether the source sees every cable of a switch that it describes, now: a port that it leaves out has none, whatever
     * a record says.
     */
    boolean seesAllCables() {
        return this == Live || this == Ufm;
    }

    private static @Nullable SourceRank byName(@Nullable String origin) {
        for (SourceRank rank : values()) {
            if (rank.name().equalsIgnoreCase(origin) && rank != Person) {
                return rank;
            }
        }
        return null;
    }
}
