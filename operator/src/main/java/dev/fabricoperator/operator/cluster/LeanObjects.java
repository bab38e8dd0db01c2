/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.TolerantSerialization;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.quarkus.kubernetes.client.KubernetesClientObjectMapperCustomizer;
import jakarta.inject.Singleton;
import java.util.List;

/**
 * How the client reads objects, for there are very many.
 *
 * <p>Nobody here looks at managedFields, which are a third of a device and become nested maps, nor at most of a pod, each of whose changes is sent
 * whole, or the images that a node has. And a kind that the client does not know is read from a watch as a generic object first, which is written out
 * and read again as what it is.
 */
@Singleton
public class LeanObjects implements KubernetesClientObjectMapperCustomizer {
    private static final List<Class<? extends KubernetesResource>> KINDS =
            List.of(Fabric.class, FabricDevice.class, FabricSwitch.class, FabricJob.class);

    @JsonIgnoreProperties("managedFields")
    private interface WithoutManagedFields {}

    @JsonIncludeProperties({"hostname", "nodeName"})
    private interface PodSpecRead {}

    @JsonIncludeProperties({"conditions", "phase", "podIPs"})
    private interface PodStatusRead {}

    @JsonIncludeProperties({"conditions", "nodeInfo"})
    private interface NodeStatusRead {}

    @Override
    public void customize(ObjectMapper mapper) {
        // What a later release has written, whose schema stays on the way back, stops no watch.
        TolerantSerialization.tolerant(mapper)
                .addMixIn(ObjectMeta.class, WithoutManagedFields.class)
                .addMixIn(PodSpec.class, PodSpecRead.class)
                .addMixIn(PodStatus.class, PodStatusRead.class)
                .addMixIn(NodeStatus.class, NodeStatusRead.class);
    }

    /** Before the first watch begins. */
    public static void register(KubernetesSerialization serialization) {
        KINDS.forEach(serialization::registerKubernetesResource);
    }
}
