/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.source;

import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.sources.TopologyFormat;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** Turns the bytes of a dump, plain or gzip, into cabling. */
final class DumpText {
    /** A dump of 80,000 ports is 15 MB; what unpacks to more than this is a mistake or an attack. */
    private static final long MAXIMUM_BYTES = 512L << 20;

    private static final int GZIP_FIRST_BYTE = 0x1f;
    private static final int GZIP_SECOND_BYTE = 0x8b;

    private DumpText() {}

    /**
     * Reads a whole dump.
     *
     * @param type what the dump is
     * @param digest SHA-256 that the uncompressed bytes must have, {@code null} for any
     * @throws BadInputException for a dump that cannot be understood
     * @throws IOException for bytes that are damaged
     */
    static Cabling read(SourceType type, String file, InputStream bytes, @Nullable String digest)
            throws IOException, BadInputException {
        MessageDigest sha256 = sha256();
        try (InputStream text = new Bounded(new DigestInputStream(unpacked(bytes), sha256))) {
            Cabling cabling = cabling(type, file, new InputStreamReader(text, StandardCharsets.UTF_8));
            text.transferTo(OutputStream.nullOutputStream());
            String found = HexFormat.of().formatHex(sha256.digest());
            if (digest != null && !digest.equals(found)) {
                throw new IOException("the upload is damaged: its SHA-256 is " + found + ", not " + digest);
            }
            return cabling;
        }
    }

    /** Understands a text that is what {@code type} says. */
    static Cabling cabling(SourceType type, String file, Reader text) throws IOException, BadInputException {
        return switch (type) {
            case ibnetdiscover -> TopologyFormat.ibnetdiscover.read(file, text);
            case cables -> TopologyFormat.cables.read(file, text);
            case slurm -> TopologyFormat.slurm.read(file, text);
            case lldp -> TopologyFormat.lldp.read(file, text);
            case ufm -> TopologyFormat.ufm.read(file, text);
        };
    }

    /** What went wrong, in words that name the file. */
    static SourceProblem problem(String file, Exception failure) {
        String message = String.valueOf(failure.getMessage());
        return new SourceProblem(
                SourceProblem.Kind.Unreadable, failure instanceof BadInputException ? message : file + ": " + message);
    }

    private static InputStream unpacked(InputStream bytes) throws IOException {
        BufferedInputStream buffered = new BufferedInputStream(bytes);
        buffered.mark(2);
        boolean gzip = buffered.read() == GZIP_FIRST_BYTE && buffered.read() == GZIP_SECOND_BYTE;
        buffered.reset();
        return gzip ? new GZIPInputStream(buffered) : buffered;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }

    private static final class Bounded extends FilterInputStream {
        private long left = MAXIMUM_BYTES;

        Bounded(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int value = super.read();
            if (value >= 0) {
                count(1);
            }
            return value;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int read = super.read(into, offset, length);
            if (read > 0) {
                count(read);
            }
            return read;
        }

        private void count(int read) throws IOException {
            left -= read;
            if (left < 0) {
                throw new IOException("the dump is larger than " + MAXIMUM_BYTES + " bytes");
            }
        }
    }
}
