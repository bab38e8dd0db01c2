/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.hostgen;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.IbnetdiscoverReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** Dumps in files, plain or gzip. */
public final class Dumps {
    private Dumps() {}

    public static DumpText read(Path file) throws IOException {
        try (InputStream raw = Files.newInputStream(file);
                InputStream plain = file.toString().endsWith(".gz") ? new GZIPInputStream(raw) : raw) {
            return DumpText.of(new String(plain.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    public static Cabling cabling(String name, DumpText dump) throws IOException {
        try {
            return IbnetdiscoverReader.read(name, new StringReader(dump.text()));
        } catch (BadInputException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
