/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** The image of pmixd, in which a script stands in the place of the loader that starts Java. */
final class PlayedImage {
    private static final String LOADER = System.getProperty("os.arch").equals("aarch64")
            ? "usr/lib/aarch64-linux-gnu/ld-linux-aarch64.so.1"
            : "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2";

    private PlayedImage() {}

    static Path of(Path directory) {
        return directory.resolve("image");
    }

    static Path loader(Path directory) {
        return of(directory).resolve(LOADER);
    }

    static void write(Path directory, String script) throws IOException {
        Path loader = loader(directory);
        Files.createDirectories(loader.getParent());
        executable(loader, script);
    }

    static void executable(Path path, String script) throws IOException {
        Files.writeString(path, "#!/bin/sh\n" + script + '\n');
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
