/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.IbnetdiscoverReader;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/** Cabling from the files that the command line names. */
public final class CablingFiles {
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
        try (DumpText text = DumpText.open(source, copy)) {
            try {
                return switch (source.kind()) {
                    case ibnetdiscover -> IbnetdiscoverReader.read(source.shownPath(), text);
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
}
