/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import dev.fabricoperator.protocol.job.EndpointTemplate;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A rank's address as libfabric takes it into an address vector ({@code fi_av_insert}) for the template's format, on a
 * little-endian machine.
 */
final class EndpointBytes {
    private static final short AF_INET = 2;
    private static final short AF_INET6 = 10;
    private static final short AF_IB = 27;
    private static final short DEFAULT_PARTITION = (short) 0xffff;

    private EndpointBytes() {}

    /** @param localRank of the rank in its pod */
    static byte[] of(EndpointTemplate template, int localRank) {
        int port = template.firstPort() == 0 ? 0 : template.firstPort() + localRank;
        return switch (template.format()) {
            case FI_SOCKADDR_IN -> sockaddrIn(template.address(), port);
            case FI_SOCKADDR_IN6 -> sockaddrIn6(template.address(), port);
            case FI_SOCKADDR_IB -> sockaddrIb(template.address());
            case FI_ADDR_EFA -> efa(template.address());
            case FI_ADDR_CXI -> template.address().clone();
        };
    }

    /** {@code struct sockaddr_in}: family, port, address, 8 bytes of zero; netinet/in.h. */
    private static byte[] sockaddrIn(byte[] address, int port) {
        ByteBuffer bytes = ByteBuffer.allocate(16);
        bytes.order(ByteOrder.nativeOrder()).putShort(AF_INET);
        bytes.order(ByteOrder.BIG_ENDIAN).putShort((short) port).put(address);
        return bytes.array();
    }

    /** {@code struct sockaddr_in6}: family, port, flow information, address, scope; netinet/in.h. */
    private static byte[] sockaddrIn6(byte[] address, int port) {
        ByteBuffer bytes = ByteBuffer.allocate(28);
        bytes.order(ByteOrder.nativeOrder()).putShort(AF_INET6);
        bytes.order(ByteOrder.BIG_ENDIAN).putShort((short) port).putInt(0).put(address);
        return bytes.array();
    }

    /** {@code struct sockaddr_ib}: family, partition key, flow, GID, service id and mask, scope; rdma/ib.h. */
    private static byte[] sockaddrIb(byte[] gid) {
        ByteBuffer bytes = ByteBuffer.allocate(48);
        bytes.order(ByteOrder.nativeOrder()).putShort(AF_IB);
        bytes.order(ByteOrder.BIG_ENDIAN).putShort(DEFAULT_PARTITION).putInt(0).put(gid);
        return bytes.array();
    }

    /** {@code struct efa_ep_addr}: GID, queue pair, padding, queue key, a pointer; libfabric prov/efa. */
    private static byte[] efa(byte[] gid) {
        return ByteBuffer.allocate(32).put(gid).array();
    }
}
