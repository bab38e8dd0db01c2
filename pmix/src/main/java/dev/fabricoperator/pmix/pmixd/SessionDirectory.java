/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.loop.Log;
import dev.fabricoperator.pmix.server.PodValues;
import java.io.File;
import java.io.IOException;
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
        remove(directory.toFile(), new int[] {MOST_ENTRIES});
    }

    private static void remove(File file, int[] left) {
        File[] entries = Files.isSymbolicLink(file.toPath()) ? null : file.listFiles();
        for (int i = 0; entries != null && i < entries.length && left[0]-- > 0; i++) {
            remove(entries[i], left);
        }
        file.delete();
    }
}
