/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.operator.cluster.FabricFacts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Requests by annotation to read every source of a Fabric once more. One is known by the Fabric's UID and the annotation's
 * value; it is done when each source of the Fabric has it among its {@code refreshes}, and then stands in
 * {@code status.refreshed}, so that no later process does it again.
 */
public final class RefreshRequests {
    private RefreshRequests() {}

    /** What this Fabric asks for and its status does not show as done; {@code null} for nothing. */
    public static @Nullable String wanted(FabricFacts fabric) {
        FabricStatus status = fabric.status();
        String done = status == null ? null : status.refreshed();
        String value = fabric.refresh();
        return value == null || value.equals(done) ? null : request(fabric.uid(), value);
    }

    /** Requests by source. */
    public static Map<String, List<String>> bySource(Collection<FabricFacts> fabrics, SourcesOf sourcesOf) {
        Map<String, List<String>> requests = new HashMap<>();
        for (FabricFacts fabric : fabrics) {
            String wanted = wanted(fabric);
            if (wanted != null) {
                sourcesOf
                        .sourcesOf(fabric)
                        .forEach(source -> requests.computeIfAbsent(source, s -> new ArrayList<>())
                                .add(wanted));
            }
        }
        return requests;
    }

    /** Names of the sources that a Fabric depends on. */
    @FunctionalInterface
    public interface SourcesOf {
        Set<String> sourcesOf(FabricFacts fabric);
    }

    /** What {@code status.refreshed} should say, given the sources that the Fabric depends on. */
    public static @Nullable String done(FabricFacts fabric, Collection<SourceState> sources) {
        FabricStatus status = fabric.status();
        String wanted = wanted(fabric);
        boolean all = wanted != null
                && sources.stream().allMatch(source -> source.refreshes().contains(wanted));
        return all ? fabric.refresh() : status == null ? null : status.refreshed();
    }

    public static String request(String fabricUid, String value) {
        return fabricUid + " " + value;
    }
}
