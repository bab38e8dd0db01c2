/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import dev.fabricoperator.pmix.foreign.Native;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The C library's functions for TCP sockets by descriptor: Java's own channels do not tell their descriptors, and cannot look at bytes without
 * taking them. Whoever closes a descriptor sees to it that nobody uses it any more.
 *
 * @see "socket(7), tcp(7), recv(2), poll(2), eventfd(2)"
 */
final class SocketCalls {
    static final int MSG_PEEK = 2;
    static final int MSG_DONTWAIT = 0x40;
    /** struct pollfd. */
    static final int POLL_BYTES = 8;

    static final short POLLIN = 1;
    /** The peer has sent all that it will send. */
    static final short POLLRDHUP = 0x2000;

    private static final int AF_INET = 2;
    private static final int SOCK_STREAM = 1;
    private static final int NONBLOCK = 0x800;
    private static final int CLOEXEC = 0x80000;
    private static final int SOL_SOCKET = 1;
    private static final int SO_REUSEADDR = 2;
    private static final int SO_OOBINLINE = 10;
    private static final int SO_RCVLOWAT = 18;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_NODELAY = 1;
    private static final int SHUT_RD = 0;
    private static final int LOOPBACK = 0x7f000001;
    /** struct sockaddr_in, and its length. */
    private static final int ADDRESS_BYTES = 16 + Integer.BYTES;

    private final Native calls;

    SocketCalls(Native calls) {
        this.calls = calls;
    }

    private long call(String function, long a, long b, long c, long d, long e) {
        return (int) calls.call(calls.function(function), a, b, c, d, e, 0, 0);
    }

    private int checked(long result, String what) throws IOException {
        if (result < 0) {
            throw calls.failure(what);
        }
        return (int) result;
    }

    /**
     * A socket that listens on 127.0.0.1 and does not block. Connections inherit that each message is sent at once: without it the second of two
     * messages in a row, an event after an answer, waits for an acknowledgement of the first, which the kernel holds back for 40 ms. And that urgent
     * bytes stay in their place: whoever looks sees what one who reads will get.
     *
     * @param port 0 for any that is free
     */
    int listen(int port, int backlog) throws IOException {
        int made = checked(call("socket", AF_INET, SOCK_STREAM | NONBLOCK | CLOEXEC, 0, 0, 0), "socket");
        long address = calls.allocate(ADDRESS_BYTES);
        try {
            ByteBuffer view = Native.view(address, ADDRESS_BYTES).putShort(0, (short) AF_INET);
            view.order(ByteOrder.BIG_ENDIAN).putShort(2, (short) port).putInt(4, LOOPBACK);
            set(made, SOL_SOCKET, SO_REUSEADDR, 1);
            set(made, SOL_SOCKET, SO_OOBINLINE, 1);
            set(made, IPPROTO_TCP, TCP_NODELAY, 1);
            checked(call("bind", made, address, 16, 0, 0), "cannot bind port " + port + " of 127.0.0.1");
            checked(call("listen", made, backlog, 0, 0, 0), "listen");
            return made;
        } catch (IOException e) {
            close(made);
            throw e;
        } finally {
            calls.free(address);
        }
    }

    /** @throws IOException if the kernel hands over none, for example for want of descriptors */
    int accept(int listener) throws IOException {
        return checked(call("accept4", listener, 0, 0, CLOEXEC, 0), "the kernel hands over none");
    }

    InetSocketAddress local(int descriptor) throws IOException {
        return address("getsockname", descriptor);
    }

    InetSocketAddress peer(int descriptor) throws IOException {
        return address("getpeername", descriptor);
    }

    private InetSocketAddress address(String function, int descriptor) throws IOException {
        long memory = calls.allocate(ADDRESS_BYTES);
        try {
            ByteBuffer view = Native.view(memory, ADDRESS_BYTES).putInt(16, 16);
            checked(call(function, descriptor, memory, memory + 16, 0, 0), function);
            byte[] host = new byte[4];
            view.get(4, host);
            int port = Short.toUnsignedInt(view.order(ByteOrder.BIG_ENDIAN).getShort(2));
            return new InetSocketAddress(InetAddress.getByAddress(host), port);
        } finally {
            calls.free(memory);
        }
    }

    /** The socket is readable from so many bytes on, or at its end. */
    void awaitBytes(int descriptor, int count) throws IOException {
        set(descriptor, SOL_SOCKET, SO_RCVLOWAT, count);
    }

    private void set(int descriptor, int level, int option, int value) throws IOException {
        long memory = calls.allocate(Integer.BYTES);
        try {
            Native.view(memory, Integer.BYTES).putInt(0, value);
            checked(call("setsockopt", descriptor, level, option, memory, Integer.BYTES), "setsockopt " + option);
        } finally {
            calls.free(memory);
        }
    }

    /** @return how many bytes there were, 0 at the end */
    int receive(int descriptor, long memory, int count, int flags) throws IOException {
        return checked(call("recv", descriptor, memory, count, flags, 0), "recv");
    }

    /**
     * @param entries struct pollfd, so many
     * @param millis -1 to wait for good
     */
    void poll(long entries, int count, int millis) {
        call("poll", entries, count, millis, 0, 0);
    }

    /** Who reads gets what has come, then the end. */
    void endInput(int descriptor) {
        shutdown(descriptor, SHUT_RD);
    }

    int shutdown(int descriptor, int how) {
        return (int) call("shutdown", descriptor, how, 0, 0, 0);
    }

    void close(int descriptor) {
        call("close", descriptor, 0, 0, 0, 0);
    }

    /** A descriptor that is readable from {@link #raise} to {@link #lower}. */
    int signal() throws IOException {
        return checked(call("eventfd", 0, NONBLOCK | CLOEXEC, 0, 0, 0), "eventfd");
    }

    void raise(int signal) {
        call("eventfd_write", signal, 1, 0, 0, 0);
    }

    void lower(int signal) {
        long memory = calls.allocate(Long.BYTES);
        call("eventfd_read", signal, memory, 0, 0, 0);
        calls.free(memory);
    }

    /** Makes {@code descriptor} another name of {@code of}, after closing what it was. */
    int duplicate(int of, int descriptor) {
        return (int) call("dup3", of, descriptor, CLOEXEC, 0, 0);
    }
}
