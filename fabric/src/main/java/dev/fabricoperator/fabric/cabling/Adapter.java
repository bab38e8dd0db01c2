/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A host channel adapter that is known from a dump only.
 *
 * @param id node GUID, 16 lower-case hex digits
 * @param hostname the host it sits in; {@code null} where its description does not name one
 * @param osName the device's name in that host as the description has it: the kernel's ({@code mlx5_0}), or the ordinal
 *     that older tools write ({@code HCA-1})
 * @param description node description as it stands in the dump
 * @param vendorId IEEE company id of the maker in hex, without leading zeros, for example {@code 2c9}
 * @param deviceId device id in 4 lower-case hex digits
 * @param systemImageGuid 16 lower-case hex digits
 * @param ports ascending by number; ports without a cable have no peer
 */
@RecordBuilder
public record Adapter(
        String id,
        @Nullable String hostname,
        @Nullable String osName,
        @Nullable String description,
        @Nullable String vendorId,
        @Nullable String deviceId,
        @Nullable String systemImageGuid,
        List<AdapterPort> ports) {

    public Adapter {
        ports = ports == null ? List.of() : List.copyOf(ports);
    }
}
