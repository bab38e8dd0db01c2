/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.fence;

/** The way to the pods next to this one in the {@code MeshShape}: ordered and without loss, or the attempt has ended. */
public interface Neighbours {
    void send(int pod, byte[] message);

    /** Whether that pod has said that nothing more is to be asked of it. */
    boolean hasLeft(int pod);
}
