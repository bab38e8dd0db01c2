/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.placement;

import dev.fabricoperator.operator.server.jobs.status.Placement;
import dev.fabricoperator.pmix.job.JobMap;
import java.util.function.Supplier;

/**
 * A map, and what is worked out after the pods have it.
 *
 * @param placement takes up to some seconds for a large job on a large fabric
 */
public record BuiltMap(JobMap map, Supplier<Placement> placement) {}
