/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.launcher;

/** What the launcher tells of ranks that speak PMI-1, as MPICH's do: it answers them itself but for fences. All on the loop. */
public interface LauncherPmi {
    /** A rank has called PMI_Init. */
    void begun(int localRank);

    void finalized(int localRank);

    void aborted(int localRank, int code, String message);

    /** A rank wants to speak PMI-2, or what is no PMI, and was refused. */
    void versionRefused(int localRank);

    /** A rank has asked for more processes, and was refused. */
    void spawnRefused(int localRank);

    /**
     * A rank publishes a name (MPI_Publish_name), under which others find a port. It waits for {@link LauncherText#named}, as with the next two.
     *
     * @param name escaped, also in the next two
     */
    void publish(int localRank, String name, String port);

    void lookup(int localRank, String name);

    void unpublish(int localRank, String name);

    /**
     * All ranks of this pod wait for those of the others.
     *
     * @param pairs what they have put since the last fence: lines KEY=value, each with its line feed, escaped
     */
    void fence(String pairs);
}
