/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.mesh;

import dev.fabricoperator.protocol.job.JobPeer;
import dev.fabricoperator.protocol.job.JobPod;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** What people are told of a pod: its name and where it listens, and what to allow if it cannot be reached. */
public final class PodNames {
    private static final String ALLOW =
            "pods of a job must be allowed to connect to each other by TCP: look for a NetworkPolicy, or a service mesh that asks for its own TLS";

    private final IntFunction<@Nullable JobPeer> peers;

    public PodNames(List<JobPod> pods) {
        this(index -> JobPeer.of(pods.get(index)));
    }

    private PodNames(IntFunction<@Nullable JobPeer> peers) {
        this.peers = peers;
    }

    /** Of a pod that knows one other so far. */
    static PodNames of(int known, JobPeer peer) {
        return new PodNames(index -> index == known ? peer : null);
    }

    /** For example {@code pod 3 (solver-3, 10.1.2.3, port 40000)}. */
    public String nameOf(int index) {
        JobPeer pod = peers.apply(index);
        return pod == null
                ? "pod " + index
                : "pod " + index + " (" + pod.name() + ", " + addressOf(pod) + ", port " + pod.port() + ')';
    }

    private static String addressOf(JobPeer pod) {
        try {
            return InetAddress.getByAddress(pod.address()).getHostAddress();
        } catch (UnknownHostException e) {
            return "an address of " + pod.address().length + " bytes";
        }
    }

    String cannotBeReached(int parent, long seconds, String lastFailure) {
        return nameOf(parent) + " cannot be reached for " + seconds + " s (" + lastFailure + "); " + ALLOW;
    }

    String hasNotConnected(int child, int self, long seconds) {
        JobPeer own = peers.apply(self);
        String port = own == null ? "" : "TCP port " + own.port() + " of ";
        return nameOf(child) + " has not connected to " + port + "this pod for " + seconds + " s; " + ALLOW;
    }
}
