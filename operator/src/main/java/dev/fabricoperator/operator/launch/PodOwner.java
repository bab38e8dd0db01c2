/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import org.jspecify.annotations.Nullable;

/**
 * What is kept of an object that makes pods: nothing that grows with the job.
 *
 * @param job stands for the whole job: the object itself, or what controls it
 * @param places where its pods are
 */
public record PodOwner(OwnerRef job, Places places) {
    /** Gives a pod its place. */
    @FunctionalInterface
    public interface Places {
        /** {@code null} for a pod that has none, whatever it says of itself. */
        @Nullable
        PodSlot slot(PodFact pod);
    }
}
