/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import dev.fabricoperator.pmix.foreign.Native;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Who made a TCP socket of this network namespace, by the kernel's word: a peer on the loopback interface cannot choose it, as it chooses
 * what it says of itself.
 *
 * @param uid that its process had when it made the socket
 * @param inode by which the socket is found among descriptors; 0 if nobody holds it any more
 * @see "Linux, include/uapi/linux/inet_diag.h, sock_diag(7)"
 */
record SocketOwner(int uid, long inode) {
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
    private static final int NETLINK_SOCK_DIAG = 4;
    private static final int MSG_DONTWAIT = 0x40;
    private static final short SOCK_DIAG_BY_FAMILY = 20;
    private static final short NLM_F_REQUEST = 1;
    private static final byte AF_INET = 2;
    private static final byte IPPROTO_TCP = 6;
    /** struct nlmsghdr, struct inet_diag_req_v2. */
    private static final int REQUEST_BYTES = 16 + 56;

    private static final int SOURCE_PORT_AT = 16 + 8;
    private static final int SOURCE_AT = SOURCE_PORT_AT + 4;
    private static final int TARGET_AT = SOURCE_AT + 16;
    private static final int COOKIE_AT = TARGET_AT + 16 + 4;
    /** struct nlmsghdr, then of struct inet_diag_msg: both ports, both addresses. */
    private static final int ANSWER_TARGET_PORT_AT = 16 + 4 + 2;

    private static final int UID_AT = 16 + 4 + 48 + 12;
    private static final int INODE_AT = UID_AT + 4;
    private static final int ANSWER_BYTES = 1024;

    /** The kernel does not tell. */
    static final class UnansweredException extends IOException {
        private static final long serialVersionUID = 1;

        UnansweredException(String reason) {
            super(reason);
        }
    }

    /**
     * @param calls of any library that knows the C library's functions
     * @param from where the connection was made from
     * @param to where it was accepted
     * @throws UnansweredException if the kernel does not tell
     */
    static SocketOwner of(Native calls, InetSocketAddress from, InetSocketAddress to) throws UnansweredException {
        int descriptor = (int) calls.call(calls.function("socket"), AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_SOCK_DIAG);
        if (descriptor < 0) {
            throw new UnansweredException("the kernel opens no socket for questions about sockets");
        }
        long memory = calls.allocate(ANSWER_BYTES);
        try {
            request(Native.view(memory, REQUEST_BYTES), from, to);
            long sent = calls.call(calls.function("send"), descriptor, memory, REQUEST_BYTES, 0, 0, 0, 0);
            // The kernel has answered when send returns.
            long length = sent != REQUEST_BYTES
                    ? -1
                    : calls.call(calls.function("recv"), descriptor, memory, ANSWER_BYTES, MSG_DONTWAIT, 0, 0, 0);
            ByteBuffer answer = Native.view(memory, ANSWER_BYTES);
            if (length < INODE_AT + Integer.BYTES
                    || answer.getShort(4) != SOCK_DIAG_BY_FAMILY
                    || port(answer, ANSWER_TARGET_PORT_AT) != to.getPort()) {
                throw new UnansweredException("the kernel knows no socket from port " + from.getPort());
            }
            return new SocketOwner(answer.getInt(UID_AT), Integer.toUnsignedLong(answer.getInt(INODE_AT)));
        } finally {
            calls.free(memory);
            calls.call(calls.function("close"), descriptor, 0, 0);
        }
    }

    private static void request(ByteBuffer request, InetSocketAddress from, InetSocketAddress to) {
        request.putInt(REQUEST_BYTES).putShort(SOCK_DIAG_BY_FAMILY).putShort(NLM_F_REQUEST);
        request.put(16, AF_INET).put(17, IPPROTO_TCP).putInt(20, -1);
        request.duplicate()
                .order(ByteOrder.BIG_ENDIAN)
                .putShort(SOURCE_PORT_AT, (short) from.getPort())
                .putShort(SOURCE_PORT_AT + 2, (short) to.getPort());
        request.put(SOURCE_AT, from.getAddress().getAddress());
        request.put(TARGET_AT, to.getAddress().getAddress());
        request.putLong(COOKIE_AT, -1);
    }

    private static int port(ByteBuffer message, int at) {
        return Short.toUnsignedInt(
                message.duplicate().order(ByteOrder.BIG_ENDIAN).getShort(at));
    }
}
