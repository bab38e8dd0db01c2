/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import dev.fabricoperator.fabric.Sha256;

/** {@link JobTicket} as bytes: magic {@code FJT}, a version byte, then the record's fields in order; some 150 bytes. */
public final class JobTicketCodec {
    private static final int MAGIC = 'F' << 16 | 'J' << 8 | 'T';
    private static final int VERSION = 1;
    private static final int MAGIC_BYTES = 3;
    private static final int SECRET_BYTES = 32;
    private static final int LONGEST_NAME = 255;

    private JobTicketCodec() {}

    /** Whether these are the bytes of a ticket, of any version, and not of a map. */
    public static boolean isTicket(byte[] bytes) {
        return bytes.length > MAGIC_BYTES && bytes[0] == 'F' && bytes[1] == 'J' && bytes[2] == 'T';
    }

    public static byte[] digestOf(byte[] encodedMap) {
        return Sha256.of(encodedMap);
    }

    public static byte[] encode(JobTicket ticket) {
        MessageWriter out = new MessageWriter();
        out.writeInt(MAGIC << 8 | VERSION);
        out.writeText(ticket.nspace());
        out.writeCount(ticket.attempt());
        out.writeBytes(ticket.key());
        out.writeCount(ticket.self());
        out.writeCount(ticket.pods());
        out.writeText(ticket.parent().name());
        out.writeCounted(ticket.parent().address());
        out.writeShort(ticket.parent().port());
        out.writeBytes(ticket.mapDigest());
        return out.toBytes();
    }

    /** @throws JobCodecException with a sentence that says what is wrong, where this is no ticket */
    public static JobTicket decode(byte[] bytes) throws JobCodecException {
        MessageReader in = new MessageReader(bytes, 0);
        int head = in.readInt();
        if (head != (MAGIC << 8 | VERSION)) {
            throw new JobCodecException("no ticket of version " + VERSION);
        }
        String nspace = name(in, "the nspace");
        int attempt = in.readNumber("the attempt", Integer.MAX_VALUE);
        byte[] key = in.readBytes(SECRET_BYTES);
        int self = in.readNumber("the pod's index", Integer.MAX_VALUE);
        int pods = in.readNumber("the number of pods", Integer.MAX_VALUE);
        if (self < 1 || self >= pods) {
            throw new JobCodecException("pod " + self + " of " + pods + " has no parent");
        }
        String parent = name(in, "the parent's name");
        byte[] address = in.readAddress("the parent's address");
        int port = in.readShort();
        byte[] digest = in.readBytes(SECRET_BYTES);
        in.end();
        return new JobTicket(nspace, attempt, key, self, pods, new JobPeer(parent, address, port), digest);
    }

    private static String name(MessageReader in, String what) throws JobCodecException {
        String text = in.readText(what);
        if (text.isEmpty() || text.length() > LONGEST_NAME) {
            throw new JobCodecException(what + " has " + text.length() + " characters");
        }
        return text;
    }
}
