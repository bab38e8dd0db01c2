/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.LaunchRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a pod's PMIx server comes to run beside its ranks. The launcher speaks to it in the same way whatever the shape. */
interface PodShape {
    /**
     * What the server must know.
     *
     * @param namespace of the pod
     * @param jobRanks of the whole job, as many as are assumed where it is not known
     * @param bounds of the pod's namespace
     * @param job {@code null} where the pod's owner is gone, or where there are no ranks
     * @param requiresPmix whether a job of which no rank has called PMIx_Init is to fail
     */
    record Server(
            LaunchRequest request,
            JobService service,
            String namespace,
            long jobRanks,
            ContainerBounds bounds,
            @Nullable DirectJob job,
            boolean requiresPmix) {}

    /**
     * Changes a pod so that its server is there when its ranks are.
     *
     * @param application the container of the pod that runs the ranks
     * @return what the pod's author should know
     * @throws DeniedException where what is added would be refused with the pod
     */
    List<String> add(ObjectNode pod, ObjectNode application, Server server) throws DeniedException;
}
