/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.fabric.Sha256;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.NodeNameMap;
import dev.fabricoperator.fabric.cabling.TextsBeside;
import dev.fabricoperator.formats.PackedText;
import dev.fabricoperator.formats.SourceTexts;
import dev.fabricoperator.formats.TopologyFormat;
import dev.fabricoperator.operator.model.SourceProblem;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Turns what a source says into cabling. */
final class SourceText {
    private SourceText() {}

    /**
     * Reads a whole text, plain or packed.
     *
     * @param digest SHA-256 that the unpacked bytes must have, {@code null} for any
     * @param beside what goes with the text
     * @throws BadInputException for a text that cannot be understood
     * @throws IOException for bytes that are damaged
     */
    static Cabling read(SourceType type, String file, InputStream bytes, @Nullable String digest, TextsBeside beside)
            throws IOException, BadInputException {
        return read(bytes, digest, text -> TopologyFormat.valueOf(type.name()).read(file, text, beside));
    }

    /** Reads a whole node name map, plain or packed, as {@link #read} a text. */
    static NodeNameMap nodeNames(String file, InputStream bytes) throws IOException, BadInputException {
        return read(bytes, null, text -> NodeNameMap.read(file, text));
    }

    /**
     * Adds such a text to those that are read together.
     *
     * @throws BadInputException for a text that cannot be understood
     * @throws IOException for bytes that are damaged
     */
    static void add(SourceTexts texts, String file, InputStream bytes, @Nullable String digest)
            throws IOException, BadInputException {
        read(bytes, digest, text -> {
            texts.add(file, text, TextsBeside.NONE);
            return file;
        });
    }

    /** What is done with an unpacked text. */
    private interface TextUse<T> {
        T use(Reader text) throws IOException, BadInputException;
    }

    private static <T> T read(InputStream bytes, @Nullable String digest, TextUse<T> use)
            throws IOException, BadInputException {
        MessageDigest sha256 = Sha256.begin();
        try (PackedText text =
                PackedText.open(bytes, new DigestOutputStream(OutputStream.nullOutputStream(), sha256))) {
            T result = use.use(text);
            text.drain();
            String found = HexFormat.of().formatHex(sha256.digest());
            if (digest != null && !digest.equals(found)) {
                throw new IOException("the upload is damaged: its SHA-256 is " + found + ", not " + digest);
            }
            return result;
        }
    }

    /** Understands a text that is what {@code type} says. */
    static Cabling cabling(SourceType type, String file, Reader text) throws IOException, BadInputException {
        return TopologyFormat.valueOf(type.name()).read(file, text);
    }

    /** What went wrong, in words that name the file. */
    static SourceProblem problem(String file, Exception failure) {
        String message = failure instanceof IOException damaged
                ? file + ": " + PackedText.reason(damaged)
                : String.valueOf(failure.getMessage());
        return new SourceProblem(SourceProblem.Kind.Unreadable, message);
    }

    /** What is wrong with the code that looked at a source, and not with the source; the last good state stays as with any other. */
    static SourceProblem defect(String source, Throwable defect) {
        return new SourceProblem(
                SourceProblem.Kind.Unreadable,
                source + ": a defect of the operator, to be reported with the controller's log: " + defect);
    }
}
