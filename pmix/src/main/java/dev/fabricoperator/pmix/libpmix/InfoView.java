/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import dev.fabricoperator.pmix.foreign.Native;
import dev.fabricoperator.protocol.pmix.PmixType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** One {@code pmix_info_t} that the library has passed; valid until the function that it was passed to returns. */
final class InfoView {
    private static final int REQUIRED = 1;

    private final long address;
    private final ByteBuffer bytes;
    private final String key;

    private InfoView(long address) {
        this.address = address;
        bytes = Native.view(address, Layout.INFO_SIZE);
        key = bytesOf(address, Layout.MAX_KEYLEN);
    }

    static InfoView[] array(long address, long count) {
        InfoView[] infos = new InfoView[address == 0 ? 0 : Math.toIntExact(count)];
        for (int i = 0; i < infos.length; i++) {
            infos[i] = new InfoView(address + (long) i * Layout.INFO_SIZE);
        }
        return infos;
    }

    /**
     * A C string whose bytes nobody knows the encoding of, each as one character: it can be compared and be written back as it was.
     *
     * @param limit bytes after which it is cut
     */
    static String bytesOf(long address, int limit) {
        return new String(Native.textBytes(address, limit), StandardCharsets.ISO_8859_1);
    }

    String key() {
        return key;
    }

    /** Address of the {@code pmix_value_t}. */
    long value() {
        return address + Layout.INFO_TYPE;
    }

    /** PMIX_INFO_REQD: who does not know the key must refuse. */
    boolean isRequired() {
        return (bytes.getInt(Layout.INFO_FLAGS) & REQUIRED) != 0;
    }

    boolean is(PmixType type) {
        return bytes.getShort(Layout.INFO_TYPE) == type.code();
    }

    /** A directive without a value is true. */
    boolean isTrue() {
        return !is(PmixType.BOOL) || bytes.get(Layout.INFO_DATA) != 0;
    }

    /** @return 0 for what is no number; pquery gives each as a string */
    long number() {
        int type = bytes.getShort(Layout.INFO_TYPE);
        if (type == PmixType.STRING.code()) {
            return numberOf(text(Layout.MAX_KEYLEN));
        }
        if (type == PmixType.UINT8.code()
                || type == PmixType.BYTE.code()
                || type == PmixType.PERSIST.code()
                || type == PmixType.DATA_RANGE.code()) {
            return bytes.get(Layout.INFO_DATA) & 0xff;
        }
        if (type == PmixType.INT8.code()) {
            return bytes.get(Layout.INFO_DATA);
        }
        if (type == PmixType.UINT16.code()) {
            return bytes.getShort(Layout.INFO_DATA) & 0xffff;
        }
        if (type == PmixType.INT16.code()) {
            return bytes.getShort(Layout.INFO_DATA);
        }
        if (type == PmixType.UINT.code() || type == PmixType.UINT32.code() || type == PmixType.PROC_RANK.code()) {
            return bytes.getInt(Layout.INFO_DATA) & 0xffff_ffffL;
        }
        if (type == PmixType.INT.code() || type == PmixType.INT32.code() || type == PmixType.STATUS.code()) {
            return bytes.getInt(Layout.INFO_DATA);
        }
        if (type == PmixType.SIZE.code()
                || type == PmixType.INT64.code()
                || type == PmixType.UINT64.code()
                || type == PmixType.DEVTYPE.code()) {
            return bytes.getLong(Layout.INFO_DATA);
        }
        return 0;
    }

    private static long numberOf(String text) {
        try {
            return Long.parseUnsignedLong(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** The number as seconds of a timeout; 0 for none. */
    int seconds() {
        return (int) Math.clamp(number(), 0, Integer.MAX_VALUE);
    }

    /** Empty for what is no string. */
    String text(int limit) {
        return is(PmixType.STRING) ? Native.string(bytes.getLong(Layout.INFO_DATA), limit) : "";
    }

    /** The bytes of a PMIX_BYTE_OBJECT; empty for anything else. */
    byte[] byteObject() {
        long data = is(PmixType.BYTE_OBJECT) ? bytes.getLong(Layout.INFO_DATA) : 0;
        return data == 0 ? new byte[0] : Native.bytes(data, bytes.getLong(Layout.INFO_DATA + Long.BYTES));
    }

    /** The namespace of a PMIX_PROC; empty for anything else. */
    String procNspace() {
        return is(PmixType.PROC) ? Native.string(bytes.getLong(Layout.INFO_DATA), Layout.MAX_NSLEN) : "";
    }
}
