/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.foreign;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A stream socket of AF_UNIX, by the C library. Java's own wants a random number for names that nobody asks for, and sets up its security
 * providers to get it: 14 ms of a process that has its random numbers elsewhere.
 *
 * <p>One thread accepts or reads, and waits in C; {@link #shutdown} of another thread ends that wait. Writing does not wait. Who
 * closes sees to it that no other thread uses the socket any more: its number may be another's the moment after.
 */
public final class UnixSocket {
    static {
        Native.load();
    }

    private final int descriptor;

    private UnixSocket(int descriptor) {
        this.descriptor = descriptor;
    }

    /** @param path of at most 107 bytes, at which nothing is yet */
    public static UnixSocket listen(Path path) throws IOException {
        return new UnixSocket(
                checked(listen0(path.toString().getBytes(StandardCharsets.UTF_8)), "cannot listen at " + path));
    }

    /** Waits for a connection. */
    public UnixSocket accept() throws IOException {
        return new UnixSocket(checked(accept0(descriptor), "accept"));
    }

    /**
     * Waits for bytes.
     *
     * @return how many were read, 8,192 at most, or 0 at the end
     */
    public int read(byte[] into) throws IOException {
        return checked(read0(descriptor, into), "read");
    }

    /** @return how many bytes were taken, 8,192 at most; 0 while the other side must read first */
    public int write(byte[] from, int offset, int count) throws IOException {
        return checked(write0(descriptor, from, offset, count), "write");
    }

    /** Nothing comes and goes any more; who waits comes back, with the end or an error. */
    public void shutdown() {
        shutdown0(descriptor);
    }

    public void close() {
        close0(descriptor);
    }

    private static int checked(int result, String what) throws IOException {
        if (result < 0) {
            throw new IOException(what + ": " + text(-result));
        }
        return result;
    }

    private static native int listen0(byte[] path);

    private static native int accept0(int descriptor);

    private static native int read0(int descriptor, byte[] into);

    private static native int write0(int descriptor, byte[] from, int offset, int count);

    private static native void shutdown0(int descriptor);

    private static native void close0(int descriptor);

    private static native String text(int error);
}
