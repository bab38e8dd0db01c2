/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.map;

import dev.fabricoperator.pmix.map.MapReader.MapException;
import io.airlift.compress.v3.MalformedInputException;
import io.airlift.compress.v3.zstd.ZstdJavaDecompressor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * {@code blob:} maps. The component that they name is always zlib, whatever packed them; the bytes themselves say whether
 * it was zlib or zstd.
 *
 * @see "libpmix, src/mca/preg/compress/preg_compress.c and src/mca/pcompress"
 */
final class BlobMap {
    private static final byte[] PREFIX = "blob:".getBytes(StandardCharsets.US_ASCII);
    private static final int ZSTD_MAGIC = 0xfd2fb528;

    private BlobMap() {}

    static boolean isBlob(byte[] map) {
        return map.length > PREFIX.length
                && ByteBuffer.wrap(map, 0, PREFIX.length).equals(ByteBuffer.wrap(PREFIX));
    }

    static String unpack(byte[] map, int limit) {
        int component = next(map, PREFIX.length);
        int size = next(map, end(map, component));
        int payload = end(map, size);
        String stated = new String(map, size, payload - size, StandardCharsets.US_ASCII);
        if (!new String(map, component, end(map, component) - component, StandardCharsets.US_ASCII)
                        .startsWith("component=")
                || !stated.startsWith("size=")) {
            throw new MapException("a blob without its component and size");
        }
        int length = number(stated.substring("size=".length(), stated.length() - 1));
        int start = next(map, payload);
        if (length < 5 || length != map.length - start && length != map.length - start - 1) {
            throw new MapException("a blob of " + (map.length - start) + " bytes that states " + length);
        }
        ByteBuffer packed = ByteBuffer.wrap(map, start, length).slice().order(ByteOrder.nativeOrder());
        int unpacked = packed.getInt();
        if (unpacked < 0 || unpacked > limit) {
            throw new MapException("a blob that unpacks to " + Integer.toUnsignedString(unpacked) + " bytes");
        }
        byte[] bytes = new byte[packed.remaining()];
        packed.get(bytes);
        byte[] text = bytes.length >= 4
                        && ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt() == ZSTD_MAGIC
                ? unpackZstd(bytes, unpacked)
                : unpackZlib(bytes, unpacked);
        return new String(text, StandardCharsets.UTF_8);
    }

    /** The separator after a field: a NUL, as libpmix writes it, or a blank. */
    private static int next(byte[] map, int at) {
        if (at >= map.length || map[at] != 0 && map[at] != ' ') {
            throw new MapException("a blob without its component and size");
        }
        return at + 1;
    }

    /** Just after the colon that ends the field at {@code at}. */
    private static int end(byte[] map, int at) {
        for (int i = at; i < map.length && i < at + 64; i++) {
            if (map[i] == ':') {
                return i + 1;
            }
        }
        throw new MapException("a blob without its component and size");
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new MapException("a blob of \"" + text + "\" bytes");
        }
    }

    /** @param length without the NUL that some versions count and some do not */
    private static byte[] unpackZlib(byte[] packed, int length) {
        byte[] text = new byte[length];
        try (Inflater inflater = new Inflater()) {
            inflater.setInput(packed);
            int size = inflater.inflate(text);
            // The end of the stream is noticed only when more is asked for.
            boolean more = !inflater.finished() && inflater.inflate(new byte[1]) > 0;
            if (size != length || more || !inflater.finished()) {
                throw new MapException("a blob that does not unpack to the " + length + " bytes that it states");
            }
        } catch (DataFormatException e) {
            throw new MapException("a blob that is no zlib");
        }
        return withoutEnd(text);
    }

    private static byte[] unpackZstd(byte[] packed, int length) {
        byte[] text = new byte[length];
        try {
            int size = new ZstdJavaDecompressor().decompress(packed, 0, packed.length, text, 0, length);
            if (size != length) {
                throw new MapException("a blob that does not unpack to the " + length + " bytes that it states");
            }
        } catch (MalformedInputException | IllegalArgumentException | IndexOutOfBoundsException e) {
            // The last is how the library meets some damaged tables.
            throw new MapException("a blob that is no zstd");
        }
        return withoutEnd(text);
    }

    private static byte[] withoutEnd(byte[] text) {
        int end = text.length;
        while (end > 0 && text[end - 1] == 0) {
            end--;
        }
        return java.util.Arrays.copyOf(text, end);
    }
}
