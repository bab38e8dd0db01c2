/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.foreign;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * C functions of a library and of those that it needs, all called in one shape: seven 64-bit arguments, one 64-bit
 * result. A function with fewer parameters ignores the rest, one with narrower parameters their upper bits, and of a
 * narrower result the upper bits are to be ignored here. The calling convention of Linux on x86-64 allows that (the first
 * six in registers, further ones on the stack, the caller cleans up); another architecture needs its own proof.
 *
 * @see "System V Application Binary Interface, AMD64, 3.2.3 Parameter Passing"
 */
public final class Native {
    private static final MethodHandle CALL = Linker.nativeLinker()
            .downcallHandle(FunctionDescriptor.of(
                    JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    /** Eight parameters, the most that a function of pmix_server_module_t has. */
    private static final FunctionDescriptor UPCALL = FunctionDescriptor.of(
            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

    private final SymbolLookup library;
    private final MemorySegment calloc;
    private final MemorySegment freeFunction;

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
        library = SymbolLookup.libraryLookup(soname, Arena.global());
        calloc = function("calloc");
        freeFunction = function("free");
    }

    /** A function of the library, or of one that it needs. */
    public MemorySegment function(String name) {
        return library.findOrThrow(name);
    }

    public long call(MemorySegment function, long a, long b, long c, long d, long e, long f, long g) {
        try {
            return (long) CALL.invokeExact(function, a, b, c, d, e, f, g);
        } catch (Throwable thrown) {
            throw new LinkageError("a call to C cannot throw", thrown);
        }
    }

    public long call(MemorySegment function, long a, long b, long c) {
        return call(function, a, b, c, 0, 0, 0, 0);
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
        call(freeFunction, address, 0, 0);
    }

    /** The C library's {@code free}, for C to call. */
    public long freeAddress() {
        return freeFunction.address();
    }

    /** Pointer to a C function that calls {@code target}; it lives as long as the process. */
    public static long pointer(Upcall target) {
        try {
            MethodHandle call = MethodHandles.lookup().findVirtual(Upcall.class, "call", UPCALL.toMethodType());
            return Linker.nativeLinker()
                    .upcallStub(call.bindTo(target), UPCALL, Arena.global())
                    .address();
        } catch (ReflectiveOperationException impossible) {
            throw new LinkageError("the method is in this file", impossible);
        }
    }

    /** Memory of C as a buffer in the machine's byte order; C may free it behind the buffer's back. */
    public static ByteBuffer view(long address, long size) {
        return MemorySegment.ofAddress(address).reinterpret(size).asByteBuffer().order(ByteOrder.nativeOrder());
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
        ByteBuffer view = view(address, limit);
        int length = 0;
        while (length < limit && view.get(length) != 0) {
            length++;
        }
        byte[] text = new byte[length];
        view.get(0, text);
        return new String(text, StandardCharsets.UTF_8);
    }
}
