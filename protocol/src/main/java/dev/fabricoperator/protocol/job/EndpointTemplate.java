/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

/**
 * The libfabric address of every rank of a pod on one device; a rank's differs in its port only.
 *
 * @param address 4 bytes, 16 bytes, GID (16), or what the format says
 * @param firstPort of local rank 0, local rank {@code n} has {@code firstPort + n}; 0 where the format has no port
 * @param lid InfiniBand local identifier, 0 otherwise
 * @see "libfabric fi_getinfo(3), addr_format"
 */
public record EndpointTemplate(Format format, byte[] address, int firstPort, int lid) {
    /** How a peer is named. */
    public enum Format {
        /** struct sockaddr_in, 16 bytes, network byte order inside. */
        FI_SOCKADDR_IN,
        /** struct sockaddr_in6, 28 bytes. */
        FI_SOCKADDR_IN6,
        /** struct sockaddr_ib, 48 bytes; queue pair number unknown before the rank opens the device. */
        FI_SOCKADDR_IB,
        /** NIC address of Slingshot. */
        FI_ADDR_CXI,
        /** GID of an Elastic Fabric Adapter; queue pair number unknown before the rank opens the device. */
        FI_ADDR_EFA
    }
}
