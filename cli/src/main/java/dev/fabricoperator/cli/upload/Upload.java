/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.upload;

import dev.fabricoperator.cli.input.CablingFiles;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.input.SourceKind;
import dev.fabricoperator.fabric.cabling.Cabling;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPOutputStream;

/**
 * A dump as it travels: one gzip stream, cut into parts that each fit an object.
 *
 * @param name of the source that the parts make up
 * @param file what was uploaded, for messages
 * @param digest SHA-256 of the uncompressed dump, 64 lower-case hex digits
 * @param parts slices of the gzip stream, in order
 */
public record Upload(String name, SourceKind kind, String file, String digest, Cabling cabling, List<byte[]> parts) {
    /**
     * Bytes in a part. A ConfigMap takes 1 MiB; a person who applies one from a file, client-side, has 256 KiB for all
     * of it in base64.
     */
    public static final int PART_BYTES = 160 * 1024;

    public Upload {
        parts = List.copyOf(parts);
    }

    /** Reads the dump and packs it on the way, so that standard input will do. */
    public static Upload read(SourceArgument source, String name, int partBytes) throws Failure {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        MessageDigest digest = sha256();
        Cabling cabling;
        try (OutputStream text = new DigestOutputStream(new GZIPOutputStream(packed), digest)) {
            cabling = CablingFiles.read(source, text);
        } catch (IOException e) {
            throw Failure.failed(source.shownPath() + ": cannot be packed: " + e.getMessage(), e);
        }
        String hex = HexFormat.of().formatHex(digest.digest());
        return new Upload(name, kind(source), source.shownPath(), hex, cabling, cut(packed.toByteArray(), partBytes));
    }

    private static SourceKind kind(SourceArgument source) {
        return Objects.requireNonNullElse(source.kind(), SourceKind.ibnetdiscover);
    }

    private static List<byte[]> cut(byte[] whole, int partBytes) {
        List<byte[]> parts = new ArrayList<>();
        for (int from = 0; from < whole.length; from += partBytes) {
            parts.add(Arrays.copyOfRange(whole, from, Math.min(whole.length, from + partBytes)));
        }
        return parts;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
