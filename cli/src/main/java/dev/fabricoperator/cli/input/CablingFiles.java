/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.cli.objects.FabricSwitchFile;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.slurm.IncludedTexts;
import dev.fabricoperator.sources.PackedText;
import dev.fabricoperator.sources.TopologyFormat;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PushbackReader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Cabling from the files that the command line names. */
public final class CablingFiles {
    /** Characters by which the kind of a file is told. */
    private static final int BEGINNING = 4096;

    private CablingFiles() {}

    /** One after the other; standard input can be read once only. */
    public static List<Cabling> readAll(List<SourceArgument> sources) throws Failure {
        long fromStandardInput = sources.stream()
                .filter(s -> s.path().equals(SourceArgument.STANDARD_INPUT))
                .count();
        if (fromStandardInput > 1) {
            throw Failure.wrongUsage("standard input ('-') can be named once only");
        }
        List<Cabling> cablings = new ArrayList<>();
        for (SourceArgument source : sources) {
            cablings.add(read(source));
        }
        return cablings;
    }

    /** @throws Failure if the file cannot be read or is not a whole dump; names file and line */
    public static Cabling read(SourceArgument source) throws Failure {
        IncludedTexts others = source.path().equals(SourceArgument.STANDARD_INPUT)
                ? IncludedTexts.NONE
                : new IncludedFiles(source.path());
        return read(source, OutputStream.nullOutputStream(), others);
    }

    /** As {@link #read(SourceArgument)}; {@code copy} gets the unpacked text, which has to do without the files that it includes. */
    public static Cabling read(SourceArgument source, OutputStream copy) throws Failure {
        return read(source, copy, IncludedTexts.NONE);
    }

    private static Cabling read(SourceArgument source, OutputStream copy, IncludedTexts others) throws Failure {
        source.requireKnown();
        try (PackedText text = open(source, copy)) {
            try {
                PushbackReader whole = new PushbackReader(text, BEGINNING);
                SourceKind kind = source.kind() == null ? SourceKind.of(beginning(whole)) : source.kind();
                return kind == SourceKind.fabricswitches
                        ? FabricSwitchFile.read(source.shownPath(), whole)
                        : TopologyFormat.valueOf(kind.name()).read(source.shownPath(), whole, others);
            } catch (IOException e) {
                throw Failure.badInput(source.shownPath() + ":" + text.line() + ": " + PackedText.reason(e), e);
            }
        } catch (BadInputException e) {
            throw Failure.badInput(String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw Failure.failed(source.shownPath() + ": cannot be closed: " + e.getMessage(), e);
        }
    }

    private static PackedText open(SourceArgument source, OutputStream copy) throws Failure {
        InputStream raw = openRaw(source);
        try {
            return PackedText.open(raw, copy);
        } catch (IOException e) {
            throw Failure.badInput(source.shownPath() + ":1: " + PackedText.reason(e), e);
        }
    }

    private static InputStream openRaw(SourceArgument source) throws Failure {
        if (source.path().equals(SourceArgument.STANDARD_INPUT)) {
            return System.in;
        }
        try {
            Path path = Path.of(source.path());
            if (Files.isDirectory(path)) {
                throw Failure.badInput(source.path() + ": is a directory; name the file in it", null);
            }
            if (!Files.exists(path)) {
                throw Failure.badInput(source.path() + ": no such file", null);
            }
            return new FileInputStream(path.toFile());
        } catch (InvalidPathException e) {
            throw Failure.badInput(source.path() + ": not a path", e);
        } catch (FileNotFoundException e) {
            throw Failure.badInput(source.path() + ": cannot be opened: permission denied", e);
        }
    }

    private static String beginning(PushbackReader text) throws IOException {
        char[] first = new char[BEGINNING];
        int count = 0;
        for (int more = 0; count < BEGINNING && more >= 0; count += Math.max(more, 0)) {
            more = text.read(first, count, BEGINNING - count);
        }
        text.unread(first, 0, count);
        return new String(first, 0, count);
    }
}
