/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * {@link JobMap} as bytes: magic {@code FJM}, a version byte, the length of the payload, the payload in zlib's format.
 *
 * <p>The payload: the texts that occur in the map, each once; the attributes that devices have, each once; then nspace,
 * attempt, key, apps, pods in order, fabric, with texts and attributes by their numbers. Numbers are variable (seven bits a
 * byte, the lowest first). What many pods share costs a byte or two each, and what differs little compresses: a pod with
 * one device takes some 50 bytes, however many ranks it has.
 *
 * <p>The reader takes memory and time that are linear in the payload, which has at most {@link #LONGEST_BYTES} and at most
 * zlib's thousand times of what was sent. No reflection and no generated classes, since pmixd reads its map while it starts.
 */
public final class JobMapCodec {
    /** Of a payload: 100,000 pods of one rank take less. */
    public static final int LONGEST_BYTES = 64 << 20;

    /** Of the payload of a map that a pod sends, which takes up to 30 times as much memory while it is read: 20,000 devices without values fit. */
    public static final int LONGEST_OF_POD_BYTES = 2 << 20;

    static final int MAGIC = 'F' << 16 | 'J' << 8 | 'M';
    static final int VERSION = 1;
    /** Of a map with several fabrics, behind the first one, and with the number of its fabric in each device. A map with one fabric stays what readers of a release before know. */
    static final int VERSION_WITH_FABRICS = 2;
    /** Added to the version of a map that says of each device which port it is and whether it carries jobs. */
    static final int WITH_PORT_AND_USE = 2;
    /** Added to that where the map says of each fabric which routes the job's packets take. */
    static final int WITH_ROUTES = 2;
    /** Added to that where the map says of each fabric which levels of service there are, which channels have one, and what kind it is. */
    static final int WITH_LEVELS = 2;
    /** Lowest version whose readers know routes. */
    public static final int VERSION_WITH_ROUTES = VERSION_WITH_FABRICS + WITH_PORT_AND_USE + WITH_ROUTES;
    /** Highest version that this program reads. Pods say it when they ask for the map, since those of a release before read {@link #VERSION_OF_SILENT} at most. */
    public static final int HIGHEST_VERSION = VERSION_WITH_ROUTES + WITH_LEVELS;
    /** Highest version that a pod reads which does not say it. */
    public static final int VERSION_OF_SILENT = VERSION_WITH_FABRICS;
    /** No deflate stream is longer than this many times its input, so that a longer promise is a lie. */
    private static final int MOST_EXPANSION = 1032;

    private JobMapCodec() {}

    /** For any reader: without what devices are used for. */
    public static byte[] encode(JobMap map) {
        return encode(map, VERSION_OF_SILENT);
    }

    /**
     * The same map gives the same bytes.
     *
     * @param highestVersion that all its readers read
     * @throws IllegalArgumentException where the map contradicts itself: ranks that do not follow one another, apps out of
     *     order, a number that cannot be
     */
    public static byte[] encode(JobMap map, int highestVersion) {
        boolean withPortAndUse = highestVersion >= VERSION_WITH_FABRICS + WITH_PORT_AND_USE;
        boolean withRoutes = highestVersion >= VERSION_WITH_ROUTES;
        boolean withLevels = highestVersion >= HIGHEST_VERSION;
        byte[] payload = new JobMapWriter(withPortAndUse, withRoutes, withLevels).payload(map);
        MessageWriter out = new MessageWriter();
        int version = map.otherFabrics().isEmpty() ? VERSION : VERSION_WITH_FABRICS;
        int more = (withPortAndUse ? WITH_PORT_AND_USE : 0)
                + (withRoutes ? WITH_ROUTES : 0)
                + (withLevels ? WITH_LEVELS : 0);
        out.writeInt(MAGIC << 8 | version + more);
        out.writeCount(payload.length);
        Deflater deflater = new Deflater(Deflater.BEST_SPEED);
        try {
            deflater.setInput(payload);
            deflater.finish();
            byte[] part = new byte[8192];
            while (!deflater.finished()) {
                int count = deflater.deflate(part);
                out.writeBytes(part, count);
            }
        } finally {
            deflater.end();
        }
        return out.toBytes();
    }

    /** @throws JobCodecException with a sentence that says what is wrong, where this is no map */
    public static JobMap decode(byte[] bytes) throws JobCodecException {
        return decode(bytes, LONGEST_BYTES);
    }

    /**
     * The same of a map whose payload has at most so many bytes.
     *
     * @throws JobCodecException with a sentence that says what is wrong, where this is none
     */
    public static JobMap decode(byte[] bytes, int longestPayload) throws JobCodecException {
        MessageReader in = new MessageReader(bytes, 0);
        int head = in.readInt();
        if (head >>> 8 != MAGIC) {
            throw new JobCodecException("no job map: it begins with other bytes");
        }
        int version = head & 0xff;
        if (version < VERSION || version > HIGHEST_VERSION) {
            throw new JobCodecException("a job map of version " + version + ", and this program reads " + VERSION
                    + " to " + HIGHEST_VERSION);
        }
        boolean withPortAndUse = version > VERSION_WITH_FABRICS;
        boolean withRoutes = version > VERSION_WITH_FABRICS + WITH_PORT_AND_USE;
        boolean withLevels = version > VERSION_WITH_ROUTES;
        // Of each two versions the second has several fabrics.
        boolean severalFabrics = version % 2 == 0;
        int length = in.readNumber("the payload's length", longestPayload);
        if (length > (long) in.left() * MOST_EXPANSION) {
            throw new JobCodecException("a payload of " + length + " bytes cannot be in " + in.left());
        }
        return new JobMapReader(inflate(bytes, in.at(), length), severalFabrics, withPortAndUse, withRoutes, withLevels)
                .map();
    }

    private static byte[] inflate(byte[] bytes, int from, int length) throws JobCodecException {
        byte[] payload = new byte[length];
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(bytes, from, bytes.length - from);
            int at = 0;
            while (at < length) {
                int count = inflater.inflate(payload, at, length - at);
                if (count == 0) {
                    throw new JobCodecException("the payload ends after " + at + " of " + length + " bytes");
                }
                at += count;
            }
            if (inflater.inflate(new byte[1]) != 0 || !inflater.finished() || inflater.getRemaining() != 0) {
                throw new JobCodecException("bytes follow the end of the payload");
            }
            return payload;
        } catch (DataFormatException e) {
            throw new JobCodecException("the payload is damaged: " + e.getMessage());
        } finally {
            inflater.end();
        }
    }
}
