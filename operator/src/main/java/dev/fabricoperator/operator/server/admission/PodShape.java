/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.operator.launch.LaunchRequest;
import java.util.List;

/** How a pod's PMIx server comes to run beside its ranks. The launcher speaks to it in the same way whatever the shape. */
interface PodShape {
    /**
     * What the server must know.
     *
     * @param namespace of the pod
     * @param jobRanks of the whole job
     * @param bounds of the pod's namespace
     * @param partsWhenDone whether the pod is to wait for no other when its ranks are done
     */
    record Server(
            LaunchRequest request,
            JobService service,
            String namespace,
            long jobRanks,
            ContainerBounds bounds,
            boolean partsWhenDone) {}

    /**
     * Changes a pod so that its server is there when its ranks are.
     *
     * @param application the container of the pod that runs the ranks
     * @return what the pod's author should know
     * @throws DeniedException where what is added would be refused with the pod
     */
    List<String> add(ObjectNode pod, ObjectNode application, Server server) throws DeniedException;
}
