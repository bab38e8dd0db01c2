/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import dev.fabricoperator.pmix.foreign.Native;
import dev.fabricoperator.pmix.server.PmixException;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import dev.fabricoperator.protocol.pmix.PmixType;
import java.nio.ByteBuffer;

/** A {@code pmix_value_t} of any type as bytes that another server's library reads. */
final class PackedValue {
    private PackedValue() {}

    /** @throws PmixException if the library knows no such type */
    static byte[] pack(Native calls, long value) {
        try (NativeBlock block = new NativeBlock(calls, Layout.DATA_BUFFER_SIZE)) {
            NativeBlock.Part part = block.part(Layout.DATA_BUFFER_SIZE);
            long status = calls.call(
                    calls.function("PMIx_Data_pack"), 0, part.address(), value, 1, PmixType.VALUE.code(), 0, 0);
            ByteBuffer buffer = part.buffer();
            long bytes = buffer.getLong(part.offset());
            try {
                require("PMIx_Data_pack", (int) status);
                return Native.bytes(bytes, buffer.getLong(part.offset() + Layout.DATA_BUFFER_USED));
            } finally {
                calls.free(bytes);
            }
        }
    }

    /**
     * Writes the value to {@code value}, zeroed; what it points to is the library's to free.
     *
     * @throws PmixException if the library cannot read it
     */
    static void unpack(Native calls, NativeBlock block, byte[] packed, long value) {
        NativeBlock.Part part = block.part(Layout.DATA_BUFFER_SIZE);
        long bytes = block.bytes(packed);
        ByteBuffer buffer = part.buffer();
        buffer.putLong(part.offset(), bytes);
        buffer.putLong(part.offset() + Layout.DATA_BUFFER_PACK, bytes + packed.length);
        buffer.putLong(part.offset() + Layout.DATA_BUFFER_UNPACK, bytes);
        buffer.putLong(part.offset() + Layout.DATA_BUFFER_ALLOCATED, packed.length);
        buffer.putLong(part.offset() + Layout.DATA_BUFFER_USED, packed.length);
        long count = block.uint32s(new int[] {1});
        long status = calls.call(
                calls.function("PMIx_Data_unpack"), 0, part.address(), value, count, PmixType.VALUE.code(), 0, 0);
        require("PMIx_Data_unpack", (int) status);
    }

    private static void require(String call, int status) {
        if (status != PmixStatus.PMIX_SUCCESS) {
            throw new PmixException(call, status, "a published value");
        }
    }
}
