/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static org.awaitility.Awaitility.await;

import dev.fabricoperator.pmix.foreign.Native;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicInteger;

/** Listens, accepts and shuts down as libpmix would, on a socket of its own. */
final class PlayedLibrary implements Closeable {
    private static final int SHUT_RDWR = 2;
    private static final int MSG_NOSIGNAL = 0x4000;

    private final Native calls = new Native("libc.so.6");
    private final SocketCalls sockets = new SocketCalls(calls);
    private final AcceptQueue accepted;
    private final int listener;

    PlayedLibrary(HandshakeFilter filter) throws IOException {
        accepted = filter.accepted();
        listener = sockets.listen(0, 1);
        accepted.listen(listener);
    }

    /** Waits for a connection, 60 s at most. */
    Connection accept() {
        AtomicInteger descriptor = new AtomicInteger(-1);
        await().atMost(java.time.Duration.ofSeconds(60))
                .pollInterval(java.time.Duration.ofMillis(1))
                .until(() -> {
                    descriptor.set(accepted.accept());
                    return descriptor.get() >= 0;
                });
        return new Connection(descriptor.get());
    }

    @Override
    public void close() {
        accepted.shutdown(listener, SHUT_RDWR);
        sockets.close(listener);
    }

    /** Waits in C for what comes and goes. */
    final class Connection implements Closeable {
        final int descriptor;

        Connection(int descriptor) {
            this.descriptor = descriptor;
        }

        InputStream getInputStream() {
            return new InputStream() {
                @Override
                public int read() throws IOException {
                    byte[] one = new byte[1];
                    return read(one, 0, 1) < 0 ? -1 : one[0];
                }

                @Override
                public int read(byte[] into, int offset, int length) throws IOException {
                    if (length == 0) {
                        return 0;
                    }
                    long memory = calls.allocate(length);
                    try {
                        int count = sockets.receive(descriptor, memory, length, 0);
                        Native.view(memory, length).get(into, offset, count);
                        return count == 0 ? -1 : count;
                    } finally {
                        calls.free(memory);
                    }
                }
            };
        }

        OutputStream getOutputStream() {
            return new OutputStream() {
                @Override
                public void write(int value) throws IOException {
                    write(new byte[] {(byte) value});
                }

                @Override
                public void write(byte[] from, int offset, int length) throws IOException {
                    long memory = calls.allocate(length);
                    try {
                        Native.view(memory, length).put(from, offset, length);
                        long sent =
                                calls.call(calls.function("send"), descriptor, memory, length, MSG_NOSIGNAL, 0, 0, 0);
                        if (sent != length) {
                            throw calls.failure("send");
                        }
                    } finally {
                        calls.free(memory);
                    }
                }
            };
        }

        /** TCP_NODELAY. */
        boolean sendsAtOnce() {
            long memory = calls.allocate(2 * Integer.BYTES);
            try {
                var view = Native.view(memory, 2 * Integer.BYTES).putInt(Integer.BYTES, Integer.BYTES);
                calls.call(calls.function("getsockopt"), descriptor, 6, 1, memory, memory + Integer.BYTES, 0, 0);
                return view.getInt(0) != 0;
            } finally {
                calls.free(memory);
            }
        }

        @Override
        public void close() {
            accepted.shutdown(descriptor, SHUT_RDWR);
            sockets.close(descriptor);
        }
    }
}
