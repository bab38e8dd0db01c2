/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.crds.LevelSpec;
import dev.fabricoperator.crds.LevelStatus;
import dev.fabricoperator.fabric.level.LevelLane;
import dev.fabricoperator.fabric.level.ReadLevels;
import dev.fabricoperator.operator.model.condition.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the sources of a Fabric have read back of its levels. */
final class LevelReport {
    private static final String NOT_READ =
            "no source reads it back: a sweep does where it can run smpquery (sources of type Live)";
    private static final String ONLY_DSCP =
            "nothing reads back what switches of an Ethernet make of a DSCP: it is as it was configured";

    private LevelReport() {}

    /** @param sources those that the Fabric depends on */
    static List<LevelStatus> of(List<LevelSpec> levels, List<SourceState> sources) {
        ReadLevels read = read(sources);
        String message = sources.stream()
                .map(SourceState::levelsMessage)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        return levels.stream().map(level -> status(level, read, message)).toList();
    }

    /** Of all of them together: a fabric of several subnets serves a level where each does. */
    private static @Nullable ReadLevels read(List<SourceState> sources) {
        return sources.stream()
                .map(SourceState::levels)
                .filter(Objects::nonNull)
                .reduce(ReadLevels::and)
                .orElse(null);
    }

    private static LevelStatus status(LevelSpec level, @Nullable ReadLevels read, @Nullable String message) {
        Integer serviceLevel = level.serviceLevel();
        if (serviceLevel == null) {
            return new LevelStatus(level.name(), null, null, null, ONLY_DSCP);
        }
        if (read == null) {
            return new LevelStatus(level.name(), null, null, null, message == null ? NOT_READ : message);
        }
        LevelLane lane = read.of(serviceLevel);
        String fault = read.fault(serviceLevel);
        return new LevelStatus(
                level.name(),
                fault == null,
                lane.isDropped() ? null : lane.lane(),
                lane.isDropped() || !lane.arbitrates() ? null : lane.highWeight() + "/" + lane.lowWeight(),
                fault == null ? message : fault);
    }

    /**
     * What an administrator should look at.
     *
     * @param read what {@link #of} says of the levels
     */
    static List<FindingStatus> findings(List<LevelSpec> levels, List<LevelStatus> read, List<SourceState> sources) {
        List<FindingStatus> findings = new ArrayList<>();
        for (LevelStatus level : read) {
            if (Boolean.FALSE.equals(level.offered())) {
                findings.add(FindingStatus.of(
                        Reason.LevelNotOffered.name(), level.name(), "level " + level.name() + ": " + level.reason()));
            }
        }
        Same same = indistinguishable(levels, sources);
        if (same != null) {
            findings.add(FindingStatus.of(
                    Reason.LevelsIndistinguishable.name(),
                    same.one(),
                    "packets of levels " + same.one() + " and " + same.other() + " go by one virtual lane, "
                            + same.lane()
                            + ", so that neither is served better: map their service levels to lanes of their own"));
        }
        return findings;
    }

    /** The first two levels that packets cannot tell apart, {@code null} for none. */
    static @Nullable Same indistinguishable(List<LevelSpec> levels, List<SourceState> sources) {
        ReadLevels read = read(sources);
        for (int one = 0; read != null && one < levels.size(); one++) {
            for (int other = one + 1; other < levels.size(); other++) {
                Integer first = levels.get(one).serviceLevel();
                Integer second = levels.get(other).serviceLevel();
                if (first != null && second != null && read.areOneLane(first, second)) {
                    return new Same(
                            levels.get(one).name(),
                            levels.get(other).name(),
                            read.of(first).lane());
                }
            }
        }
        return null;
    }

    /** Two levels of one lane. */
    record Same(String one, String other, int lane) {}
}
