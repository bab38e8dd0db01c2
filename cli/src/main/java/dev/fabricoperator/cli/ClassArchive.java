/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The archive of loaded classes that the launching script gave to this JVM, or lets it write when it ends. Beside it may be a mark, {@code .failed}: a command
 * which failed has written it.
 *
 * <p>What goes wrong here costs time and nothing else; the next run tries again.
 */
final class ClassArchive {
    private static final Path MAPPED = Path.of("/proc/self/maps");

    private final @Nullable Path file;

    private ClassArchive(@Nullable Path file) {
        this.file = file;
    }

    /**
     * Of this process. A JVM that finds an archive torn shares no classes at all and says so in {@code java.vm.info} only, or leaves it out and says
     * nothing: then it is not mapped.
     */
    static ClassArchive open() {
        String name = System.getProperty("fabric.archive");
        if (name == null) {
            return new ClassArchive(null);
        }
        Path file = Path.of(name);
        ClassArchive archive = new ClassArchive(file);
        if (!System.getProperty("java.vm.info", "").contains("sharing")
                || Files.exists(file) && Files.exists(MAPPED) && !isMapped(file)) {
            archive.delete();
        }
        return archive;
    }

    private static boolean isMapped(Path file) {
        try (Stream<String> lines = Files.lines(MAPPED)) {
            String name = file.toRealPath().toString();
            return lines.anyMatch(line -> line.endsWith(name));
        } catch (IOException | UncheckedIOException e) {
            return false;
        }
    }

    /** Keeps or drops it by how the command has ended: what one that failed has not loaded others need. */
    void commandEnded(boolean failed) {
        if (file == null) {
            return;
        }
        try {
            if (failed && !Files.exists(file)) {
                Files.write(mark(file, "failed"), new byte[0]);
            } else if (!failed && Files.exists(mark(file, "failed"))) {
                delete();
            }
        } catch (IOException e) {
            return;
        }
    }

    private void delete() {
        if (file == null) {
            return;
        }
        try {
            Files.deleteIfExists(file);
            Files.deleteIfExists(mark(file, "failed"));
        } catch (IOException e) {
            return;
        }
    }

    private static Path mark(Path file, String what) {
        return Path.of(file + "." + what);
    }
}
