/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.loop.Log;
import dev.fabricoperator.pmix.server.PodValues;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/**
 * PMIX_TMPDIR, PMIX_NSDIR and PMIX_PROCDIR of one attempt: directories on the pod's volume, which is the ranks' alone. Open MPI takes them for what it would make in /tmp
 * and does not remove what it is given.
 */
final class SessionDirectory {
    /** Entries that are removed at most; what is left goes with the pod. */
    private static final int MOST_ENTRIES = 100_000;

    /** Directories below each other in which entries are removed. */
    private static final int MOST_LEVELS = 64;

    private final Path directory;

    private SessionDirectory(Path directory) {
        this.directory = directory;
    }

    /**
     * @param volume that the ranks have under the same name
     * @param name of the attempt's own directory in it
     * @param uid of the ranks
     * @return {@code null}, with a line in the log, where it cannot be made; the ranks' libraries make their own
     */
    static @Nullable SessionDirectory make(Path volume, String name, int uid, int firstRank, int ranks) {
        Path directory = volume.resolve(name);
        try {
            // The user of another container must be let in; nobody else has the volume.
            boolean own = (int) Files.getAttribute(create(directory, "rwx------"), "unix:uid") == uid;
            String permissions = own ? "rwx------" : "rwxrwxrwx";
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));
            Path job = create(directory.resolve(PodValues.JOB_DIRECTORY), permissions);
            for (int rank = firstRank; rank < firstRank + ranks; rank++) {
                create(job.resolve(Integer.toString(rank)), permissions);
            }
            return new SessionDirectory(directory);
        } catch (IOException e) {
            Log.line("no PMIX_TMPDIR for the ranks: " + e);
            return null;
        }
    }

    /** Where the ranks of an earlier container have left theirs, it is theirs again. */
    private static Path create(Path directory, String permissions) throws IOException {
        try {
            Files.createDirectory(directory);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
                throw e;
            }
        }
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));
        return directory;
    }

    @Override
    public String toString() {
        return directory.toString();
    }

    /** When no rank of the attempt runs any more. What another user has made may stay. */
    void remove() {
        remove(MOST_ENTRIES);
    }

    /** Cost: memory for one entry of each level, whatever the ranks have left; each level holds a descriptor. */
    void remove(int mostEntries) {
        remove(directory, new int[] {mostEntries}, MOST_LEVELS);
    }

    private static void remove(Path path, int[] left, int levels) {
        if (levels > 0 && Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
                for (Path entry : entries) {
                    if (left[0]-- <= 0) {
                        break;
                    }
                    remove(entry, left, levels - 1);
                }
            } catch (IOException | DirectoryIteratorException e) {
                // What cannot be read stays, and goes with the pod.
            }
        }
        path.toFile().delete();
    }
}
