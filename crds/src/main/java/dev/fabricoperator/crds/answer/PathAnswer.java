/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds.answer;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.fabric.query.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cheapest path between two devices.
 *
 * @param from id of the first device
 * @param hops cables between switches; absent where there is no path
 * @param speedBitsPerSecond of the slowest link on the way; absent where nobody knows
 * @see Path
 */
@JsonPropertyOrder({"from", "to", "fabric", "generation", "cost", "hops", "equalPaths", "speedBitsPerSecond", "steps"})
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PathAnswer(
        String from,
        String to,
        String fabric,
        long generation,
        int cost,
        @Nullable Integer hops,
        long equalPaths,
        @Nullable Long speedBitsPerSecond,
        List<Step> steps) {

    /** A switch on the path, with the ports by which the path comes in and goes out; 0 where nobody knows. */
    @JsonPropertyOrder({"switch", "name", "inPort", "outPort", "outSpeedBitsPerSecond"})
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Step(
            @JsonProperty("switch") String switchId,
            @Nullable String name,
            int inPort,
            int outPort,
            @Nullable Long outSpeedBitsPerSecond) {}

    /** @param fabric of the first device */
    public static PathAnswer of(NamedFabric fabric, NamedDevice from, NamedDevice to, Path path) {
        return new PathAnswer(
                from.id(),
                to.id(),
                fabric.name(),
                fabric.generation(),
                path.cost(),
                path.hops(),
                path.equalPaths(),
                path.speedBitsPerSecond(),
                path.steps().stream()
                        .map(step -> new Step(
                                step.switchId(),
                                fabric.switchName(step.switchId()),
                                step.inPort(),
                                step.outPort(),
                                step.outSpeedBitsPerSecond()))
                        .toList());
    }
}
