/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

/**
 * Where a cluster's nodes come from.
 *
 * Today {@link dev.fabricoperator.e2e.cluster.standin.StandInNodes} plays the kubelet's part towards the API server without running containers. Real kubelets
 * get an implementation of this interface: one containerd and one kubelet per node, each started with {@code nsenter} in a network namespace of its own, the
 * kubelet built from {@code e2e/control-plane/go.mod} (its {@code tool} line is there) with a certificate {@code system:node:NAME} of the control plane's
 * authority, and the node's host root mounted where the agent's pod looks for it. Tests that are written against this interface then run on both.
 */
public interface Nodes extends AutoCloseable {
    /** Registers the node and keeps it Ready; returns when its Node object exists. */
    void join(NodeSpec node);

    /** Lets the node fall silent, as when it loses power: no heartbeat, its pods' processes end, nothing is said to the API server. */
    void loseContact(String name);

    /** Ends {@link #loseContact}: the heartbeat goes on, pods that are bound to the node start again. */
    void regainContact(String name);

    /** Ends the node's pods and removes its Node object. */
    void leave(String name);

    /** Ends all processes; the objects stay in the API server. */
    @Override
    void close();
}
