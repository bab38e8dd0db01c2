/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.cli.objects.FabricSwitchFile;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.sources.TopologyFormat;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PushbackReader;
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
        return read(source, OutputStream.nullOutputStream());
    }

    /** As {@link #read(SourceArgument)}; {@code copy} gets the unpacked text. */
    public static Cabling read(SourceArgument source, OutputStream copy) throws Failure {
        source.requireKnown();
        try (DumpText text = DumpText.open(source, copy)) {
            try {
                PushbackReader whole = new PushbackReader(text, BEGINNING);
                SourceKind kind = source.kind() == null ? SourceKind.of(beginning(whole)) : source.kind();
                return switch (kind) {
                    case ibnetdiscover -> TopologyFormat.ibnetdiscover.read(source.shownPath(), whole);
                    case slurm -> TopologyFormat.slurm.read(source.shownPath(), whole);
                    case ufm -> TopologyFormat.ufm.read(source.shownPath(), whole);
                    case cables -> TopologyFormat.cables.read(source.shownPath(), whole);
                    case lldp -> TopologyFormat.lldp.read(source.shownPath(), whole);
                    case fabricswitches -> FabricSwitchFile.read(source.shownPath(), whole);
                };
            } catch (IOException e) {
                throw Failure.badInput(source.shownPath() + ":" + text.line() + ": " + DumpText.reason(e), e);
            }
        } catch (BadInputException e) {
            throw Failure.badInput(String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw Failure.failed(source.shownPath() + ": cannot be closed: " + e.getMessage(), e);
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
