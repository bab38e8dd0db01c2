/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.upload;

import dev.fabricoperator.cli.input.CablingFiles;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.input.SourceKind;
import dev.fabricoperator.fabric.Sha256;
import dev.fabricoperator.fabric.cabling.Cabling;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

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

    /** A label's value and, with the part's number, an object's name. */
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9]{0,55}[a-z0-9])?");

    private static final int LONGEST_NAME = 57;

    /** What the operator reads from ConfigMaps. */
    private static final List<SourceKind> KINDS =
            List.of(SourceKind.ibnetdiscover, SourceKind.lldp, SourceKind.slurm, SourceKind.cables);

    public Upload {
        parts = List.copyOf(parts);
    }

    /**
     * Reads the dump and packs it on the way, so that standard input will do.
     *
     * @param name {@code null} for the file's, or for standard input the kind's
     * @throws Failure for a dump that is none, or of a kind that the operator does not read from uploads
     */
    public static Upload read(SourceArgument source, @Nullable String name, int partBytes) throws Failure {
        requireReadable(source.kind());
        if (name != null) {
            requireName(name);
        }
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        MessageDigest digest = Sha256.begin();
        CablingFiles.OfKind read;
        try (OutputStream text = new DigestOutputStream(new GZIPOutputStream(packed), digest)) {
            read = CablingFiles.read(source, text);
        } catch (IOException e) {
            throw Failure.failed(source.shownPath() + ": cannot be packed: " + e.getMessage(), e);
        }
        requireReadable(read.kind());
        String hex = HexFormat.of().formatHex(digest.digest());
        String chosen = name != null ? name : nameOf(source, read.kind());
        requireName(chosen);
        return new Upload(
                chosen, read.kind(), source.shownPath(), hex, read.cabling(), cut(packed.toByteArray(), partBytes));
    }

    private static void requireReadable(@Nullable SourceKind kind) throws Failure {
        if (kind != null && !KINDS.contains(kind)) {
            throw Failure.wrongUsage("the operator reads no upload of kind '" + kind + "'; it reads "
                    + KINDS.stream().map(Enum::name).collect(Collectors.joining(", ")));
        }
    }

    private static void requireName(String name) throws Failure {
        if (!NAME.matcher(name).matches()) {
            throw Failure.wrongUsage(
                    "'" + name + "' cannot name an upload: lower-case letters, digits and '-', at most " + LONGEST_NAME
                            + "; choose one with --name");
        }
    }

    private static String nameOf(SourceArgument source, SourceKind kind) {
        if (source.path().equals(SourceArgument.STANDARD_INPUT)) {
            return kind.name();
        }
        String file = new File(source.path())
                .getName()
                .toLowerCase(Locale.ROOT)
                .replaceFirst("\\.(gz|xz)$", "")
                .replaceFirst("\\.(txt|out|log|dump|topo|lst|json|conf|yaml|csv|keyvalue)$", "")
                .replaceAll("[^a-z0-9]+", "-")
                .replaceAll("^-|-$", "");
        return file.length() > LONGEST_NAME ? file.substring(0, LONGEST_NAME).replaceAll("-+$", "") : file;
    }

    private static List<byte[]> cut(byte[] whole, int partBytes) {
        List<byte[]> parts = new ArrayList<>();
        for (int from = 0; from < whole.length; from += partBytes) {
            parts.add(Arrays.copyOfRange(whole, from, Math.min(whole.length, from + partBytes)));
        }
        return parts;
    }
}
