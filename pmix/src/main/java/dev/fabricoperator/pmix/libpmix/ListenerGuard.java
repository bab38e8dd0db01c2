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
 * Keeps libpmix's own port on 127.0.0.1 for this process: a filter of the kernel on the listening socket drops every packet but those of
 * connections that were made here, which hold the ports that they come from. Everybody else's connection requests get no answer. For one
 * thread.
 *
 * @see "socket(7), SO_ATTACH_FILTER; Documentation/networking/filter.rst"
 */
final class ListenerGuard {
    private static final int DESCRIPTORS = 1024;
    private static final int AF_INET = 2;
    private static final int SOL_SOCKET = 1;
    private static final int SO_ATTACH_FILTER = 26;
    private static final int IPPROTO_TCP = 6;
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
     * @throws IOException if the socket is not found, or the kernel takes no filter
     */
    static ListenerGuard of(Native calls, int port) throws IOException {
        ListenerGuard guard = new ListenerGuard(calls, port, descriptor(calls, port));
        guard.attach();
        guard.sendAtOnce();
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

    private static int descriptor(Native calls, int port) throws IOException {
        long memory = calls.allocate(64);
        try {
            ByteBuffer view = Native.view(memory, 64);
            for (int descriptor = 3; descriptor < DESCRIPTORS; descriptor++) {
                view.putInt(32, 32);
                long result = calls.call(calls.function("getsockname"), descriptor, memory, memory + 32);
                boolean found = (int) result == 0
                        && view.getShort(0) == AF_INET
                        && Short.toUnsignedInt(view.duplicate()
                                        .order(ByteOrder.BIG_ENDIAN)
                                        .getShort(2))
                                == port;
                if (found) {
                    return descriptor;
                }
            }
        } finally {
            calls.free(memory);
        }
        throw new IOException("no descriptor of this process listens on port " + port);
    }

    /** Begins a connection, as {@link SocketChannel#connect} of a channel that does not block. */
    SocketChannel connect() throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.configureBlocking(false);
            InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
            channel.bind(new InetSocketAddress(loopback, 0));
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
