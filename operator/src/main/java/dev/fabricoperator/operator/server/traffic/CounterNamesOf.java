/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import dev.fabricoperator.crds.CounterPreset;
import dev.fabricoperator.crds.CounterSource;
import dev.fabricoperator.formats.counters.CounterNames;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a person says of an exporter, and its preset where nothing is said. */
final class CounterNamesOf {
    private CounterNamesOf() {}

    static CounterNames source(CounterSource source) {
        CounterNames preset = preset(source.preset());
        String switchLabel = source.switchName() == null && source.switchLabel() == null && preset != null
                ? preset.switchLabel()
                : source.switchLabel();
        return new CounterNames(
                or(source.sent(), preset == null ? null : preset.sent(), ""),
                source.received() == null && preset != null ? preset.received() : source.received(),
                source.waits() == null && preset != null ? preset.waits() : source.waits(),
                source.discards() == null && preset != null ? preset.discards() : source.discards(),
                source.octets() != null ? source.octets() : preset == null ? 1 : preset.octets(),
                switchLabel,
                source.switchName(),
                or(source.portLabel(), preset == null ? null : preset.portLabel(), ""));
    }

    private static String or(@Nullable String said, @Nullable String preset, String neither) {
        return said == null ? Objects.requireNonNullElse(preset, neither) : said;
    }

    private static @Nullable CounterNames preset(@Nullable CounterPreset preset) {
        return preset == null
                ? null
                : switch (preset) {
                    case TreydockInfiniband -> CounterNames.TREYDOCK_INFINIBAND;
                    case GuilbaultsInfiniband -> CounterNames.GUILBAULTS_INFINIBAND;
                    case Snmp -> CounterNames.SNMP;
                    case Node -> CounterNames.NODE;
                };
    }
}
