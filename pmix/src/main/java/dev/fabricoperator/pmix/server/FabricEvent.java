/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.server;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * That a fabric is about to change, or has changed.
 *
 * @param code PMIX_FABRIC_UPDATE_PENDING, PMIX_FABRIC_UPDATED or PMIX_FABRIC_UPDATE_ENDPOINTS
 * @param index PMIX_FABRIC_INDEX
 * @param planes PMIX_FABRIC_PLANE, those in which something has changed; empty for none
 * @param coordinatesChanged {@link #COORDINATES_UPDATED}, {@code null} where that is not said
 * @param routesChanged {@link #ROUTES_CHANGED}, {@code null} where that is not said
 */
public record FabricEvent(
        int code,
        int index,
        List<String> planes,
        @Nullable Boolean coordinatesChanged,
        @Nullable Boolean routesChanged) {
    /** PMIX_BOOL, whether a device has other coordinates than before: the library's header has no key for that. */
    public static final String COORDINATES_UPDATED = "fabric-operator.coordinates-updated";

    /** PMIX_BOOL, whether packets between the job's devices take another way than before. */
    public static final String ROUTES_CHANGED = "fabric-operator.routes-changed";

    public FabricEvent {
        planes = List.copyOf(planes);
    }
}
