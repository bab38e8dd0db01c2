/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How an agent runs.
 *
 * @param hostRoot directory that holds the host's {@code sys}, {@code proc}, {@code etc}
 * @param nodeName the Kubernetes node that this host is
 * @param apiServer for example {@code https://10.96.0.1:443}
 * @param tokenFile bearer token, read again for every connection attempt since the kubelet renews it; null: none
 * @param caFile PEM certificates that the API server's must chain to, no others; null: those that Java trusts
 * @param pollInterval between two looks at the link state files
 * @param rediscoverInterval between two looks at everything
 * @param resyncInterval between two looks at the published objects
 * @param presenceInterval between two looks at one published object, whether it is still there
 * @param metricsPort of /healthz, /readyz, /metrics; 0 for any free port, -1 for none
 * @param lldpSocket of the host's LLDP daemon; null to look for it below {@code hostRoot}
 * @param lldpctl the program that asks that daemon
 */
@RecordBuilder
public record AgentConfig(
        Path hostRoot,
        String nodeName,
        URI apiServer,
        @Nullable Path tokenFile,
        @Nullable Path caFile,
        Duration pollInterval,
        Duration rediscoverInterval,
        Duration resyncInterval,
        Duration presenceInterval,
        int metricsPort,
        @Nullable Path lldpSocket,
        Path lldpctl) {

    public static final Path LLDPCTL = Path.of("lldpctl");
    public static final Duration POLL_INTERVAL = Duration.ofSeconds(2);
    public static final Duration REDISCOVER_INTERVAL = Duration.ofMinutes(1);
    public static final Duration RESYNC_INTERVAL = Duration.ofMinutes(10);
    public static final Duration PRESENCE_INTERVAL = Duration.ofSeconds(30);

    /** Intervals as in production, no metrics port. */
    public static AgentConfig of(
            Path hostRoot, String nodeName, URI apiServer, @Nullable Path tokenFile, @Nullable Path caFile) {
        return new AgentConfig(
                hostRoot,
                nodeName,
                apiServer,
                tokenFile,
                caFile,
                POLL_INTERVAL,
                REDISCOVER_INTERVAL,
                RESYNC_INTERVAL,
                PRESENCE_INTERVAL,
                -1,
                null,
                LLDPCTL);
    }
}
