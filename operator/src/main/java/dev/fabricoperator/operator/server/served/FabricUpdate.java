/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.served;

/**
 * That a fabric is about to change, or has changed.
 *
 * @param phase {@code Pending}: another generation is on its way, data of {@code generation} still holds; {@code Updated}:
 *     {@code generation} is served; {@code Gone}: the Fabric is deleted
 * @param digest of the cost matrix of {@code generation}
 * @param coordinatesChanged whether a device that was there before stands elsewhere now; {@code false} while pending
 * @see "PMIx Standard, PMIX_FABRIC_UPDATE_PENDING, PMIX_FABRIC_UPDATED, PMIX_FABRIC_COORDS_UPDATED"
 */
public record FabricUpdate(
        String fabric, Phase phase, long generation, String digest, int index, boolean coordinatesChanged) {
    /** Of an update. */
    public enum Phase {
        Pending,
        Updated,
        Gone
    }
}
