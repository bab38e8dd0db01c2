/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.hostgen;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/** A host tree that was recorded on a machine, from its archive among the fixtures. */
public final class RecordedHost {
    private RecordedHost() {}

    /**
     * Unpacks a {@code .tar.xz} or {@code .tar.bz2} into the directory.
     *
     * @return the host root: the directory that holds {@code sys}
     */
    public static Path unpack(Path archive, Path directory) throws IOException {
        try (InputStream file = new BufferedInputStream(Files.newInputStream(archive));
                InputStream plain = archive.toString().endsWith(".bz2")
                        ? new BZip2CompressorInputStream(file)
                        : new XZCompressorInputStream(file);
                TarArchiveInputStream tar = new TarArchiveInputStream(plain)) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                unpack(entry, tar, directory);
            }
        }
        try (Stream<Path> paths = Files.walk(directory, 3)) {
            return paths.filter(path -> path.endsWith("sys") && Files.isDirectory(path))
                    .map(path -> path.resolveSibling("").normalize())
                    .min((a, b) -> Integer.compare(a.getNameCount(), b.getNameCount()))
                    .orElseThrow(() -> new IOException(archive + " holds no sys directory"));
        }
    }

    private static void unpack(TarArchiveEntry entry, TarArchiveInputStream tar, Path directory) throws IOException {
        Path path = directory.resolve(entry.getName()).normalize();
        if (!path.startsWith(directory)) {
            throw new IOException("an entry that leads out of the archive: " + entry.getName());
        }
        if (entry.isDirectory()) {
            Files.createDirectories(path);
        } else {
            Files.createDirectories(path.resolveSibling(""));
            if (entry.isSymbolicLink()) {
                Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
            } else if (entry.isFile()) {
                Files.copy(tar, path);
            }
        }
    }
}
