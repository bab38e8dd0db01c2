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
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;

/**
 * Keeps libpmix's own port on 127.0.0.1 for this process: everybody else's connection requests get no answer. A filter of the kernel on the
 * listening socket drops every packet but those of connections that were made here, which hold the ports that they come from. Where the
 * kernel lets no ordinary user have such a filter, it takes packets with signatures only (RFC 2385), whose key only this process has; that
 * costs the sum of each packet. For one thread.
 *
 * @see "socket(7), SO_ATTACH_FILTER; Documentation/networking/filter.rst; tcp(7), TCP_MD5SIG; Linux, include/uapi/linux/tcp.h, struct tcp_md5sig"
 */
final class ListenerGuard {
    private static final int DESCRIPTORS = 1024;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    /** The third word of an IPv4 address that is written as one of IPv6. */
    private static final int MAPPED = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? 0xffff : 0xffff0000;

    private static final int IPPROTO_TCP = 6;
    private static final int TCP_MD5SIG = 14;
    /** Of a signature, at most. */
    static final int KEY_BYTES = 80;
    /** struct sockaddr_storage. */
    private static final int ADDRESS_BYTES = 128;

    private static final int SOL_SOCKET = 1;
    private static final int SO_ATTACH_FILTER = 26;
    private static final int TCP_NODELAY = 1;
    private static final int LOOPBACK = 0x7f000001;
    /** Connections whose last packet of the handshake the kernel may not have handed over yet. */
    private static final int RECENT = 64;

    private static final int LOAD_WORD = 0x20;
    private static final int LOAD_HALF = 0x28;
    private static final int JUMP_IF_EQUAL = 0x15;
    private static final int RETURN = 0x06;
    private static final int IP_SOURCE = -0x100000 + 12;
    private static final int TCP_SOURCE = 0;
    private static final int ALL = -1;
    private static final int INSTRUCTION_BYTES = 8;
    private static final int HEAD_BYTES = 16;

    private final Native calls;
    private final int port;
    private final int descriptor;
    /** Empty while the filter does it. */
    private byte[] key = {};

    private final ArrayDeque<SocketChannel> recent = new ArrayDeque<>();

    private ListenerGuard(Native calls, int port, int descriptor) {
        this.calls = calls;
        this.port = port;
        this.descriptor = descriptor;
    }

    /**
     * From now on nobody reaches the port but by {@link #connect}.
     *
     * @param port that the library listens on
     * @param key for signatures, random
     * @throws IOException if the socket is not found, or the kernel takes neither a filter nor a key
     */
    static ListenerGuard of(Native calls, int port, byte[] key) throws IOException {
        ListenerGuard guard = new ListenerGuard(calls, port, descriptor(calls, port));
        guard.sendAtOnce();
        try {
            guard.attach();
        } catch (IOException e) {
            guard.key = key.clone();
            guard.sign(guard.descriptor);
        }
        return guard;
    }

    /**
     * Connections inherit it. Without it the second of two messages of the library in a row, an event after an answer, waits for an acknowledgement
     * of the first, which the kernel holds back for 40 ms.
     */
    private void sendAtOnce() throws IOException {
        long one = calls.allocate(Integer.BYTES);
        try {
            Native.view(one, Integer.BYTES).putInt(0, 1);
            long result = calls.call(
                    calls.function("setsockopt"), descriptor, IPPROTO_TCP, TCP_NODELAY, one, Integer.BYTES, 0, 0);
            if ((int) result != 0) {
                throw new IOException("the kernel sets no TCP_NODELAY on the library's port");
            }
        } finally {
            calls.free(one);
        }
    }

    /** The socket that is bound to a port of 127.0.0.1. */
    private static int descriptor(Native calls, int port) throws IOException {
        for (int descriptor = 3; descriptor < DESCRIPTORS; descriptor++) {
            byte[] address = boundTo(calls, descriptor);
            // Of either family the address is the last four bytes of what is read.
            int at = address.length - Integer.BYTES;
            if (at > 0
                    && ByteBuffer.wrap(address).getInt(at) == LOOPBACK
                    && Short.toUnsignedInt(ByteBuffer.wrap(address).getShort(2)) == port) {
                return descriptor;
            }
        }
        throw new IOException("no descriptor of this process is bound to port " + port);
    }

