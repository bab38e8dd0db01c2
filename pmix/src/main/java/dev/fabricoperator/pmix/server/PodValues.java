/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.server;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What only the pod itself knows of its ranks, and its server registers for them beside the job's map.
 *
 * @param bindings of the ranks, in their order; empty where none is bound
 * @param onePackage whether all CPUs that the ranks may use are known to be of one package
 * @param workingDirectory PMIX_WDIR of the pod's app, {@code null} if unknown
 * @param arguments PMIX_APP_ARGV of the pod's app, words with a blank between them, {@code null} if unknown
 * @param memoryBytes PMIX_AVAIL_PHYS_MEMORY, what the container of the ranks may use; 0 if unknown
 * @param sessionDirectory PMIX_TMPDIR: exists, with a directory for the job and in it one for each rank, in which its user may write; {@code null} for none
 */
public record PodValues(
        List<RankBinding> bindings,
        boolean onePackage,
        @Nullable String workingDirectory,
        @Nullable String arguments,
        long memoryBytes,
        @Nullable String sessionDirectory) {
    /** In {@link #sessionDirectory}. */
    public static final String JOB_DIRECTORY = "job";

    /** Of a pod of which nothing is known. */
    public static final PodValues UNKNOWN = new PodValues(List.of(), false, null, null, 0, null);

    public PodValues {
        bindings = List.copyOf(bindings);
    }

    /** PMIX_NSDIR. */
    public @Nullable String jobDirectory() {
        return sessionDirectory == null ? null : sessionDirectory + "/" + JOB_DIRECTORY;
    }

    /** PMIX_PROCDIR. */
    public @Nullable String rankDirectory(int rank) {
        return sessionDirectory == null ? null : jobDirectory() + "/" + rank;
    }
}
