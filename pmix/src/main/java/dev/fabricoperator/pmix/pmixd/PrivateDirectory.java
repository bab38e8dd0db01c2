/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.openssl.Crypto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;

/** Where libpmix may write. The volume may be shared with the application: nobody can have made this one before, or read it. */
final class PrivateDirectory {
    private PrivateDirectory() {}

    /** @throws IOException naming the directory in which none can be made */
    static Path in(Path parent) throws IOException {
        Path made = parent.resolve("pmix-" + HexFormat.of().formatHex(Crypto.random(8)));
        return Files.createDirectory(
                made, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
}
