/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.crds.FabricSpec;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.LevelSpec;
import dev.fabricoperator.crds.LevelStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Levels of service of a fabric, in the order of its spec.
 *
 * @param fabric its name
 */
@JsonPropertyOrder({"fabric", "levels"})
public record LevelsAnswer(String fabric, List<Level> levels) {
    /**
     * A level, and what is known of it.
     *
     * @param offered {@code null} where nobody has read it back
     * @param weight of its lane in the tables of high and low priority
     * @param reason why it is not offered, or not known to be
     */
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    @JsonPropertyOrder({
        "name",
        "serviceLevel",
        "dscp",
        "namespaces",
        "default",
        "offered",
        "virtualLane",
        "weight",
        "reason"
    })
    public record Level(
            String name,
            @Nullable Integer serviceLevel,
            @Nullable Integer dscp,
            List<String> namespaces,
            @JsonProperty("default") @Nullable Boolean isDefault,
            @Nullable Boolean offered,
            @Nullable Integer virtualLane,
            @Nullable String weight,
            @Nullable String reason) {
        private static Level of(LevelSpec spec, @Nullable FabricStatus status) {
            LevelStatus read = status == null
                    ? null
                    : status.levels().stream()
                            .filter(each -> each.name().equals(spec.name()))
                            .findFirst()
                            .orElse(null);
            return new Level(
                    spec.name(),
                    spec.serviceLevel(),
                    spec.dscp(),
                    spec.namespaces(),
                    spec.isDefault(),
                    read == null ? null : read.offered(),
                    read == null ? null : read.virtualLane(),
                    read == null ? null : read.weight(),
                    read == null ? "the operator has not looked at it yet" : read.reason());
        }
    }

    public static LevelsAnswer of(String fabric, @Nullable FabricSpec spec, @Nullable FabricStatus status) {
        return new LevelsAnswer(
                fabric,
                spec == null
                        ? List.of()
                        : spec.levels().stream()
                                .map(level -> Level.of(level, status))
                                .toList());
    }
}
