/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.system;

import dev.fabricoperator.agent.Agent;
import dev.fabricoperator.agent.AgentConfig;
import dev.fabricoperator.agent.AgentConfigBuilder;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.standin.BoundPod;
import dev.fabricoperator.e2e.cluster.standin.PodRuntime;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;

/** The agent of one node, in this JVM, with the pod's own token. */
final class AgentProgram implements PodRuntime.RunningPod {
    private final Agent agent;

    private AgentProgram(Agent agent) {
        this.agent = agent;
    }

    static AgentProgram start(Cluster cluster, BoundPod bound, Path authority, Duration pollInterval)
            throws IOException {
        AgentConfig production = AgentConfig.of(
                bound.node().hostRoot(),
                bound.node().name(),
                URI.create(cluster.server()),
                bound.tokenFile(),
                authority);
        Agent agent = new Agent(AgentConfigBuilder.builder(production)
                .pollInterval(pollInterval)
                .build());
        agent.start();
        return new AgentProgram(agent);
    }

    @Override
    public boolean isReady() {
        return agent.isReady();
    }

    @Override
    public boolean isAlive() {
        return true;
    }

    @Override
    public void close() {
        agent.close();
    }
}
