/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.placement;

import dev.fabricoperator.operator.server.jobs.status.ImpairedRanks;
import dev.fabricoperator.operator.server.jobs.status.Placement;
import dev.fabricoperator.protocol.job.JobMap;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A map, and what is worked out after the pods have it.
 *
 * @param version of maps that all pods of the attempt read, as far as they have said it
 * @param renewed the same map with what is now known of devices and the fabric, {@code null} while nothing is known of that. O(devices
 *     of the nodes), and the square of the devices where the map has their costs
 * @param impaired ranks on devices whose links may be about to fail, in their order, as things are now. O(devices of the nodes)
 * @param placement takes up to some seconds for a large job on a large fabric
 */
public record BuiltMap(
        JobMap map,
        int version,
        Supplier<@Nullable JobMap> renewed,
        Supplier<List<ImpairedRanks>> impaired,
        Supplier<Placement> placement) {}
