/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the checked-out project lies: its {@code config}, {@code fixtures} and built programs are used as they are. */
public final class ProjectRoot {
    private ProjectRoot() {}

    /** System property {@code projectRoot}, which the build sets, else the nearest parent of the working directory that holds {@code mvnw}. */
    public static Path find() {
        String given = System.getProperty("projectRoot");
        if (given != null) {
            return Path.of(given);
        }
        Path start = Path.of("").toAbsolutePath();
        for (Path directory = start; directory != null; directory = directory.getParent()) {
            if (Files.exists(directory.resolve("mvnw"))) {
                return directory;
            }
        }
        throw new IllegalStateException(start + " lies in no checked-out project (no mvnw above it)");
    }
}
