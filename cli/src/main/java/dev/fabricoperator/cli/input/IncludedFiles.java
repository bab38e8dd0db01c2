/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.fabric.cabling.TextsBeside;
import dev.fabricoperator.formats.PackedText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Files that a file includes, by paths from its directory. What leaves that directory is not read, by a link neither: who names one file on the command line has named
 * no other.
 */
final class IncludedFiles implements TextsBeside {
    private final String path;

    /** @param path of the file that includes */
    IncludedFiles(String path) {
        this.path = path;
    }

    @Override
    public IncludedText open(String name) throws IOException, NotFollowedException {
        try {
            Path including = Path.of(path);
            Path directory = including.toAbsolutePath().resolveSibling("").toRealPath();
            Path file = directory.resolve(name).normalize();
            Path real = file.startsWith(directory) ? file.toRealPath() : file;
            if (!real.startsWith(directory)) {
                throw new NotFollowedException(
                        "it is not below " + directory + "; name that file on the command line, too");
            }
            if (!Files.isRegularFile(real)) {
                throw new IOException("no file");
            }
            String shown = real.equals(including.toRealPath())
                    ? path
                    : including.resolveSibling(directory.relativize(real)).toString();
            return new IncludedText(
                    shown, PackedText.open(Files.newInputStream(real), OutputStream.nullOutputStream()));
        } catch (InvalidPathException e) {
            throw new IOException("not a path", e);
        } catch (NoSuchFileException e) {
            throw new IOException("no such file", e);
        } catch (AccessDeniedException e) {
            throw new IOException("cannot be opened: permission denied", e);
        }
    }
}
