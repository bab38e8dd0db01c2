/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.status;

import dev.fabricoperator.crds.JobPlacementStatus;
import org.jspecify.annotations.Nullable;

/**
 * Where an attempt was put.
 *
 * @param fabric the Fabric that most of its devices belong to, {@code null} for none
 * @param cost {@code null} where it has less than two nodes in a fabric
 */
public record Placement(@Nullable String fabric, @Nullable JobPlacementStatus cost) {
    public static final Placement UNKNOWN = new Placement(null, null);
}
