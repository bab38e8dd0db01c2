/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;
import org.apache.commons.io.FileUtils;

/** Host trees in the fixtures: {@code sysfs/{recorded,derived,reported}/*.tar.{xz,bz2,gz}}. */
final class Recordings {

    static final Path SYSFS = Path.of(System.getProperty("fixtures")).resolve("sysfs");

    /** By archive. Unpacking costs more than most of what is tested on the files. */
    private static final Map<Path, Path> TREES = new ConcurrentHashMap<>();

    private Recordings() {}

    /** The unpacked archive, which tests share: whoever changes it puts it back, or calls {@link #discard}. */
    static Path tree(Path archive) {
        return TREES.computeIfAbsent(archive, unpacked -> {
            try {
                Path directory = Files.createTempDirectory("recorded-host");
                Runtime.getRuntime().addShutdownHook(new Thread(() -> FileUtils.deleteQuietly(directory.toFile())));
                return unpack(unpacked, directory);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    static Path tree(String kind, String prefix) {
        return tree(archive(kind, prefix));
    }

    static void discard(Path archive) {
        TREES.remove(archive);
    }

    static List<Path> archives(String kind) {
        try (Stream<Path> files = Files.list(SYSFS.resolve(kind))) {
            return files.filter(f -> f.toString().contains(".tar.")).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Name of an archive without {@code .tar.xz}. */
    static String name(Path archive) {
        String name = String.valueOf(archive.getFileName());
        return name.substring(0, name.indexOf(".tar."));
    }

    /** The archive with this name, unpacked; the directory in it that holds {@code sys}. */
    static Path unpack(String kind, String prefix, Path into) throws IOException {
        return unpack(archive(kind, prefix), into);
    }

    private static Path archive(String kind, String prefix) {
        return archives(kind).stream()
                .filter(archive -> name(archive).startsWith(prefix))
                .findFirst()
                .orElseThrow();
    }

    static Path unpack(Path archive, Path into) throws IOException {
        try (InputStream file = new BufferedInputStream(Files.newInputStream(archive));
                TarArchiveInputStream tar = new TarArchiveInputStream(decompressed(archive, file))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path target = into.resolve(entry.getName()).normalize();
                if (!target.startsWith(into)) {
                    throw new IOException("entry outside the archive: " + entry.getName());
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(target);
                    continue;
                }
                Files.createDirectories(target.resolveSibling("."));
                if (entry.isSymbolicLink()) {
                    Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
                } else {
                    Files.copy(tar, target);
                }
            }
        }
        try (Stream<Path> directories = Files.walk(into, 2)) {
            return directories
                    .filter(d -> Files.isDirectory(d.resolve("sys")))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static InputStream decompressed(Path archive, InputStream file) throws IOException {
        String name = archive.toString();
        return name.endsWith(".bz2")
                ? new BZip2CompressorInputStream(file)
                : name.endsWith(".gz") ? new GZIPInputStream(file) : new XZCompressorInputStream(file);
    }
}
