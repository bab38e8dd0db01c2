/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import dev.fabricoperator.protocol.pmix.PmixType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** An array of {@code pmix_info_t} that grows up to its capacity. */
final class InfoArray {
    private final NativeBlock block;
    private final ByteBuffer buffer;
    private final int offset;
    private final long address;
    private final int capacity;
    private int size;

    InfoArray(NativeBlock block, int capacity) {
        this.block = block;
        this.capacity = capacity;
        NativeBlock.Part part = block.part(capacity * Layout.INFO_SIZE);
        buffer = part.buffer();
        offset = part.offset();
        address = part.address();
    }

    long address() {
        return address;
    }

    int size() {
        return size;
    }

    InfoArray string(String key, String value) {
        return pointer(key, PmixType.STRING, block.string(value));
    }

    InfoArray bool(String key, boolean value) {
        buffer.put(next(key, PmixType.BOOL), (byte) (value ? 1 : 0));
        return this;
    }

    InfoArray status(String key, int value) {
        buffer.putInt(next(key, PmixType.STATUS), value);
        return this;
    }

    /** Adds the value that {@code other} has under the key; what it points to stays where it is. */
    boolean copyOf(String key, InfoArray other) {
        byte[] name = (key + '\0').getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < other.size; i++) {
            int from = other.offset + i * Layout.INFO_SIZE;
            byte[] found = new byte[name.length];
            other.buffer.get(from, found);
            if (Arrays.equals(found, name)) {
                buffer.put(next(key, PmixType.UNDEF) - Layout.INFO_DATA, other.buffer, from, Layout.INFO_SIZE);
                return true;
            }
        }
        return false;
    }

    InfoArray uint32(String key, int value) {
        buffer.putInt(next(key, PmixType.UINT32), value);
        return this;
    }

    InfoArray uint16(String key, int value) {
        buffer.putShort(next(key, PmixType.UINT16), (short) value);
        return this;
    }

    InfoArray rank(String key, int value) {
        buffer.putInt(next(key, PmixType.PROC_RANK), value);
        return this;
    }

    InfoArray size(String key, long value) {
        buffer.putLong(next(key, PmixType.SIZE), value);
        return this;
    }

    InfoArray uint64(String key, long value) {
        buffer.putLong(next(key, PmixType.UINT64), value);
        return this;
    }

    InfoArray proc(String key, String nspace, int rank) {
        return pointer(key, PmixType.PROC, block.proc(nspace, rank));
    }

    InfoArray linkState(String key, int value) {
        buffer.put(next(key, PmixType.LINK_STATE), (byte) value);
        return this;
    }

    InfoArray deviceType(String key, long value) {
        buffer.putLong(next(key, PmixType.DEVTYPE), value);
        return this;
    }

    /** {@code length} bytes at {@code address}. */
    InfoArray byteObject(String key, long address, long length) {
        int data = next(key, PmixType.BYTE_OBJECT);
        buffer.putLong(data, address);
        buffer.putLong(data + Long.BYTES, length);
        return this;
    }

    /** A value that {@code pmix_value_t} holds by its address. */
    InfoArray pointer(String key, PmixType type, long pointer) {
        buffer.putLong(next(key, type), pointer);
        return this;
    }

    /** A PMIX_DATA_ARRAY of {@code count} elements of {@code type} that lie at {@code elements}. */
    InfoArray array(String key, PmixType type, int count, long elements) {
        NativeBlock.Part array = block.part(Layout.DATA_ARRAY_SIZE);
        array.buffer().putShort(array.offset(), (short) type.code());
        array.buffer().putLong(array.offset() + Layout.DATA_ARRAY_COUNT, count);
        array.buffer().putLong(array.offset() + Layout.DATA_ARRAY_ARRAY, elements);
        return pointer(key, PmixType.DATA_ARRAY, array.address());
    }

    /** A PMIX_DATA_ARRAY of {@code pmix_info_t}; {@code elements} must be complete. */
    InfoArray infos(String key, InfoArray elements) {
        return array(key, PmixType.INFO, elements.size, elements.address);
    }

    /** Writes key and type of the next element and gives the offset of its data. */
    private int next(String key, PmixType type) {
        if (size == capacity) {
            throw new IllegalStateException("room for " + capacity + " values, none for " + key);
        }
        int info = offset + size * Layout.INFO_SIZE;
        byte[] name = key.getBytes(StandardCharsets.US_ASCII);
        if (name.length > Layout.MAX_KEYLEN) {
            throw new IllegalArgumentException("a key of " + name.length + " bytes");
        }
        buffer.put(info, name);
        buffer.putShort(info + Layout.INFO_TYPE, (short) type.code());
        size++;
        return info + Layout.INFO_DATA;
    }
}
