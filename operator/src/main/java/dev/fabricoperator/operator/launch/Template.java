/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import dev.fabricoperator.crds.LaunchApi;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;

/** What the annotations of a pod template ask for. A value that cannot be read counts as absent: admission has refused it. */
record Template(boolean direct, int ranksPerPod, Duration assemblyTimeout, RankOrder rankOrder) {
    private static final int MOST_RANKS_PER_POD = 65536;

    static Template of(Map<String, String> annotations) {
        return new Template(
                LaunchApi.DIRECT.equals(annotations.get(LaunchApi.LAUNCH)),
                ranks(annotations.getOrDefault(LaunchApi.RANKS_PER_POD, "1")),
                duration(annotations.getOrDefault(LaunchApi.ASSEMBLY_TIMEOUT, "")),
                RankOrder.topology.name().equals(annotations.get(LaunchApi.RANK_ORDER))
                        ? RankOrder.topology
                        : RankOrder.index);
    }

    private static int ranks(String text) {
        try {
            int ranks = Integer.parseInt(text);
            return ranks >= 1 && ranks <= MOST_RANKS_PER_POD ? ranks : 1;
        } catch (NumberFormatException e) {
            return 1;
        }
    }

    private static Duration duration(String text) {
        try {
            Duration read = text.matches("[0-9]{1,9}")
                    ? Duration.ofSeconds(Long.parseLong(text))
                    : Duration.parse("PT" + text.toUpperCase(Locale.ROOT));
            return read.isPositive() ? read : JobFacts.DEFAULT_ASSEMBLY_TIMEOUT;
        } catch (DateTimeParseException e) {
            return JobFacts.DEFAULT_ASSEMBLY_TIMEOUT;
        }
    }
}
