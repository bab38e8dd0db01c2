/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * The first message of a client to libpmix, read strictly. The library's own reader copies by lengths that the message
 * states and dies of wrong ones, and stops for good after a wrong user id; so only what a client of libpmix 4 to 7 really
 * sends passes:
 *
 * <pre>
 * int32 -1, uint32 UINT32_MAX, uint32 bytes that follow, uint32 padding     in the byte order of the machine
 * "native" 0, uint32 8 (big endian), uint32 euid, uint32 egid               in the byte order of the machine
 * uint8 0 (a client), nspace 0, uint32 rank (big endian); or
 * uint8 3 (a tool that wants a name), uint32 euid, uint32 egid (big endian); or
 * uint8 4 (a tool with a name), uint32 euid, uint32 egid (big endian), nspace 0, uint32 rank (big endian)
 * version 0, name of the packing 0, uint8 kind of buffer, name of the data store 0, packed values
 * </pre>
 *
 * @param nspace of the client; empty for a tool that wants a name
 * @param uid that it says it has
 * @see "libpmix 5.0.7, src/mca/ptl/base/ptl_base_fns.c, construct_message"
 */
record Handshake(String nspace, int rank, int uid, int gid, boolean tool) {
    static final int HEADER = 16;

    /** Clients send a few hundred. The library itself would take 128 KiB of each, which is a quarter of a pmixd's heap for 64 of them. */
    static final int MAX_BYTES = 16 * 1024;

    private static final int SIZE_AT = 8;
    private static final int CREDENTIAL = 8;
    private static final byte CLIENT = 0;
    private static final byte TOOL_WITHOUT_NAME = 3;
    private static final byte TOOL_WITH_NAME = 4;
    private static final Set<String> PACKINGS = Set.of("v20", "v21", "v3", "v4", "v41");

    /** Why a message is refused. */
    static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1;

        private final String reason;

        RefusedException(String reason) {
            super(reason, null, false, false);
            this.reason = reason;
        }

        String reason() {
            return reason;
        }
    }

    /** Length of the whole message, of which at least the header is at the start of {@code bytes}. */
    static int length(ByteBuffer bytes) throws RefusedException {
        ByteBuffer header = bytes.duplicate().order(ByteOrder.nativeOrder());
        if (header.getInt(0) != -1 || header.getInt(4) != -1) {
            throw new RefusedException("not a PMIx handshake");
        }
        int size = header.getInt(SIZE_AT);
        if (size <= 0 || size > MAX_BYTES) {
            throw new RefusedException("a handshake of " + Integer.toUnsignedString(size) + " bytes");
        }
        return HEADER + size;
    }

    /** Reads the whole message from the start of {@code bytes} to its limit. */
    static Handshake read(ByteBuffer bytes) throws RefusedException {
        ByteBuffer message = bytes.duplicate().order(ByteOrder.BIG_ENDIAN).position(HEADER);
        try {
            require(string(message, 16).equals("native"), "a security other than native");
            require(message.getInt() == CREDENTIAL, "a credential of another length");
            message.order(ByteOrder.nativeOrder());
            int uid = message.getInt();
            int gid = message.getInt();
            message.order(ByteOrder.BIG_ENDIAN);
            byte process = message.get();
            boolean tool = process == TOOL_WITHOUT_NAME || process == TOOL_WITH_NAME;
            require(tool || process == CLIENT, "a launcher or scheduler, not a client or tool");
            if (tool) {
                // The library compares them only when it has taken the tool in, and frees it twice where they differ.
                require(message.getInt() == uid && message.getInt() == gid, "a tool of two users");
            }
            String nspace = process == TOOL_WITHOUT_NAME ? "" : string(message, Layout.MAX_NSLEN);
            require(process == TOOL_WITHOUT_NAME || !nspace.isEmpty(), "no name");
            int rank = process == TOOL_WITHOUT_NAME ? 0 : message.getInt();
            require(isVersion(string(message, 32)), "no version of PMIx");
            require(PACKINGS.contains(string(message, 8)), "a packing that this libpmix does not have");
            byte kind = message.get();
            require(kind == 1 || kind == 2, "an unknown kind of buffer");
            require(string(message, 32).equals("hash"), "a data store other than hash");
            return new Handshake(nspace, rank, uid, gid, tool);
        } catch (BufferUnderflowException e) {
            throw new RefusedException("a handshake that ends early");
        }
    }

    private static void require(boolean met, String otherwise) throws RefusedException {
        if (!met) {
            throw new RefusedException(otherwise);
        }
    }

    private static String string(ByteBuffer message, int limit) throws RefusedException {
        int start = message.position();
        while (message.get() != 0) {
            require(message.position() - start <= limit, "a name that does not end");
        }
        byte[] text = new byte[message.position() - 1 - start];
        message.get(start, text);
        for (byte each : text) {
            // Read as text and written again it would be another name, and a longer one.
            require(each > 0, "a name that is not ASCII");
        }
        return new String(text, StandardCharsets.US_ASCII);
    }

    /** {@code 4.2.2}, {@code 7.0.0rc1}; 2.0 had another handshake. */
    private static boolean isVersion(String text) {
        int dots = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean fine = c >= '0' && c <= '9' || c == '.' || i > 0 && c >= 'a' && c <= 'z';
            if (!fine) {
                return false;
            }
            dots += c == '.' ? 1 : 0;
        }
        return dots >= 1 && text.charAt(0) >= '3' && text.charAt(0) <= '9';
    }
}
