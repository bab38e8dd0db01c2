/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.traffic;

import dev.fabricoperator.pmix.foreign.Native;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * {@link TcpConnections} by netlink, for which nobody needs a privilege: a dump of the sockets that are open, and the kernel's messages about those that are
 * destroyed, which have the last values of their counters.
 *
 * @see "Linux, include/uapi/linux/inet_diag.h, sock_diag.h (SKNLGRP_INET_TCP_DESTROY), tcp.h (struct tcp_info), sock_diag(7); ss --events of iproute2"
 */
final class SockDiag implements TcpConnections {
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
    private static final int NETLINK_SOCK_DIAG = 4;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int NLMSG_ERROR = 2;
    private static final int NLMSG_DONE = 3;
    private static final int SOCK_DIAG_BY_FAMILY = 20;
    private static final short NLM_F_REQUEST_DUMP = 1 | 0x300;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final byte IPPROTO_TCP = 6;
    private static final byte INET_DIAG_INFO = 2;
    /** SKNLGRP_INET_TCP_DESTROY and SKNLGRP_INET6_TCP_DESTROY, as bits. */
    private static final int DESTROYED = 1 | 1 << 2;
    /** Neither listening, nor without a peer, nor those of which only the wait at the end is left. */
    private static final int STATES = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 8 | 1 << 9 | 1 << 11;

    /** struct sockaddr_nl: family, padding, port, groups. */
    private static final int ADDRESS_BYTES = 12;

    private static final int HEADER_BYTES = 16;
    /** struct nlmsghdr, struct inet_diag_req_v2. */
    private static final int REQUEST_BYTES = HEADER_BYTES + 56;

    // struct inet_diag_msg, after struct nlmsghdr.
    private static final int LOCAL_PORT_AT = 4;
    private static final int PEER_PORT_AT = 6;
    private static final int LOCAL_AT = 8;
    private static final int PEER_AT = 24;
    private static final int COOKIE_AT = 44;
    private static final int INODE_AT = 68;
    private static final int ATTRIBUTES_AT = 72;

    // struct tcp_info.
    private static final int RTT_AT = 68;
    private static final int RETRANSMITS_AT = 100;
    private static final int ACKNOWLEDGED_AT = 120;

    private static final int BUFFER_BYTES = 32 * 1024;
    private static final int ADDRESS6_BYTES = 16;
    /** ::ffff:0:0/96. */
    private static final int MAPPED_BYTES = 12;

    private final Native calls;
    private final Native.Function recv;
    /** Negative where the kernel does not tell of closed sockets. */
    private final int destroyed;

    private final long memory;

    /**
     * @param events whether those that are closed are to be told, of whichever process of this network namespace
     * @throws IOException if the kernel has no such sockets
     */
    SockDiag(boolean events) throws IOException {
        calls = new Native("libc.so.6");
        recv = calls.function("recv");
        int descriptor = events ? opened() : -1;
        memory = calls.allocate(BUFFER_BYTES);
        destroyed = descriptor >= 0 && !subscribe(descriptor) ? ended(descriptor) : descriptor;
    }

    private int opened() throws IOException {
        int descriptor = (int) calls.call(calls.function("socket"), AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_SOCK_DIAG);
        if (descriptor < 0) {
            throw new IOException("the kernel opens no socket for questions about sockets");
        }
        return descriptor;
    }

    private boolean subscribe(int descriptor) {
        ByteBuffer address = Native.view(memory, ADDRESS_BYTES);
        address.putShort((short) AF_NETLINK).putShort((short) 0).putInt(0).putInt(DESTROYED);
        return (int) calls.call(calls.function("bind"), descriptor, memory, ADDRESS_BYTES) == 0;
    }

    private int ended(int descriptor) {
        calls.call(calls.function("close"), descriptor, 0, 0);
        return -1;
    }

    @Override
    public void open(Consumer<Connection> each) throws IOException {
        int descriptor = opened();
        try {
            dump(descriptor, AF_INET, each);
            dump(descriptor, AF_INET6, each);
        } finally {
            ended(descriptor);
        }
    }

