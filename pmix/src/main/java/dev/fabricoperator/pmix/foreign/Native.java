/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.foreign;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/**
 * C functions of a library and of those that it needs, all called in one shape: seven 64-bit arguments, one 64-bit
 * result. A function with fewer parameters ignores the rest, one with narrower parameters their upper bits, and of a
 * narrower result the upper bits are to be ignored here. The calling convention of Linux on x86-64 allows that (the first
 * six in registers, further ones on the stack, the caller cleans up); another architecture needs its own proof.
 *
 * @see "System V Application Binary Interface, AMD64, 3.2.3 Parameter Passing"
 */
public final class Native {
    /** Where the native half of this class is; without it, it is taken from beside the class. */
    private static final String PATH = "fabric-operator.foreign";

    private static final String FILE = "libforeign.so";

    /** By slot, what C calls through it. Replaced as a whole, so that threads of C's read it without a lock. */
    private static volatile @Nullable Upcall[] upcalls = new Upcall[0];

    static {
        loadLibrary();
    }

    private final long library;
    private final Function calloc;
    private final Function free;

    /** Where a function of C begins. */
    public record Function(long address) {}

    /** A function that C calls. It reads only as many arguments as the C function has. */
    public abstract static class Upcall {
        public abstract long call(long a, long b, long c, long d, long e, long f, long g, long h);
    }

    /**
     * @param soname of the library, found as the dynamic loader finds it
     * @throws IllegalArgumentException if it cannot be loaded
     */
    public Native(String soname) {
        if (!System.getProperty("os.arch").equals("amd64")) {
            throw new UnsupportedOperationException("libpmix is called in the convention of x86-64 only");
        }
        library = open(soname);
        if (library == 0) {
            throw new IllegalArgumentException("the dynamic loader does not find " + soname);
        }
        calloc = function("calloc");
        free = function("free");
    }

    /**
     * Ends the process at once, without shutdown hooks. {@link Runtime#halt} waits 300 ms for threads that are in C, and those of a library
     * that waits for its sockets always are.
     *
     * @see "HotSpot, VM_Exit::wait_for_threads_in_native_to_block"
     */
    public static native void exit(int code);

    private static native long open(String soname);

    private static native long symbol(long library, String name);

    private static native long invoke(long function, long a, long b, long c, long d, long e, long f, long g);

    private static native int redirect0(long library, String name, long address);

    private static native String error();

    private static native ByteBuffer buffer(long address, long size);

    private static native long slot(int slot);

    /** Sees to it that the native half is there. */
    static void load() {}

    private static void loadLibrary() {
        String path = System.getProperty(PATH);
        if (path != null) {
            System.load(Path.of(path).toAbsolutePath().toString());
            return;
        }
        // A development tree or an archive: a file of its own, since the loader cannot look into archives.
        try (InputStream in = Native.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new UnsatisfiedLinkError(FILE + " is not beside its class: build with Maven on Linux");
            }
            Path copy = Files.createTempFile("fabric-operator-", "-" + FILE);
            try {
                Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
                System.load(copy.toString());
            } finally {
                Files.delete(copy);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot load " + FILE, e);
        }
    }

    /**
     * A function of the library, or of one that it needs.
     *
     * @throws IllegalArgumentException if there is none
     */
    public Function function(String name) {
        long address = symbol(library, name);
        if (address == 0) {
            throw new IllegalArgumentException("no function " + name);
        }
        return new Function(address);
    }

    public long call(Function function, long a, long b, long c, long d, long e, long f, long g) {
        return invoke(function.address(), a, b, c, d, e, f, g);
    }

    public long call(Function function, long a, long b, long c) {
        return call(function, a, b, c, 0, 0, 0, 0);
    }

    /** Why this thread's last call failed, of a function that says so by {@code errno}. */
    public IOException failure(String what) {
        return new IOException(what + ": " + error());
    }

    /**
     * Gives the library itself {@code target} in the place of another library's function, for good; nobody else's calls are changed. Where the result
     * is -1, {@code errno} is EAGAIN.
     *
     * @throws IllegalArgumentException if the library does not call such a function
     */
    public void redirect(String function, Upcall target) {
        if (redirect0(library, function, pointer(target)) == 0) {
            release(target);
            throw new IllegalArgumentException("the library does not call " + function + "()");
        }
    }

    /** Zeroed memory of C, aligned for any of its types. Not counted by the JVM. */
    public long allocate(long size) {
        long address = call(calloc, 1, size, 0);
        if (address == 0) {
            throw new OutOfMemoryError("calloc of " + size + " bytes");
        }
        return address;
    }

    public void free(long address) {
        call(free, address, 0, 0);
    }

    /** The C library's {@code free}, for C to call. */
    public long freeAddress() {
        return free.address();
    }

    /**
     * Pointer to a C function that calls {@code target}, until it is {@link #release released}.
     *
     * @throws IllegalStateException when 64 are in use
     */
    public static synchronized long pointer(Upcall target) {
        @Nullable Upcall[] before = upcalls;
        int free = 0;
        while (free < before.length && before[free] != null) {
            free++;
        }
        long address = slot(free);
        if (address == 0) {
            throw new IllegalStateException("all " + before.length + " pointers for C are in use");
        }
        @Nullable Upcall[] after = new Upcall[Math.max(before.length, free + 1)];
        System.arraycopy(before, 0, after, 0, before.length);
        after[free] = target;
        upcalls = after;
        return address;
    }

    /** C will not call it again. */
    public static synchronized void release(Upcall target) {
        @Nullable Upcall[] after = upcalls.clone();
        for (int i = 0; i < after.length; i++) {
            if (after[i] == target) {
                after[i] = null;
            }
        }
        upcalls = after;
    }

    /** From the native half. */
    private static long calledFromC(int slot, long a, long b, long c, long d, long e, long f, long g, long h) {
        Upcall target = upcalls[slot];
        if (target == null) {
            throw new IllegalStateException("C has called a function that it was to forget");
        }
        return target.call(a, b, c, d, e, f, g, h);
    }

    /** Memory of C as a buffer in the machine's byte order; C may free it behind the buffer's back. */
    public static ByteBuffer view(long address, long size) {
        return buffer(address, size).order(ByteOrder.nativeOrder());
    }

    public static byte[] bytes(long address, long size) {
        byte[] copy = new byte[Math.toIntExact(size)];
        if (size > 0) {
            view(address, size).get(copy);
        }
        return copy;
    }

    /** The C string at {@code address}, cut after {@code limit} bytes; empty for NULL. */
    public static String string(long address, int limit) {
        if (address == 0) {
            return "";
        }
        return new String(textBytes(address, limit), StandardCharsets.UTF_8);
    }

    /** What stands at {@code address} before the first zero byte, cut after {@code limit} bytes. */
    public static native byte[] textBytes(long address, int limit);
}
