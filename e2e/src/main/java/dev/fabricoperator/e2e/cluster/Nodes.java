/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

/**
 * Where the nodes of a control plane on loopback come from: {@link dev.fabricoperator.e2e.cluster.standin.StandInNodes} plays the kubelet's part towards the API
 * server and runs the agent as a process. Nodes that run containers are {@link dev.fabricoperator.e2e.node.RealCluster}'s: another network, other duties.
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