    /** struct sockaddr_in, or struct sockaddr_in6 up to the end of the address, of IPv4 either way; empty for any other descriptor. */
    private static byte[] boundTo(Native calls, int descriptor) {
        long memory = calls.allocate(64);
        try {
            ByteBuffer view = Native.view(memory, 64);
            view.putInt(60, 60);
            long result = calls.call(calls.function("getsockname"), descriptor, memory, memory + 60);
            int family = (int) result == 0 ? view.getShort(0) : 0;
            return family == AF_INET
                    ? Native.bytes(memory, 8)
                    : family == AF_INET6 && view.getInt(16) == MAPPED ? Native.bytes(memory, 24) : new byte[0];
        } finally {
            calls.free(memory);
        }
    }

    /** Lets a socket speak with others on 127.0.0.1 that have the key, and with nobody else. */
    private void sign(int socket) throws IOException {
        byte[] address = boundTo(calls, socket);
        long size = ADDRESS_BYTES + 8L + KEY_BYTES;
        long memory = calls.allocate(size);
        try {
            ByteBuffer signature = Native.view(memory, size);
            signature.put(0, address).putShort(2, (short) 0);
            signature.putShort(ADDRESS_BYTES + 2, (short) key.length).put(ADDRESS_BYTES + 8, key);
            long result = calls.call(calls.function("setsockopt"), socket, IPPROTO_TCP, TCP_MD5SIG, memory, size, 0, 0);
            if ((int) result != 0) {
                throw new IOException("the kernel takes neither a filter nor a key for the library's port");
            }
        } finally {
            calls.free(memory);
        }
    }

    /** Begins a connection, as {@link SocketChannel#connect} of a channel that does not block. */
    SocketChannel connect() throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.configureBlocking(false);
            InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
            channel.bind(new InetSocketAddress(loopback, 0));
            if (key.length > 0) {
                sign(descriptor(calls, channel.socket().getLocalPort()));
                channel.connect(new InetSocketAddress(loopback, port));
                return channel;
            }
            recent.removeIf(each -> !each.isOpen());
            if (recent.size() == RECENT) {
                recent.removeFirst();
            }
            recent.add(channel);
            attach();
            channel.connect(new InetSocketAddress(loopback, port));
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private void attach() throws IOException {
        int instructions = 5 + 2 * recent.size();
        long memory = calls.allocate(HEAD_BYTES + (long) instructions * INSTRUCTION_BYTES);
        try {
            ByteBuffer program = Native.view(memory, HEAD_BYTES + (long) instructions * INSTRUCTION_BYTES);
            program.putShort((short) instructions)
                    .putLong(Long.BYTES, memory + HEAD_BYTES)
                    .position(HEAD_BYTES);
            instruction(program, LOAD_WORD, 0, 0, IP_SOURCE);
            instruction(program, JUMP_IF_EQUAL, 1, 0, LOOPBACK);
            instruction(program, RETURN, 0, 0, 0);
            instruction(program, LOAD_HALF, 0, 0, TCP_SOURCE);
            for (SocketChannel each : recent) {
                int source = each.socket().getLocalPort();
                instruction(program, JUMP_IF_EQUAL, 0, 1, source);
                instruction(program, RETURN, 0, 0, ALL);
            }
            instruction(program, RETURN, 0, 0, 0);
            long result = calls.call(
                    calls.function("setsockopt"), descriptor, SOL_SOCKET, SO_ATTACH_FILTER, memory, HEAD_BYTES, 0, 0);
            if ((int) result != 0) {
                throw new IOException("the kernel takes no filter for the library's port");
            }
        } finally {
            calls.free(memory);
        }
    }

    private static void instruction(ByteBuffer program, int code, int ifTrue, int ifFalse, int value) {
        program.putShort((short) code).put((byte) ifTrue).put((byte) ifFalse).putInt(value);
    }
}
