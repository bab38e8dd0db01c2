/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.extender;

import dev.fabricoperator.operator.server.http.ListenerSettings;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.List;

/** Settings of the scheduler extender; as environment variables {@code FABRIC_OPERATOR_EXTENDER_ENABLED} and so on. */
@ConfigMapping(prefix = "fabric-operator.extender")
public interface ExtenderSettings {
    /** Whether there is one. It watches the pods of the whole cluster. */
    @WithDefault("false")
    boolean enabled();

    /** Address that it listens on. */
    @WithDefault("0.0.0.0")
    String host();

    /** TCP port that it listens on. */
    @WithDefault("9445")
    int port();

    /** Common names of client certificates of the cluster's authority that it answers. */
    @WithDefault("system:kube-scheduler")
    List<String> clients();

    /** How long a pod waits for what its Job says of its size; then the pods that are there count. Less than the scheduler's own time. */
    @WithDefault("100ms")
    Duration ownerWait();

    /** How long the best node counts as the pod's while nothing is seen of its binding. */
    @WithDefault("5s")
    Duration assumed();

    ListenerSettings listener();
}
