/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import dev.fabricoperator.pmix.foreign.Native;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory of C that one request to libpmix is written into, freed as a whole when the library is done with it. Zeroed,
 * aligned to 8 bytes; one thread at a time.
 */
final class NativeBlock implements AutoCloseable {
    private static final int CHUNK = 128 * 1024;

    private final Native calls;
    private final List<Long> chunks = new ArrayList<>(1);
    private ByteBuffer buffer;
    private long address;
    private int used;
    private int size;

    /** @param firstChunk bytes that it starts with */
    NativeBlock(Native calls, int firstChunk) {
        this.calls = calls;
        size = firstChunk;
        address = calls.allocate(size);
        chunks.add(address);
        buffer = Native.view(address, size);
    }

    /** A part of a block: offsets into {@code buffer} start at {@code offset}. */
    record Part(ByteBuffer buffer, int offset, long address) {}

    Part part(int bytes) {
        int room = (bytes + 7) & ~7;
        if (size - used < room) {
            size = Math.max(room, CHUNK);
            address = calls.allocate(size);
            chunks.add(address);
            buffer = Native.view(address, size);
            used = 0;
        }
        Part part = new Part(buffer, used, address + used);
        used += room;
        return part;
    }

    /** Address of a C string. */
    long string(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        Part part = part(bytes.length + 1);
        part.buffer.put(part.offset, bytes);
        return part.address;
    }

    long bytes(byte[] bytes) {
        Part part = part(bytes.length);
        part.buffer.put(part.offset, bytes);
        return part.address;
    }

    /** Address of an array of {@code uint32_t}. */
    long uint32s(int[] values) {
        Part part = part(values.length * Integer.BYTES);
        for (int i = 0; i < values.length; i++) {
            part.buffer.putInt(part.offset + i * Integer.BYTES, values[i]);
        }
        return part.address;
    }

    /** Address of an array of {@code uint16_t}. */
    long uint16s(short[] values) {
        Part part = part(values.length * Short.BYTES);
        for (int i = 0; i < values.length; i++) {
            part.buffer.putShort(part.offset + i * Short.BYTES, values[i]);
        }
        return part.address;
    }

    /** Address of an array of C strings. */
    long strings(List<String> values) {
        Part part = part(values.size() * Long.BYTES);
        for (int i = 0; i < values.size(); i++) {
            part.buffer.putLong(part.offset + i * Long.BYTES, string(values.get(i)));
        }
        return part.address;
    }

    /** Address of a {@code pmix_proc_t}. */
    long proc(String nspace, int rank) {
        Part part = part(Layout.PROC_SIZE);
        putProc(part, 0, nspace, rank);
        return part.address;
    }

    /** Writes a {@code pmix_proc_t} into a part of this block. */
    void putProc(Part part, int at, String nspace, int rank) {
        byte[] name = nspace.getBytes(StandardCharsets.UTF_8);
        if (name.length > Layout.MAX_NSLEN) {
            throw new IllegalArgumentException(
                    "a namespace of " + name.length + " bytes is longer than " + Layout.MAX_NSLEN);
        }
        part.buffer.put(part.offset + at, name);
        part.buffer.putInt(part.offset + at + Layout.PROC_RANK, rank);
    }

    /** Room for {@code capacity} elements of {@code pmix_info_t}. */
    InfoArray infos(int capacity) {
        return new InfoArray(this, capacity);
    }

    @Override
    public void close() {
        chunks.forEach(calls::free);
        chunks.clear();
    }
}
