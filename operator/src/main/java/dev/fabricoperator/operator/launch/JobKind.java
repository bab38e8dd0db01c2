/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import io.fabric8.kubernetes.client.KubernetesClientException;
import org.jspecify.annotations.Nullable;

/** One kind of object that makes pods with stable indices. */
public interface JobKind {
    /** The pod's place by its own metadata, {@code null} where it is none of this kind's. Pure. */
    @Nullable
    Claim claim(PodFact pod);

    /**
     * Asks the API server for the owner.
     *
     * @return {@code null} where the owner is gone, or another one of the same name is there
     * @throws KubernetesClientException where the API server does not answer
     */
    @Nullable
    JobFacts read(String namespace, OwnerRef owner);

    /**
     * Asks the API server whether the owner has ended.
     *
     * @return {@code null} while it makes pods, and where it is not of this kind; one that is gone has ended
     * @throws KubernetesClientException where the API server does not answer
     */
    @Nullable
    JobEnd end(String namespace, OwnerRef owner);
}
