/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.fabric.query.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The way between two devices.
 *
 * @param from id of the first device
 * @param basis {@code routes} where it follows from the forwarding tables of the switches, {@code cheapest} where it is a way of least cost
 * @param basisReason why forwarding tables that are known do not tell the way; absent otherwise
 * @param hops cables between switches; absent where there is no path
 * @param speedBitsPerSecond of the slowest link on the way; absent where nobody knows
 * @param fromDevice name of the first device's object
 * @see Path
 */
@JsonPropertyOrder({
    "from",
    "to",
    "fabric",
    "generation",
    "basis",
    "basisReason",
    "cost",
    "hops",
    "equalPaths",
    "speedBitsPerSecond",
    "fromDevice",
    "toDevice",
    "steps"
})
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PathAnswer(
        String from,
        String to,
        String fabric,
        long generation,
        Path.Basis basis,
        @Nullable String basisReason,
        int cost,
        @Nullable Integer hops,
        long equalPaths,
        @Nullable Long speedBitsPerSecond,
        String fromDevice,
        String toDevice,
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
    public static PathAnswer of(FabricView fabric, NamedDevice from, NamedDevice to, Path path) {
        return new PathAnswer(
                from.id(),
                to.id(),
                fabric.name(),
                fabric.generation(),
                path.basis(),
                path.basisReason(),
                path.cost(),
                path.hops(),
                path.equalPaths(),
                path.speedBitsPerSecond(),
                from.name(),
                to.name(),
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
