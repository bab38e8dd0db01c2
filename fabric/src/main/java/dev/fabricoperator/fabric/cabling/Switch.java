/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One switch as one source describes it.
 *
 * @param id node GUID (16 lower-case hex digits), else a MAC or chassis id, else a name
 * @param name what people call it; never used to conclude anything about its place
 * @param chassis id that all switches of one director have in common; {@code null} for a switch that is a box of its own
 * @param source kind of the source, for example {@code ibnetdiscover}
 * @param ports ascending by number
 */
@RecordBuilder
public record Switch(
        String id,
        @Nullable String name,
        @Nullable String vendor,
        @Nullable String model,
        @Nullable String chassis,
        String source,
        List<SwitchPort> ports) {

    public Switch {
        ports = ports == null ? List.of() : List.copyOf(ports);
    }
}