    private void dump(int descriptor, int family, Consumer<Connection> each) throws IOException {
        ByteBuffer request = Native.view(memory, REQUEST_BYTES);
        for (int at = 0; at < REQUEST_BYTES; at++) {
            request.put(at, (byte) 0);
        }
        request.putInt(REQUEST_BYTES).putShort((short) SOCK_DIAG_BY_FAMILY).putShort(NLM_F_REQUEST_DUMP);
        request.put(HEADER_BYTES, (byte) family)
                .put(HEADER_BYTES + 1, IPPROTO_TCP)
                .put(HEADER_BYTES + 2, (byte) (1 << INET_DIAG_INFO - 1))
                .putInt(HEADER_BYTES + 4, STATES);
        if (calls.call(calls.function("send"), descriptor, memory, REQUEST_BYTES, 0, 0, 0, 0) != REQUEST_BYTES) {
            throw new IOException("the kernel takes no question about sockets");
        }
        while (true) {
            long length = calls.call(recv, descriptor, memory, BUFFER_BYTES, MSG_DONTWAIT, 0, 0, 0);
            if (length <= 0) {
                throw new IOException("the kernel does not tell of its sockets to the end");
            }
            int end = take(Native.view(memory, length), each);
            if (end == NLMSG_DONE) {
                return;
            }
            if (end != 0) {
                throw new IOException("the kernel does not know questions about TCP sockets");
            }
        }
    }

    @Override
    public int closed(Consumer<Connection> each) {
        int missed = 0;
        boolean failedBefore = false;
        while (destroyed >= 0) {
            long length = calls.call(recv, destroyed, memory, BUFFER_BYTES, MSG_DONTWAIT, 0, 0, 0);
            if (length > 0) {
                // What comes behind a failure came before the kernel had no room any more: ENOBUFS, and not the end.
                missed += failedBefore ? 1 : 0;
                failedBefore = false;
                take(Native.view(memory, length), each);
            } else if (failedBefore) {
                break;
            } else {
                failedBefore = true;
            }
        }
        return missed;
    }

    /** @return kind of the message that is not about a socket, behind which there is nothing; 0 if there is none */
    static int take(ByteBuffer messages, Consumer<Connection> each) {
        int at = 0;
        while (at + HEADER_BYTES <= messages.limit()) {
            int length = messages.getInt(at);
            int type = messages.getShort(at + 4);
            if (length < HEADER_BYTES || length > messages.limit() - at) {
                return NLMSG_ERROR;
            }
            if (type != SOCK_DIAG_BY_FAMILY) {
                return type;
            }
            if (length >= HEADER_BYTES + ATTRIBUTES_AT) {
                connection(messages.slice(at + HEADER_BYTES, length - HEADER_BYTES), each);
            }
            at += length + 3 & ~3;
        }
        return 0;
    }

    private static void connection(ByteBuffer unordered, Consumer<Connection> each) {
        ByteBuffer message = unordered.order(ByteOrder.nativeOrder());
        int at = ATTRIBUTES_AT;
        while (at + 4 <= message.limit()) {
            int length = Short.toUnsignedInt(message.getShort(at));
            if (length < 4 || length > message.limit() - at) {
                return;
            }
            if (message.getShort(at + 2) == INET_DIAG_INFO && length - 4 >= ACKNOWLEDGED_AT + Long.BYTES) {
                ByteBuffer info = message.slice(at + 4, length - 4).order(ByteOrder.nativeOrder());
                each.accept(new Connection(
                        message.getLong(COOKIE_AT),
                        Integer.toUnsignedLong(message.getInt(INODE_AT)),
                        address(message, LOCAL_AT),
                        port(message, LOCAL_PORT_AT),
                        address(message, PEER_AT),
                        port(message, PEER_PORT_AT),
                        info.getLong(ACKNOWLEDGED_AT),
                        Integer.toUnsignedLong(info.getInt(RETRANSMITS_AT)),
                        Integer.toUnsignedLong(info.getInt(RTT_AT))));
                return;
            }
            at += length + 3 & ~3;
        }
    }

    private static int port(ByteBuffer message, int at) {
        return Byte.toUnsignedInt(message.get(at)) << Byte.SIZE | Byte.toUnsignedInt(message.get(at + 1));
    }

    /** As 4 bytes also where an IPv6 socket speaks IPv4. */
    private static byte[] address(ByteBuffer message, int at) {
        byte[] address = new byte[message.get(0) == AF_INET ? 4 : ADDRESS6_BYTES];
        message.get(at, address);
        return plain(address);
    }

    static byte[] plain(byte[] address) {
        if (address.length != ADDRESS6_BYTES) {
            return address;
        }
        for (int at = 0; at < MAPPED_BYTES; at++) {
            if (address[at] != (at < MAPPED_BYTES - 2 ? 0 : (byte) 0xff)) {
                return address;
            }
        }
        return Arrays.copyOfRange(address, MAPPED_BYTES, ADDRESS6_BYTES);
    }

    @Override
    public void close() {
        if (destroyed >= 0) {
            ended(destroyed);
        }
        calls.free(memory);
    }
}
