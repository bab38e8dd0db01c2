/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A dump in a file.
 *
 * @param fingerprint changes with the file: real path, size and time of modification
 */
record TopologyFile(Path path, String fingerprint) {
    InputStream open() throws IOException {
        return Files.newInputStream(path);
    }
}
