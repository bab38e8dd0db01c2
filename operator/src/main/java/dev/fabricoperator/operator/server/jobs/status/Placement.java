/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.status;

import dev.fabricoperator.crds.JobChannel;
import dev.fabricoperator.crds.JobPlacementStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where an attempt was put.
 *
 * @param fabric the Fabric that most of its devices belong to, {@code null} for none
 * @param channels with the levels of service that its ranks are told of
 * @param cost {@code null} where it has less than two nodes in a fabric
 */
public record Placement(@Nullable String fabric, @Nullable JobPlacementStatus cost, List<JobChannel> channels) {
    public static final Placement UNKNOWN = new Placement(null, null, List.of());
}
