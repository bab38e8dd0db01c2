/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.server;

import org.jspecify.annotations.Nullable;

/**
 * Who a server is and where clients reach it.
 *
 * @param nspace of the server itself, not of a job; PMIX_SERVER_NSPACE
 * @param rank PMIX_SERVER_RANK
 * @param clientPort on 127.0.0.1 that clients are told; 0 for any
 * @param hostname PMIX_HOSTNAME, the pod's name
 * @param directory the library's own: exists and is writable; PMIX_SERVER_TMPDIR and PMIX_SYSTEM_TMPDIR
 * @param clientDirectory what clients are told in its place: one that they have, too
 * @param version PMIX_RM_VERSION, {@code null} if unknown
 * @param clusterId PMIX_CLUSTER_ID, likewise
 */
public record ServerConfig(
        String nspace,
        int rank,
        int clientPort,
        String hostname,
        String directory,
        String clientDirectory,
        @Nullable String version,
        @Nullable String clusterId) {
    public ServerConfig withClientPort(int newClientPort) {
        return new ServerConfig(nspace, rank, newClientPort, hostname, directory, clientDirectory, version, clusterId);
    }
}
